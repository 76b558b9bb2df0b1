// The end of a reducer while another strand reduces views of it: it waits, and keeps nothing from going on that it waits for.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include <nopal/detail/pinned.h>

#include "reducer_programs.hpp"

namespace {

using namespace reducers;

void await(const flag& one) {
  while (!one.load(std::memory_order_acquire)) std::this_thread::yield();
}

bool on_the_programs_thread() { return support::thread_id() == getpid(); }

flag reduces{false};  // the continuation of the reduction's fork has begun
flag ends{false};     // the reducer is about to end
flag reduced{false};

/// A reduction that forks: its continuation is another worker's, and waits for the reducer's end to begin.
struct op_slow {
  using value_type = counted_text;
  static counted_text identity() { return {}; }
  static void reduce(counted_text& left, counted_text&& right) {
    scope s;
    s.fork([] { await(reduces); });
    set(reduces);
    await(ends);
    support::sleep_ms(5);
    left.said += right.said;
    s.join();
    set(reduced);
  }
};

std::unique_ptr<reducer<op_slow>> one;

/// On the stack of the program's thread, on three workers: the views of a stolen child's two sides meet at the child's end.
void reduce_at_home() {
  flag said{false};
  scope s;
  s.fork([&said] {
    await(said);
    support::sleep_ms(
        20);  // the continuation is at the join by then, so that the child is the one who reduces
    (*one)->said += "a";
  });
  (*one)->said += "b";
  set(said);
  s.join();
}

/// The program's thread leaves its own stack in the middle of a reduction, and finds the strand that ends the reducer.
template <class End>
int end_beside_a_reduction(int rounds, End end) {
  for (int i = 0; i < rounds; ++i) {
    for (flag* const each : {&reduces, &ends, &reduced}) each->store(false);
    one = std::make_unique<reducer<op_slow>>();
    flag begun{false};
    scope s;
    s.fork([&begun] {
      await(begun);
      reduce_at_home();
    });
    set(begun);
    await(reduces);
    // Two of the workers wait here and in the reduction.
    flag taken{false};
    s.fork([&taken] { await(taken); });
    set(taken);
    const bool as_planned = on_the_programs_thread();
    set(ends);
    end(as_planned);
    NOPAL_CHECK(reduced.load());
    s.join();
    NOPAL_CHECK(counted_text::alive == 0);
  }
  support::check_quiet();
  NOPAL_CHECK(nopal::stats().view_sets_in_use <= 1);
  return 0;
}

NOPAL_PROGRAM(on_the_thread_that_reduces) {
  return end_beside_a_reduction(20, [](bool) { one.reset(); });
}

/// The reduction goes on after the call alone.
NOPAL_PROGRAM(in_a_pinned_call_on_the_thread_that_reduces) {
  return end_beside_a_reduction(1, [](bool as_planned) {
    if (!as_planned) std::_Exit(3);
    nopal::detail::call_pinned([] { one.reset(); });
  });
}

TEST(an_end_of_a_reducer, waits_for_a_reduction_that_its_own_thread_has_to_go_on_with) {
  EXPECT_TRUE(support::succeeds("on_the_thread_that_reduces", support::on_workers(3)));
}

TEST(an_end_of_a_reducer, in_a_pinned_call_that_a_reduction_waits_for_is_one_line_and_an_abort) {
  support::outcome seen;
  int runs = 0;
  do {
    seen = support::run_program("in_a_pinned_call_on_the_thread_that_reduces", support::on_workers(3));
  } while (seen.exit_code == 3 && ++runs < 20);
  EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
  EXPECT_EQ(seen.err, "nopal: a reducer ends in a call that stays on its thread, where a reduction of it "
                      "waits for that call: "
                      "let it end after the join\n");
}

}  // namespace

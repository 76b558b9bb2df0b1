// Scopes that can be stopped: what begins in them, who knows of it, what unwinds, and that nothing is left.
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>
#include <nopal/waiting.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using nopal::on_stop;
using nopal::scope;

std::atomic<long> begun{0};

/// Each call is counted.
long counted_fib(int n) {
  begun.fetch_add(1, std::memory_order_relaxed);
  if (n < 2) return n;
  long a = 0;
  scope s;
  s.fork_into(a, counted_fib, n - 1);
  const long b = counted_fib(n - 2);
  s.join();
  return a + b;
}

/// Lives as long as a copy of it does.
class living {
public:
  explicit living(std::atomic<int>& count) : count_(&count) { ++*count_; }
  living(const living& other) : count_(other.count_) { ++*count_; }
  living& operator=(const living&) = delete;
  ~living() { --*count_; }

private:
  std::atomic<int>* count_;
};

NOPAL_PROGRAM(a_scope_that_nobody_stops) {
  NOPAL_CHECK(!nopal::stop_requested());
  nopal::poll();
  cancel_scope s;
  long a = 0;
  long b = 0;
  s.fork_into(a, counted_fib, 15);
  s.fork([&b] { b = counted_fib(10); });
  NOPAL_CHECK(!s.stop_requested() && !nopal::stop_requested());
  s.join();
  NOPAL_CHECK(a == 610 && b == 55);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(no_child_begins_in_a_stopped_scope) {
  std::atomic<int> alive{0};
  {
    cancel_scope s;
    NOPAL_CHECK(s.request_stop());
    NOPAL_CHECK(!s.request_stop());
    NOPAL_CHECK(s.stop_requested() && nopal::stop_requested());
    long result = -1;
    s.fork_into(result, counted_fib, 10);
    bool called = false;
    s.fork([&called, one = living(alive)] { called = true; });
    s.fork([&called](std::unique_ptr<int>, std::vector<int>) { called = true; }, std::make_unique<int>(1),
           std::vector<int>(100));
    s.fork_inlet([&called](long) { called = true; }, counted_fib, 5);
    // Those of scopes inside, and of patterns.
    begun = 0;
    counted_fib(20);
    NOPAL_CHECK(begun < 60);
    std::atomic<long> positions{0};
    nopal::parallel_for(0, 1'000'000, [&](int) { positions.fetch_add(1, std::memory_order_relaxed); });
    NOPAL_CHECK(positions < 500'000);
    s.join();
    NOPAL_CHECK(result == -1 && !called);
    // The next ones too.
    s.fork([&called] { called = true; });
    s.join();
    NOPAL_CHECK(!called);
  }
  NOPAL_CHECK(alive == 0);
  // And those behind it begin theirs.
  NOPAL_CHECK(!nopal::stop_requested());
  begun = 0;
  NOPAL_CHECK(counted_fib(10) == 55 && begun == 177);
  support::check_quiet();
  return 0;
}

/// Each node has a scope of its own, which the leaves stop: nobody else is stopped.
void nested_stops(int depth, std::atomic<int>& wrong) {
  cancel_scope s;
  if (depth == 0) {
    s.request_stop();
    if (!nopal::stop_requested()) ++wrong;
    s.fork([&wrong] { ++wrong; });
    s.join();
    return;
  }
  s.fork(nested_stops, depth - 1, std::ref(wrong));
  s.fork([depth, &wrong] { nested_stops(depth - 1, wrong); });
  {
    scope plain;
    plain.fork(nested_stops, depth - 1, std::ref(wrong));
    nested_stops(depth - 1, wrong);
    plain.join();
  }
  s.join();
  if (s.stop_requested() || nopal::stop_requested()) ++wrong;
}

NOPAL_PROGRAM(who_is_stopped_is_in_the_scope) {
  for (int round = 0; round < 30; ++round) {
    std::atomic<int> wrong{0};
    nested_stops(6, wrong);
    NOPAL_CHECK(wrong == 0);
  }
  support::check_quiet();
  return 0;
}

/// A scope that is stopped in the child, while its continuation and those of the scopes around are stolen.
NOPAL_PROGRAM(strands_that_were_stolen_are_stopped) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < 300; ++round) {
    support::flag gone{false};
    std::atomic<int> late{0};
    std::atomic<bool> outer_stopped{false};
    cancel_scope outer;
    outer.fork([&] {
      cancel_scope s;
      support::flag on{false};
      s.fork([&] {
        support::wait_for_continuation(on);
        s.request_stop();
        support::set(gone);
      });
      support::set(on);
      // On another worker than the child.
      while (!nopal::stop_requested()) std::this_thread::yield();
      s.fork([&late] { ++late; });
      scope plain;
      plain.fork([&late] { ++late; });
      plain.join();
      s.join();
      outer_stopped = nopal::stop_requested() && !s.stop_requested();
    });
    long value = 0;
    outer.fork_into(value, counted_fib, 12);
    outer.join();
    NOPAL_CHECK(late == 0 && !outer_stopped && value == 144);
    NOPAL_CHECK(!outer.stop_requested());
  }
  support::check_quiet();
  return 0;
}

/// A scope that was made after a fork of its function is around that fork's continuation, not its child.
NOPAL_PROGRAM(a_scope_made_after_a_fork) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> wrong{0};
    support::flag stopped{false};
    support::flag seen{false};
    scope s;
    s.fork([&] {
      support::wait_for_continuation(stopped);
      if (nopal::stop_requested()) ++wrong;
      counted_fib(5);
      support::set(seen);
    });
    {
      cancel_scope inner;
      inner.request_stop();
      if (!nopal::stop_requested()) ++wrong;
      support::set(stopped);
      inner.fork([&] { ++wrong; });
      // Joined while `inner` lasts: the strand comes back into it.
      s.join();
      if (!nopal::stop_requested()) ++wrong;
      inner.fork([&] { ++wrong; });
    }
    if (nopal::stop_requested()) ++wrong;
    NOPAL_CHECK(wrong == 0);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(shields) {
  cancel_scope s;
  s.request_stop();
  int called = 0;
  NOPAL_CHECK(nopal::shield([&called] {
    NOPAL_CHECK(!nopal::stop_requested());
    scope t;
    t.fork([&called] { ++called; });
    t.join();
    NOPAL_CHECK(counted_fib(15) == 610);
    cancel_scope own;
    own.request_stop();
    NOPAL_CHECK(nopal::stop_requested());
    own.fork([&called] { ++called; });
    return true;
  }));
  NOPAL_CHECK(called == 1 && nopal::stop_requested());
  s.fork([&called] { ++called; });
  NOPAL_CHECK(called == 1);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(deep_scopes) {
  struct deep {
    static void run(int depth) {
      cancel_scope s;
      if (depth == 0) {
        s.request_stop();
        NOPAL_CHECK(nopal::stop_requested());
        return;
      }
      s.fork(run, depth - 1);
      counted_fib(2);
      s.join();
      NOPAL_CHECK(!nopal::stop_requested());
    }
  };
  for (int round = 0; round < 10; ++round) deep::run(700);
  support::check_quiet();
  return 0;
}

/// Stopped from a thread of the program that runs no strand.
NOPAL_PROGRAM(stops_from_other_threads) {
  for (int round = 0; round < 50; ++round) {
    support::flag running{false};
    cancel_scope s;
    std::thread other([&] {
      while (!running.load(std::memory_order_acquire)) std::this_thread::yield();
      s.request_stop();
    });
    s.fork([&] {
      support::set(running);
      while (!nopal::stop_requested()) counted_fib(8);
    });
    while (!nopal::stop_requested()) counted_fib(8);
    s.join();
    other.join();
    NOPAL_CHECK(s.stop_requested());
  }
  support::check_quiet();
  return 0;
}

// --- unwinding -----------------------------------------------------------------------------------------

void unwound_tree(int depth, std::atomic<int>& alive, std::atomic<int>& reached) {
  const living one(alive);
  nopal::poll();
  if (depth == 0) {
    ++reached;
    return;
  }
  scope s;
  s.fork(unwound_tree, depth - 1, std::ref(alive), std::ref(reached));
  unwound_tree(depth - 1, alive, reached);
  s.join();
}

NOPAL_PROGRAM(unwinding_runs_destructors) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> alive{0};
    std::atomic<int> reached{0};
    bool thrown_past = false;
    try {
      cancel_scope s{on_stop::unwind};
      s.fork(unwound_tree, 14, std::ref(alive), std::ref(reached));
      s.fork([&] {
        const living one(alive);
        s.request_stop();
        unwound_tree(3, alive, reached);
        reached = 1 << 20;
      });
      s.fork([&] { reached = 1 << 20; });
      s.join();
      NOPAL_CHECK(s.stop_requested());
    } catch (...) {
      thrown_past = true;
    }
    NOPAL_CHECK(!thrown_past && alive == 0 && reached <= 1 << 14);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(unwinding_ends_at_its_scope) {
  std::atomic<int> after{0};
  cancel_scope outer{on_stop::unwind};
  outer.fork([&] {
    cancel_scope inner{on_stop::unwind};
    inner.fork([&] {
      inner.request_stop();
      nopal::poll();
      after += 100;
    });
    inner.join();
    // In the child of `outer`, which goes on.
    nopal::poll();
    NOPAL_CHECK(!nopal::stop_requested() || inner.stop_requested());
    ++after;
  });
  outer.join();
  NOPAL_CHECK(after == 1 && !outer.stop_requested());
  // In the scope's own function forks are skipped, and nothing is thrown.
  outer.request_stop();
  outer.fork([&] { after += 100; });
  nopal::poll();
  counted_fib(5);
  outer.join();
  NOPAL_CHECK(after == 1);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(unwinding_throws_nothing_from_destructors) {
  struct forks_at_end {
    std::atomic<int>& ended;
    ~forks_at_end() {
      scope s;
      s.fork([this] { ended += 100; });
      s.join();
      nopal::poll();
      ++ended;
    }
  };
  std::atomic<int> ended{0};
  cancel_scope s{on_stop::unwind};
  s.fork([&] {
    const forks_at_end one{ended};
    s.request_stop();
    nopal::poll();
    ended += 1000;
  });
  s.join();
  NOPAL_CHECK(ended == 1);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(exceptions_of_what_was_begun_are_kept) {
  for (int round = 0; round < 100; ++round) {
    int caught = 0;
    try {
      cancel_scope s;
      s.fork([&s] {
        s.request_stop();
        throw 1;
      });
      s.fork([] { throw 2; });
      s.join();
    } catch (int what) {
      caught = what;
    }
    NOPAL_CHECK(caught == 1);
  }
  support::check_quiet();
  return 0;
}

// --- tokens --------------------------------------------------------------------------------------------

#ifdef __cpp_lib_jthread
NOPAL_PROGRAM(tokens) {
  std::stop_source source;
  std::stop_token later;
  {
    cancel_scope s{source.get_token()};
    later = s.token();
    cancel_scope inner;
    const std::stop_token of_inner = inner.token();
    int told = 0;
    const std::stop_callback callback(of_inner, [&told] { ++told; });
    const bool shielded = nopal::shield([&] {
      cancel_scope apart;
      const std::stop_token token = apart.token();
      source.request_stop();
      return !token.stop_requested();
    });
    NOPAL_CHECK(shielded && told == 1);
    NOPAL_CHECK(s.stop_requested() && inner.stop_requested() && of_inner.stop_requested());
    inner.fork([&told] { ++told; });
    inner.join();
    NOPAL_CHECK(told == 1);
  }
  NOPAL_CHECK(later.stop_requested());
  {
    const cancel_scope already{source.get_token()};
    NOPAL_CHECK(already.stop_requested());
  }
  {
    cancel_scope never;
    later = never.token();
  }
  NOPAL_CHECK(!later.stop_requested());
  support::check_quiet();
  return 0;
}
#else
NOPAL_PROGRAM(tokens) { return 0; }
#endif

// --- beside other things -------------------------------------------------------------------------------

NOPAL_PROGRAM(waits_in_stopped_scopes) {
  for (int round = 0; round < 50; ++round) {
    nopal::event ready;
    std::atomic<int> wrong{0};
    cancel_scope s;
    s.fork([&] {
      {
        cancel_scope own;
        own.fork([&] {
          ready.wait();
          // Suspended and resumed, it is where it was.
          if (!nopal::stop_requested()) ++wrong;
          scope inner;
          inner.fork([&] { ++wrong; });
        });
        own.request_stop();
        ready.set();
        own.join();
      }
      if (nopal::stop_requested()) ++wrong;
    });
    counted_fib(8);
    s.join();
    NOPAL_CHECK(wrong == 0 && !s.stop_requested());
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(patterns_are_whole_or_not_begun) {
  std::minstd_rand random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<unsigned> values(60'000);
    for (unsigned& value : values) value = static_cast<unsigned>(random());
    std::vector<unsigned> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::vector<unsigned> stable = values;
    std::vector<unsigned> sums(values.size());
    const std::vector<unsigned> before = values;
    cancel_scope s;
    s.fork([&] { nopal::parallel_sort(values); });
    s.fork([&] { nopal::parallel_stable_sort(stable, std::greater<>()); });
    s.fork([&] { nopal::parallel_inclusive_scan(before.begin(), before.end(), sums.begin()); });
    s.fork([&] { s.request_stop(); });
    s.join();
    NOPAL_CHECK(values == sorted || values == before);
    NOPAL_CHECK(stable == before || std::equal(stable.begin(), stable.end(), sorted.rbegin()));
    std::vector<unsigned> whole(values.size());
    std::partial_sum(before.begin(), before.end(), whole.begin());
    NOPAL_CHECK(sums == whole || sums == std::vector<unsigned>(values.size()));
    const auto [a, b] = nopal::parallel_invoke([] { return std::string("a"); }, [] { return 2; });
    NOPAL_CHECK(a == "a" && b == 2);
  }
  support::check_quiet();
  return 0;
}

/// A strand that goes on in a child of fork(2), or while the pool is started anew by another thread.
NOPAL_PROGRAM(scopes_go_on_in_a_new_process) {
  support::fib(5);
  cancel_scope s;
  const pid_t child = support::split();
  if (child != 0) {
    support::exited_with_0(child);
    return 0;
  }
  support::fib(5);
  s.request_stop();
  int begun_here = 0;
  s.fork([&begun_here] { ++begun_here; });
  s.join();
  _exit(nopal::stop_requested() && begun_here == 0 ? 0 : 1);
}

NOPAL_PROGRAM(scopes_go_on_when_the_pool_starts_again) {
  nopal::configure({.workers = 1});
  support::fib(5);
  std::atomic<int> step{0};
  const auto await = [&step](int wanted) {
    while (step < wanted) std::this_thread::yield();
  };
  std::thread other([&] {
    support::fib(5);
    cancel_scope s;
    step = 1;
    await(2);
    s.request_stop();
    int begun_here = 0;
    s.fork([&begun_here] { ++begun_here; });
    s.join();
    NOPAL_CHECK(nopal::stop_requested() && begun_here == 0);
  });
  await(1);
  nopal::shutdown();
  nopal::configure({.workers = 4});
  support::fib(5);
  step = 2;
  other.join();
  return 0;
}

/// At random moments. Whatever began is over at the join, and has run to its end.
NOPAL_PROGRAM(stops_at_random) {
  const auto seed = std::random_device()();
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    std::atomic<int> alive{0};
    std::atomic<int> ended{0};
    std::atomic<int> entered{0};
    const int stops_at = static_cast<int>(random() % 200);
    {
      cancel_scope s;
      struct tree {
        static void run(int depth, cancel_scope& all, std::atomic<int>& left, std::atomic<int>& in,
                        std::atomic<int>& out, living one) {
          ++in;
          if (--left == 0) all.request_stop();
          if (depth > 0) {
            scope here;
            for (int i = 0; i < 3; ++i) {
              here.fork(run, depth - 1, std::ref(all), std::ref(left), std::ref(in), std::ref(out), one);
            }
            here.join();
          }
          ++out;
        }
      };
      std::atomic<int> left{stops_at};
      s.fork(tree::run, 5, std::ref(s), std::ref(left), std::ref(entered), std::ref(ended), living(alive));
      s.fork(tree::run, 4, std::ref(s), std::ref(left), std::ref(entered), std::ref(ended), living(alive));
      s.join();
      if (entered != ended || alive != 0) std::fprintf(stderr, "the seed is %u\n", seed);
      NOPAL_CHECK(entered == ended && alive == 0);
      NOPAL_CHECK(s.stop_requested() == (left <= 0 && stops_at > 0));
    }
    NOPAL_CHECK(!nopal::stop_requested());
  }
  support::check_quiet();
  return 0;
}

class speculation : public support::program_at_workers {};

TEST_P(speculation, costs_nothing_where_nobody_stops) { EXPECT_TRUE(run("a_scope_that_nobody_stops")); }
TEST_P(speculation, no_child_begins_in_a_stopped_scope) {
  EXPECT_TRUE(run("no_child_begins_in_a_stopped_scope"));
}
TEST_P(speculation, who_is_stopped_is_in_the_scope) { EXPECT_TRUE(run("who_is_stopped_is_in_the_scope")); }
TEST_P(speculation, strands_that_were_stolen_are_stopped) {
  EXPECT_TRUE(run("strands_that_were_stolen_are_stopped"));
}
TEST_P(speculation, of_a_scope_made_after_a_fork) { EXPECT_TRUE(run("a_scope_made_after_a_fork")); }
TEST_P(speculation, shields) { EXPECT_TRUE(run("shields")); }
TEST_P(speculation, of_deep_scopes) { EXPECT_TRUE(run("deep_scopes")); }
TEST_P(speculation, stops_from_other_threads) { EXPECT_TRUE(run("stops_from_other_threads")); }
TEST_P(speculation, unwinding_runs_destructors) { EXPECT_TRUE(run("unwinding_runs_destructors")); }
TEST_P(speculation, unwinding_ends_at_its_scope) { EXPECT_TRUE(run("unwinding_ends_at_its_scope")); }
TEST_P(speculation, unwinding_throws_nothing_from_destructors) {
  EXPECT_TRUE(run("unwinding_throws_nothing_from_destructors"));
}
TEST_P(speculation, exceptions_of_what_was_begun_are_kept) {
  EXPECT_TRUE(run("exceptions_of_what_was_begun_are_kept"));
}
TEST_P(speculation, tokens) { EXPECT_TRUE(run("tokens")); }
TEST_P(speculation, waits_in_stopped_scopes) { EXPECT_TRUE(run("waits_in_stopped_scopes")); }
TEST_P(speculation, patterns_are_whole_or_not_begun) { EXPECT_TRUE(run("patterns_are_whole_or_not_begun")); }
TEST_P(speculation, goes_on_in_a_new_process) { EXPECT_TRUE(run("scopes_go_on_in_a_new_process")); }
TEST(speculation_once, goes_on_when_the_pool_starts_again) {
  EXPECT_TRUE(support::succeeds("scopes_go_on_when_the_pool_starts_again"));
}
TEST_P(speculation, stops_at_random) { EXPECT_TRUE(run("stops_at_random")); }

INSTANTIATE_TEST_SUITE_P(at_workers, speculation, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace

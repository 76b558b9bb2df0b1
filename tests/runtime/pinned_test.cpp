// Pinned calls: each returns on its thread, whatever it forked, and its thread runs strands of that call alone meanwhile. And what
// a root may change between its regions.
#include <gtest/gtest.h>

#include <nopal/detail/pinned.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <csetjmp>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/float_control.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using nopal::detail::call_pinned;
using support::flag;
using support::set;
using support::wait_briefly;
using support::wait_for_continuation;

thread_local int on_this_thread;

// Not inlined: strands change threads, and compilers keep addresses of thread-local variables.
[[gnu::noinline]] const void* thread_mark() {
  asm volatile("" ::: "memory");
  return &on_this_thread;
}

/// Is likely stolen from at each level, and comes home. Briefly: all workers may be at it, and none there to steal.
void steal_and_come_home(int depth) {
  if (depth == 0) return;
  flag went_on{false};
  scope s;
  s.fork([&] { wait_briefly(went_on); });
  set(went_on);
  steal_and_come_home(depth - 1);
  s.join();
}

NOPAL_PROGRAM(pinned_calls_come_back) {
  std::atomic<int> wrong{0};
  nopal::parallel_for(0, 200, 1, [&](int) {
    const void* const before = thread_mark();
    call_pinned([] { steal_and_come_home(3); });
    if (thread_mark() != before) ++wrong;
  });
  const void* const before = thread_mark();
  call_pinned([] { steal_and_come_home(3); });
  NOPAL_CHECK(thread_mark() == before);
  NOPAL_CHECK(wrong == 0);
  support::check_quiet();
  return 0;
}

// A lock that the call's thread holds is wanted by every strand of the loop outside: none of them may run there.
NOPAL_PROGRAM(pinned_calls_are_isolated) {
  std::mutex held[8];
  std::atomic<int> done{0};
  nopal::parallel_for(0, 300, 1, [&](int i) {
    const std::lock_guard lock(held[i % 8]);
    call_pinned([&] { nopal::parallel_for(0, 16, 1, [&](int) { ++done; }); });
  });
  NOPAL_CHECK(done == 300 * 16);
  support::check_quiet();
  return 0;
}

int nested(int depth) {
  if (depth == 0) return 1;
  int left = 0;
  scope s;
  s.fork_into(left, [depth] {
    return call_pinned([depth] {
      int inner = 0;
      scope t;
      t.fork_into(inner, nested, depth - 1);
      const int other = nested(depth - 1);
      t.join();
      return inner + other;
    });
  });
  const int right = call_pinned([depth] { return nested(depth - 1); });
  s.join();
  return left + right;
}

NOPAL_PROGRAM(pinned_calls_nest) {
  for (int round = 0; round < 10; ++round) NOPAL_CHECK(nested(7) == 2187);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(pinned_calls_throw) {
  for (int round = 0; round < 200; ++round) {
    std::string caught;
    scope s;
    int left = 0;
    s.fork([&left] {
      try {
        call_pinned([] {
          flag went_on{false};
          scope t;
          t.fork([&went_on] {
            wait_briefly(went_on);
            throw std::runtime_error("child");
          });
          set(went_on);
          t.join();
        });
      } catch (const std::runtime_error& e) {
        left = e.what() == std::string("child") ? 1 : 2;
      }
    });
    try {
      // Forked in a handler, by a call that waits: what is outside was forked under the handler too.
      throw std::logic_error("outside");
    } catch (const std::logic_error&) {
      scope t;
      flag went_on{false};
      t.fork([&went_on] {
        call_pinned([] { steal_and_come_home(2); });
        set(went_on);
      });
      try {
        throw;
      } catch (const std::exception& e) {
        caught = e.what();
      }
      t.join();
    }
    s.join();
    NOPAL_CHECK(caught == "outside");
    NOPAL_CHECK(left == 1);
    NOPAL_CHECK(std::uncaught_exceptions() == 0);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(locals_follow_the_root) {
  int outside = 0;
  nopal_set_local(&outside);
  std::atomic<int> wrong{0};
  const auto expect = [&wrong](const void* what) {
    if (nopal_local() != what) ++wrong;
  };
  nopal::parallel_for(0, 100, 1, [&](int i) {
    expect(&outside);
    int mine = i;
    call_pinned([&] {
      expect(&outside);
      nopal_set_local(&mine);
      nopal::parallel_for(0, 8, 1, [&](int) {
        expect(&mine);
        call_pinned([&] {
          steal_and_come_home(1);
          expect(&mine);
        });
        steal_and_come_home(1);
        expect(&mine);
      });
      expect(&mine);
    });
    expect(&outside);
  });
  NOPAL_CHECK(wrong == 0);
  NOPAL_CHECK(nopal_local() == &outside);
  nopal_set_local(nullptr);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(reducers_in_pinned_calls) {
  for (int round = 0; round < 50; ++round) {
    nopal::reducer<nopal::op_string_append> text;
    const auto part = [&text](int i) {
      text->push_back(static_cast<char>('a' + i % 26));
      call_pinned([&text, i] {
        text->push_back('(');
        flag went_on{false};
        scope s;
        s.fork([&] {
          wait_briefly(went_on);
          text->push_back(static_cast<char>('0' + i % 10));
        });
        set(went_on);
        text->push_back('|');
        s.join();
        text->push_back(')');
      });
      text->push_back('.');
    };
    nopal::parallel_for(0, 40, 1, part);
    std::string serial;
    for (int i = 0; i < 40; ++i) {
      serial += static_cast<char>('a' + i % 26);
      serial += '(';
      serial += static_cast<char>('0' + i % 10);
      serial += "|).";
    }
    NOPAL_CHECK(text.value() == serial);
  }
  support::check_quiet();
  return 0;
}

int jumps_within(int i) {
  std::jmp_buf place;
  volatile int rounds = 0;
  if (setjmp(place) < 3) {
    rounds = rounds + 1;
    std::longjmp(place, rounds);
  }
  return rounds + i;
}

NOPAL_PROGRAM(jumps_in_pinned_calls) {
  std::atomic<int> wrong{0};
  nopal::parallel_for(0, 100, 1, [&](int i) {
    call_pinned([&] {
      if (jumps_within(i) != i + 3) ++wrong;
      steal_and_come_home(1);
      if (jumps_within(i) != i + 3) ++wrong;
    });
  });
  NOPAL_CHECK(wrong == 0);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(pinned_calls_of_threads_that_end) {
  for (int round = 0; round < 100; ++round) {
    std::thread one([] {
      scope s;
      s.fork([] { call_pinned([] { steal_and_come_home(2); }); });
      s.join();
    });
    one.join();
  }
  support::check_quiet();
  nopal::shutdown();
  call_pinned([] { steal_and_come_home(2); });
  nopal::shutdown();
  return 0;
}

// The mode is changed between regions, of which only the first needs the slow path for other reasons.
NOPAL_PROGRAM(float_mode_of_regions_that_are_forced) {
  constexpr int modes[] = {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD, FE_TOWARDZERO};
  std::atomic<int> wrong{0};
  for (int round = 0; round < 400; ++round) {
    const int mode = modes[round % 4];
    // Unstolen, so that the limit of this worker's deque would not be poisoned.
    {
      scope warm;
      warm.fork([] {});
      warm.join();
    }
    std::fesetround(mode);
    const std::uint64_t control = support::float_control();
    flag went_on{false};
    scope s;
    s.fork([&] { wait_for_continuation(went_on); });
    if (std::fegetround() != mode || support::float_control() != control) ++wrong;
    set(went_on);
    s.join();
    if (std::fegetround() != mode) ++wrong;
  }
  std::fesetround(FE_TONEAREST);
  NOPAL_CHECK(wrong == 0);
  return 0;
}

/// A strand that asks for the end of the runtime is refused at once, also from a call inside. The least time of
/// several: others may need the processor.
NOPAL_PROGRAM(shutdown_is_refused_in_pinned_calls_of_strands) {
  using clock = std::chrono::steady_clock;
  clock::duration least = clock::duration::max();
  flag went_on{false};
  scope s;
  s.fork([&] { wait_for_continuation(went_on); });
  call_pinned([&] {
    for (int i = 0; i != 20; ++i) {
      const clock::time_point before = clock::now();
      try {
        nopal::shutdown();
        NOPAL_CHECK(false);
      } catch (const nopal::error&) {
        least = std::min(least, clock::now() - before);
      }
    }
  });
  set(went_on);
  s.join();
  NOPAL_CHECK(least < std::chrono::milliseconds(10));
  return 0;
}

class pinned : public support::program_at_workers {};

TEST_P(pinned, calls_come_back_on_their_thread) { EXPECT_TRUE(run("pinned_calls_come_back")); }
TEST_P(pinned, calls_are_isolated) { EXPECT_TRUE(run("pinned_calls_are_isolated")); }
TEST_P(pinned, calls_nest) { EXPECT_TRUE(run("pinned_calls_nest")); }
TEST_P(pinned, calls_carry_exceptions) { EXPECT_TRUE(run("pinned_calls_throw")); }
TEST_P(pinned, calls_carry_their_local_pointer) { EXPECT_TRUE(run("locals_follow_the_root")); }
TEST_P(pinned, calls_keep_the_order_of_views) { EXPECT_TRUE(run("reducers_in_pinned_calls")); }
TEST_P(pinned, calls_may_jump_within) { EXPECT_TRUE(run("jumps_in_pinned_calls")); }
TEST_P(pinned, calls_end_with_their_thread) { EXPECT_TRUE(run("pinned_calls_of_threads_that_end")); }
TEST(pinned_calls, of_strands_are_refused_an_end_at_once) {
  EXPECT_TRUE(support::succeeds("shutdown_is_refused_in_pinned_calls_of_strands", support::on_workers(2)));
}
TEST_P(pinned, or_not_roots_change_their_floating_point_mode_between_regions) {
  EXPECT_TRUE(run("float_mode_of_regions_that_are_forced"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, pinned, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

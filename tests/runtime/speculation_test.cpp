// Scopes that can be stopped: what begins in them, and who knows of it.
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "support/living.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
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
    s.fork([&called, one = support::living(alive)] { called = true; });
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

/// Stops what is outside of a scope that unwinds, in a child of that: the child unwinds, and no more.
template <class Around, class Stop>
void unwinds_from_outside(Around&& around, Stop&& stop) {
  int polled = 0;
  int forked = 0;
  int after = 0;
  around([&] {
    cancel_scope inner{nopal::on_stop::unwind};
    inner.fork([&] {
      stop();
      nopal::poll();
      ++polled;
    });
    inner.join();  // a thief could begin the next one before the request
    inner.fork([&] { ++forked; });
    inner.join();
    nopal::poll();  // in no child of a scope that unwinds
    NOPAL_CHECK(nopal::stop_requested() && inner.stop_requested());
    cancel_scope again{nopal::on_stop::unwind};
    again.fork([&] { ++forked; });
    again.join();
    ++after;
  });
  NOPAL_CHECK(polled == 0 && forked == 0 && after == 1);
}

NOPAL_PROGRAM(scopes_outside_of_one_that_unwinds) {
  for (int round = 0; round < 20; ++round) {
    {
      cancel_scope skips;
      unwinds_from_outside(
          [&](const auto& f) {
            skips.fork(f);
            skips.join();
          },
          [&] { skips.request_stop(); });
    }
    cancel_scope unwinds{nopal::on_stop::unwind};
    int after = 0;
    unwinds.fork([&] {
      cancel_scope plain;
      plain.fork([&] {
        // In a child of a scope that unwinds, but what stops is inside of that.
        plain.request_stop();
        nopal::poll();
        ++after;
      });
      plain.join();
      ++after;
    });
    unwinds.join();
    NOPAL_CHECK(after == 2);
  }
  support::check_quiet();
  return 0;
}

/// Scopes in scopes, the outermost of which is stopped by the innermost function, or not.
long nest(int depth, cancel_scope* outermost, bool stops) {
  if (depth == 0) return stops && outermost->request_stop() ? 1 : 0;
  cancel_scope s;
  const long result = nest(depth - 1, outermost != nullptr ? outermost : &s, stops);
  s.join();
  return result;
}

double seconds_to_nest(bool stops) {
  timespec from{};
  timespec to{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  constexpr int depth = 8000;
  NOPAL_CHECK(nest(depth, nullptr, stops) == (stops ? 1 : 0));
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
  return static_cast<double>(to.tv_sec - from.tv_sec) + static_cast<double>(to.tv_nsec - from.tv_nsec) * 1e-9;
}

/// The end of a scope looks at none around it.
NOPAL_PROGRAM(ends_of_nested_scopes) {
  static_cast<void>(seconds_to_nest(false));  // takes the memory
  const double before = seconds_to_nest(false);
  const double stopped = seconds_to_nest(true);
  NOPAL_CHECK(support::watched || stopped < 20 * before + 0.02);
  return 0;
}

class speculation : public support::program_at_workers {};

TEST_P(speculation, is_a_scope_where_nobody_stops) { EXPECT_TRUE(run("a_scope_that_nobody_stops")); }
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
TEST_P(speculation, ends_of_nested_scopes) { EXPECT_TRUE(run("ends_of_nested_scopes")); }
TEST_P(speculation, stops_from_other_threads) { EXPECT_TRUE(run("stops_from_other_threads")); }

TEST_P(speculation, unwinds_where_a_scope_outside_is_stopped) {
  EXPECT_TRUE(run("scopes_outside_of_one_that_unwinds"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, speculation, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace

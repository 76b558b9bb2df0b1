// What the C++ runtime keeps per thread, exceptions being handled and in flight, belongs to the strand: it goes with
// stolen continuations and stays with children.
#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <thread>

#include "support/handled.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::fork_until_continued;
using support::handled;
using support::set;
using support::wait_briefly;
using support::wait_for_continuation;

int rethrown() {
  try {
    throw;
  } catch (const int number) {
    return number;
  }
}

// Child and continuation look one after the other: `throw;` in both at once would be two strands in one exception.
void fork_in_handler(int number) {
  try {
    throw number;
  } catch (const int) {
    flag went_on{false};
    scope s;
    s.fork([&] {
      fork_until_continued(went_on);
      NOPAL_CHECK(handled() == number);
      NOPAL_CHECK(rethrown() == number);
    });
    NOPAL_CHECK(handled() == number);
    NOPAL_CHECK(rethrown() == number);
    set(went_on);
    s.join();
    NOPAL_CHECK(handled() == number);
    NOPAL_CHECK(rethrown() == number);
  }
  NOPAL_CHECK(handled() == 0);
}

NOPAL_PROGRAM(in_handler) {
  for (int i = 1; i <= 300; ++i) fork_in_handler(i);
  support::check_quiet();
  return 0;
}

/// The unwinder notes where an exception was caught last, and that was in a function which is gone. Nobody promises a steal: older
/// forks may have to stay private.
void fork_after_rethrow(int number) {
  try {
    throw number;
  } catch (const int) {
    NOPAL_CHECK(rethrown() == number);
    flag went_on{false};
    scope s;
    s.fork([&] {
      for (int round = 0; round < 50 && !went_on.load(std::memory_order_acquire); ++round) {
        scope t;
        t.fork([] { std::this_thread::yield(); });
        t.join();
      }
      NOPAL_CHECK(handled() == number);
    });
    NOPAL_CHECK(handled() == number);
    set(went_on);
    s.join();
    NOPAL_CHECK(handled() == number);
  }
  NOPAL_CHECK(handled() == 0);
}

/// The same with a fork that is older than the handler.
void fork_around_rethrow(int number) {
  flag went_on{false};
  scope s;
  s.fork([&, number] {
    try {
      throw number;
    } catch (const int) {
      NOPAL_CHECK(rethrown() == number);
      flag inner{false};
      scope t;
      t.fork([&] { wait_briefly(inner); });
      NOPAL_CHECK(handled() == number);
      set(inner);
      t.join();
      NOPAL_CHECK(handled() == number);
    }
    fork_until_continued(went_on);
  });
  NOPAL_CHECK(handled() == 0);
  set(went_on);
  s.join();
  NOPAL_CHECK(handled() == 0);
}

NOPAL_PROGRAM(after_rethrow) {
  for (int i = 1; i <= 300; ++i) {
    fork_after_rethrow(i);
    fork_around_rethrow(i);
  }
  support::check_quiet();
  return 0;
}

/// Away from its handler's stack, a strand forks below it once more: that fork's continuation has the exception too.
void fork_below_handler(int number) {
  flag went_on{false};
  scope s;
  s.fork([&] {
    fork_until_continued(went_on);
    NOPAL_CHECK(handled() == number);
  });
  NOPAL_CHECK(handled() == number);
  set(went_on);
  s.join();
  NOPAL_CHECK(handled() == number);
}

NOPAL_PROGRAM(below_a_handler_on_another_stack) {
  for (int i = 1; i <= 100; ++i) {
    try {
      throw i;
    } catch (const int number) {
      flag went_on{false};
      scope s;
      s.fork([&] { fork_until_continued(went_on); });
      set(went_on);  // first, as the thief of the next continuation may have to be this child's worker
      fork_below_handler(number);
      s.join();
      NOPAL_CHECK(handled() == number);
    }
  }
  support::check_quiet();
  return 0;
}

int escape_from_handler(int number) {
  try {
    throw number;
  } catch (const int) {
    flag went_on{false};
    scope s;
    s.fork([&] { fork_until_continued(went_on); });
    set(went_on);
    throw;
  }
}

NOPAL_PROGRAM(rethrow_out_of_handler) {
  for (int i = 1; i <= 300; ++i) {
    int caught = 0;
    try {
      escape_from_handler(i);
    } catch (const int number) {
      caught = number;
    }
    NOPAL_CHECK(caught == i);
    NOPAL_CHECK(handled() == 0 && std::uncaught_exceptions() == 0);
  }
  support::check_quiet();
  return 0;
}

/// Handlers within handlers, each with a stolen continuation, down a recursion.
void nested_handlers(int depth) {
  if (depth == 0) return;
  try {
    throw depth;
  } catch (const int) {
    flag went_on{false};
    scope s;
    s.fork([&] {
      fork_until_continued(went_on);
      NOPAL_CHECK(handled() == depth);
    });
    set(went_on);
    nested_handlers(depth - 1);
    NOPAL_CHECK(handled() == depth);
    s.join();
    NOPAL_CHECK(handled() == depth);
  }
}

NOPAL_PROGRAM(handlers_in_handlers) {
  for (int i = 0; i < 100; ++i) {
    nested_handlers(12);
    NOPAL_CHECK(handled() == 0);
  }
  support::check_quiet();
  return 0;
}

/// The fork is older than the exception that is handled when a thief comes: the continuation knows nothing of it.
void handler_in_child() {
  flag stolen{false};
  scope s;
  s.fork([&] {
    try {
      throw 1;
    } catch (const int) {
      scope inner;  // its push is where the outer continuation gets published, with an exception at hand
      flag went_on{false};
      inner.fork([&] { fork_until_continued(went_on); });
      NOPAL_CHECK(handled() == 1);
      set(went_on);
      inner.join();
      fork_until_continued(stolen);
      NOPAL_CHECK(handled() == 1);
    }
  });
  NOPAL_CHECK(handled() == 0);
  NOPAL_CHECK(std::uncaught_exceptions() == 0);
  set(stolen);
  s.join();
  NOPAL_CHECK(handled() == 0);
}

NOPAL_PROGRAM(older_fork) {
  for (int i = 0; i < 300; ++i) handler_in_child();
  support::check_quiet();
  return 0;
}

/// A strand that is away from home throws, catches and forks in the handler: its frame is on one stack, it on another.
void away_handler(int number) {
  flag went_on{false};
  flag handler_done{false};
  scope outer;
  outer.fork([&] {
    wait_for_continuation(went_on);
    wait_for_continuation(handler_done);
  });
  set(went_on);
  fork_in_handler(number);
  try {
    throw number + 1;
  } catch (const int) {
    flag again{false};
    scope inner;
    inner.fork([&] {
      fork_until_continued(again);
      NOPAL_CHECK(handled() == number + 1);
    });
    NOPAL_CHECK(handled() == number + 1);
    set(again);
    inner.join();
    NOPAL_CHECK(handled() == number + 1);
  }
  set(handler_done);
  outer.join();
  NOPAL_CHECK(handled() == 0);
}

// A thread made after the pool has its stack below the pool's: then stolen strands run above the frames they continue.
NOPAL_PROGRAM(away_from_home) {
  if (nopal::workers() == 2) return 0;  // two children wait at once
  for (int i = 1; i <= 200; ++i) away_handler(i);
  std::thread([] {
    for (int i = 1; i <= 200; ++i) away_handler(i);
  }).join();
  support::check_quiet();
  return 0;
}

class exception_state : public support::program_at_workers {};

TEST_P(exception_state, of_a_handler_that_threw_on_and_caught_goes_with_the_continuation) {
  EXPECT_TRUE(run("after_rethrow"));
}
TEST_P(exception_state, of_a_handler_goes_with_the_continuation_and_stays_with_the_child) {
  EXPECT_TRUE(run("in_handler"));
}
TEST_P(exception_state, lets_a_stolen_continuation_rethrow_out_of_its_handler) {
  EXPECT_TRUE(run("rethrow_out_of_handler"));
}
TEST_P(exception_state, of_handlers_in_handlers) { EXPECT_TRUE(run("handlers_in_handlers")); }
TEST_P(exception_state, of_forks_below_a_handler_on_another_stack) {
  EXPECT_TRUE(run("below_a_handler_on_another_stack"));
}
TEST_P(exception_state, of_a_child_is_unknown_to_an_older_fork) { EXPECT_TRUE(run("older_fork")); }
TEST_P(exception_state, of_a_strand_away_from_home) { EXPECT_TRUE(run("away_from_home")); }

INSTANTIATE_TEST_SUITE_P(at_workers, exception_state, testing::Values(1, 2, 7, 300),
                         testing::PrintToStringParamName());

}  // namespace

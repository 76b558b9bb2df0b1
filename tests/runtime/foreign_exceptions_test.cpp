// Exceptions that another runtime than this program's of C++ threw travel through forks and joins as its own do.
#include <gtest/gtest.h>

#include <exception>

#include "support/foreign_exception.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::foreign_number_thrown_by;
using support::raise_foreign;
using support::set;
using support::wait_for_continuation;

// Not known to the compiler, which would call what follows unreachable.
volatile bool raising = true;

void raise(int number) {
  if (raising) raise_foreign(number);
}

void finish() {
  NOPAL_CHECK(support::foreign_living == 0);
  NOPAL_CHECK(std::uncaught_exceptions() == 0);
  NOPAL_CHECK(std::current_exception() == nullptr);
  support::check_quiet();
}

void unstolen_child_raises() {
  scope s;
  s.fork(raise, 1);
  s.join();
}

NOPAL_PROGRAM(from_any_child) {
  for (int i = 0; i < 2000; ++i) {
    NOPAL_CHECK(foreign_number_thrown_by(unstolen_child_raises) == 1);
    NOPAL_CHECK(std::uncaught_exceptions() == 0);
  }
  finish();
  return 0;
}

/// The children from the `first` on raise, each stolen from and each with its number.
void stolen_children_raise(int children, int first) {
  flag continued[8] = {};
  scope s;
  for (int i = 1; i <= children; ++i) {
    s.fork([i, first, &stolen = continued[i - 1]] {
      wait_for_continuation(stolen);
      if (i >= first) raise(i);
    });
    set(continued[i - 1]);
  }
  s.join();
}

NOPAL_PROGRAM(serially_first) {
  for (int round = 0; round < 200; ++round) {
    const int first = 1 + round % 8;
    NOPAL_CHECK(foreign_number_thrown_by([&] { stolen_children_raise(8, first); }) == first);
    NOPAL_CHECK(support::foreign_living == 0);
  }
  finish();
  return 0;
}

/// Of a stolen child, then of one that is not, each foreign or not.
void both_kinds(bool first_is_foreign) {
  flag continued{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(continued);
    if (first_is_foreign) raise(1);
    if (raising) throw 1;
  });
  set(continued);
  s.fork([&] {
    if (first_is_foreign && raising) throw 2;
    raise(2);
  });
  s.join();
}

NOPAL_PROGRAM(beside_ours) {
  for (int round = 0; round < 200; ++round) {
    NOPAL_CHECK(foreign_number_thrown_by([] { both_kinds(true); }) == 1);
    int number = 0;
    try {
      both_kinds(false);
    } catch (const int caught) {
      number = caught;
    }
    NOPAL_CHECK(number == 1);
    NOPAL_CHECK(support::foreign_living == 0);
  }
  finish();
  return 0;
}

void continuation_throws() {
  flag continued{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(continued);
    if (nopal::workers() > 1) raise(3);
  });
  set(continued);
  if (raising) throw 4;
}

NOPAL_PROGRAM(dropped_for_the_continuations) {
  for (int round = 0; round < 500; ++round) {
    int number = 0;
    try {
      continuation_throws();
    } catch (const int caught) {
      number = caught;
    }
    NOPAL_CHECK(number == 4);
  }
  finish();
  return 0;
}

/// Forks in the handler, above and below it, whose continuations are published and stolen.
void fork_in_handler(int depth) {
  try {
    raise(5);
  } catch (...) {
    NOPAL_CHECK(std::current_exception() == nullptr);
    flag continued{false};
    scope s;
    s.fork([&] { support::fork_until_continued(continued); });
    set(continued);
    NOPAL_CHECK(support::foreign_living == 1);
    NOPAL_CHECK(support::fib(depth) == support::fib_serial(depth));
    s.join();
    NOPAL_CHECK(support::foreign_living == 1);
  }
  NOPAL_CHECK(support::foreign_living == 0);
}

void fork_around_handler() {
  scope s;
  s.fork([] { support::burn(1000); });
  fork_in_handler(8);
  s.join();
}

NOPAL_PROGRAM(in_handlers) {
  for (int round = 0; round < 200; ++round) fork_around_handler();
  finish();
  return 0;
}

class foreign_exceptions : public support::program_at_workers {};

TEST_P(foreign_exceptions, leave_a_fork_as_they_came) { EXPECT_TRUE(run("from_any_child")); }
TEST_P(foreign_exceptions, leave_a_join_the_serially_first_one) { EXPECT_TRUE(run("serially_first")); }
TEST_P(foreign_exceptions, are_ordered_with_those_of_cpp) { EXPECT_TRUE(run("beside_ours")); }
TEST_P(foreign_exceptions, end_when_the_continuation_throws) {
  EXPECT_TRUE(run("dropped_for_the_continuations"));
}
TEST_P(foreign_exceptions, stay_with_handlers_that_fork) { EXPECT_TRUE(run("in_handlers")); }

INSTANTIATE_TEST_SUITE_P(at_workers, foreign_exceptions, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

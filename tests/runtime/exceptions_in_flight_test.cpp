// Exceptions in flight: destructors that fork while a strand unwinds, and what others know of it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <exception>
#include <stdexcept>
#include <thread>

#include "support/handled.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::handled;
using support::set;
using support::wait_briefly;
using support::wait_for_continuation;

struct forks_in_destructor {
  int in_flight;
  explicit forks_in_destructor(int expected) : in_flight(expected) {}
  forks_in_destructor(const forks_in_destructor&) = delete;
  forks_in_destructor& operator=(const forks_in_destructor&) = delete;
  ~forks_in_destructor() {
    NOPAL_CHECK(std::uncaught_exceptions() == in_flight);
    flag went_on{false};
    scope s;
    s.fork([&] {
      wait_briefly(went_on);
      NOPAL_CHECK(std::uncaught_exceptions() == in_flight);
    });
    NOPAL_CHECK(std::uncaught_exceptions() == in_flight);
    set(went_on);
    s.join();
    NOPAL_CHECK(std::uncaught_exceptions() == in_flight);
    NOPAL_CHECK(support::fib(10) == 55);
  }
};

NOPAL_PROGRAM(destructors_fork) {
  for (int i = 0; i < 200; ++i) {
    {
      const forks_in_destructor calm(0);
    }
    try {
      const forks_in_destructor unwinding(1);
      throw 1;
    } catch (const int) {
      NOPAL_CHECK(std::uncaught_exceptions() == 0);
      NOPAL_CHECK(handled() == 1);
    }
  }
  support::check_quiet();
  return 0;
}

/// Part of the function that it is a local of, whose scope outlives it.
class forks_on_outer_scope {
public:
  [[gnu::always_inline]] forks_on_outer_scope(scope& outer, flag& went_on, bool joins)
      : outer_(outer), went_on_(went_on), joins_(joins) {}
  forks_on_outer_scope(const forks_on_outer_scope&) = delete;
  forks_on_outer_scope& operator=(const forks_on_outer_scope&) = delete;
  [[gnu::always_inline]] ~forks_on_outer_scope() {
    try {
      outer_.fork([&went_on = went_on_] {
        wait_for_continuation(went_on);
        throw 1;
      });
      set(went_on_);
      if (joins_) outer_.join();
    } catch (const int thrown) {
      NOPAL_CHECK(thrown == 1);
    }
  }

private:
  scope& outer_;
  flag& went_on_;  // lives as long as the child, which the destructor may leave behind
  bool joins_;
};

[[gnu::noinline]] void leave_by_exception(bool joins) {
  flag went_on{false};
  scope outer;
  const forks_on_outer_scope last(outer, went_on, joins);
  throw 2;
}

NOPAL_PROGRAM(joins_where_it_forks) {
  for (int i = 0; i < 100; ++i) {
    int caught = 0;
    try {
      leave_by_exception(true);
    } catch (const int thrown) {
      caught = thrown;
    }
    NOPAL_CHECK(caught == 2 && std::uncaught_exceptions() == 0);
  }
  support::check_quiet();
  return 0;
}

/// The scope's end takes the exception in flight for one from before the scope's work, and throws the child's beside it.
NOPAL_PROGRAM(does_not_join_where_it_forks) {
  std::set_terminate([] { _exit(nopal::workers() > 1 ? 0 : 1); });
  int caught = 0;
  try {
    leave_by_exception(false);
  } catch (const int thrown) {
    caught = thrown;
  }
  return nopal::workers() == 1 && caught == 2 ? 0 : 1;
}

/// While one strand unwinds, the others know of no exception.
void unwind_beside_others() {
  flag unwinding{false};
  flag looked{false};
  struct signal_and_wait {
    flag& unwinding;
    flag& looked;
    ~signal_and_wait() {
      NOPAL_CHECK(std::uncaught_exceptions() == 1);
      set(unwinding);
      wait_for_continuation(looked);
      NOPAL_CHECK(std::uncaught_exceptions() == 1);
    }
  };
  flag went_on{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(went_on);
    try {
      const signal_and_wait local{unwinding, looked};
      throw 1;
    } catch (const int) {
    }
  });
  set(went_on);
  wait_for_continuation(unwinding);
  NOPAL_CHECK(std::uncaught_exceptions() == 0);
  set(looked);
  s.join();
  NOPAL_CHECK(std::uncaught_exceptions() == 0);
}

NOPAL_PROGRAM(strands_unwind_alone) {
  for (int i = 0; i < 300; ++i) unwind_beside_others();
  support::check_quiet();
  return 0;
}

/// A scope made during unwinding throws its child's exception only where that is allowed: inside the destructor.
struct joins_throwing_child {
  int& caught;
  ~joins_throwing_child() {
    try {
      flag went_on{false};
      scope s;
      s.fork([&] {
        wait_briefly(went_on);
        throw 7;
      });
      set(went_on);
      s.join();
    } catch (const int number) {
      caught = number;
    }
  }
};

/// The same, with the scope's destructor as the one that throws.
struct leaves_throwing_child {
  int& caught;
  ~leaves_throwing_child() {
    try {
      flag went_on{false};
      scope s;
      s.fork([&] {
        wait_briefly(went_on);
        throw 8;
      });
      set(went_on);
    } catch (const int number) {
      caught = number;
    }
  }
};

NOPAL_PROGRAM(child_throws_during_unwinding) {
  for (int i = 0; i < 200; ++i) {
    int joined = 0;
    int left = 0;
    int outer = 0;
    try {
      const joins_throwing_child first{joined};
      const leaves_throwing_child second{left};
      throw 9;
    } catch (const int number) {
      outer = number;
    }
    NOPAL_CHECK(joined == 7 && left == 8 && outer == 9);
    NOPAL_CHECK(std::uncaught_exceptions() == 0 && handled() == 0);
  }
  support::check_quiet();
  return 0;
}

class exceptions_in_flight : public support::program_at_workers {};

TEST_P(exceptions_in_flight, are_counted_in_destructors_that_fork) { EXPECT_TRUE(run("destructors_fork")); }
TEST_P(exceptions_in_flight, are_the_unwinding_strands_own) { EXPECT_TRUE(run("strands_unwind_alone")); }
TEST_P(exceptions_in_flight, let_children_throw) { EXPECT_TRUE(run("child_throws_during_unwinding")); }
TEST_P(exceptions_in_flight, let_inlined_destructors_fork_on_an_outer_scope_and_join) {
  EXPECT_TRUE(run("joins_where_it_forks"));
}
TEST_P(exceptions_in_flight, end_the_process_at_an_outer_scope_that_a_destructor_left_unjoined) {
  EXPECT_TRUE(run("does_not_join_where_it_forks"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, exceptions_in_flight, testing::Values(1, 2, 7, 300),
                         testing::PrintToStringParamName());

}  // namespace

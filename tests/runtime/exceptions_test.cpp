// Exceptions of children: which one leaves which join, and what happens to the others.
#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "support/counted.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

using counted::living;
using counted::thrown;

/// Counts as living while a scope's function has not unwound it.
class witness {
public:
  witness() { ++living; }
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;
  ~witness() { --living; }
};

/// The number that `body` throws; 0 if nothing.
template <class Body>
int number_thrown_by(Body body) {
  try {
    body();
  } catch (const thrown& caught) {
    return caught.number();
  }
  return 0;
}

void finish() {
  NOPAL_CHECK(living == 0);
  NOPAL_CHECK(std::uncaught_exceptions() == 0);
  NOPAL_CHECK(std::current_exception() == nullptr);
  support::check_quiet();
}

// Not known to the compiler, which would call a recursion that only an exception ends infinite.
volatile bool throwing = true;

void throw_number(int number) {
  const witness local;
  if (throwing) throw thrown(number);
}

void child_throws_unstolen() {
  const witness local;
  scope s;
  s.fork(throw_number, 1);
  s.join();
}

NOPAL_PROGRAM(from_any_child) {
  for (int i = 0; i < 2000; ++i) NOPAL_CHECK(number_thrown_by(child_throws_unstolen) == 1);
  finish();
  return 0;
}

void child_throws_stolen(bool& continued) {
  const witness local;
  flag went_on{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(went_on);
    throw_number(2);
  });
  set(went_on);
  continued = true;
  s.join();
}

NOPAL_PROGRAM(from_a_stolen_child) {
  for (int i = 0; i < 500; ++i) {
    bool continued = false;
    NOPAL_CHECK(number_thrown_by([&] { child_throws_stolen(continued); }) == 2);
    NOPAL_CHECK(continued == (nopal::workers() > 1));
  }
  finish();
  return 0;
}

/// All but the first finish in the reverse of their serial order.
void several_children_throw(int children, int first_to_throw) {
  const witness local;
  flag all_forked{false};
  std::atomic<int> turn{children - 1};
  scope s;
  for (int i = 0; i < children; ++i) {
    s.fork([&, i] {
      wait_for_continuation(all_forked);
      while (nopal::workers() > 1 && turn != i) std::this_thread::yield();
      --turn;
      if (i >= first_to_throw) throw_number(i + 1);
    });
  }
  set(all_forked);
  s.join();
}

NOPAL_PROGRAM(serially_first) {
  const int children = nopal::workers() > 5 ? 5 : nopal::workers() - 1;
  for (int round = 0; round < 200 && children > 0; ++round) {
    const int first = round % children;
    NOPAL_CHECK(number_thrown_by([&] { several_children_throw(children, first); }) == first + 1);
  }
  finish();
  return 0;
}

/// The loop as users write it: many children throw. Out of the join comes the serially first; a child that nobody
/// stole throws out of its fork, and then the scope drops what the stolen ones threw.
void throwing_loop(int first, bool& at_join) {
  scope s;
  for (int i = 0; i < 60; ++i) {
    s.fork([=] {
      support::burn(i * 7 % 13 * 200);
      if (i >= first && (i - first) % 3 == 0) throw_number(i + 1);
    });
  }
  at_join = true;
  s.join();
}

NOPAL_PROGRAM(serially_first_of_a_loop) {
  for (int round = 0; round < 300; ++round) {
    const int first = round % 50;
    bool at_join = false;
    const int number = number_thrown_by([&] { throwing_loop(first, at_join); });
    NOPAL_CHECK(at_join ? number == first + 1 : number > first && (number - 1 - first) % 3 == 0);
  }
  finish();
  return 0;
}

void continuation_throws(std::atomic<bool>& child_done, bool child_throws_too) {
  const witness local;
  flag went_on{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(went_on);
    support::burn(20000);
    child_done = true;
    if (child_throws_too) throw_number(4);
  });
  set(went_on);
  throw_number(3);
}

NOPAL_PROGRAM(in_the_continuation) {
  for (int i = 0; i < 300; ++i) {
    std::atomic<bool> child_done{false};
    const bool too = i % 2 == 1 && nopal::workers() > 1;
    NOPAL_CHECK(number_thrown_by([&] { continuation_throws(child_done, too); }) == 3);
    NOPAL_CHECK(child_done);  // the scope waited
  }
  finish();
  return 0;
}

void leave_scope_without_join() {
  const witness outer;
  {
    flag went_on{false};
    scope s;
    s.fork([&] {
      wait_for_continuation(went_on);
      throw_number(5);
    });
    set(went_on);
  }
  NOPAL_CHECK(nopal::workers() == 1);  // the destructor threw
}

NOPAL_PROGRAM(out_of_the_destructor) {
  for (int i = 0; i < 300; ++i) NOPAL_CHECK(number_thrown_by(leave_scope_without_join) == 5);
  finish();
  return 0;
}

/// Throws at the bottom; each level sees the exception pass, with its own child still running.
void nested(int depth) {
  const witness local;
  if (depth == 0) return throw_number(6);
  flag went_on{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(went_on);
    const witness in_child;
  });
  set(went_on);
  nested(depth - 1);
}

/// The same with the throwing level in the child.
void nested_in_children(int depth) {
  const witness local;
  if (depth == 0) return throw_number(7);
  scope s;
  s.fork(nested_in_children, depth - 1);
  support::burn(500);
  s.join();
}

NOPAL_PROGRAM(through_nested_scopes) {
  for (int i = 0; i < 100; ++i) {
    NOPAL_CHECK(number_thrown_by([] { nested(10); }) == 6);
    NOPAL_CHECK(number_thrown_by([] { nested_in_children(20); }) == 7);
  }
  finish();
  return 0;
}

int reuse_after_throw() {
  int sum = 0;
  scope s;
  for (int i = 0; i < 3; ++i) {
    flag went_on{false};
    try {
      s.fork([&] {
        wait_for_continuation(went_on);
        throw_number(8);
      });
      set(went_on);
      s.join();
    } catch (const thrown& caught) {
      sum += caught.number();
    }
  }
  return sum;
}

NOPAL_PROGRAM(scope_is_usable_again) {
  for (int i = 0; i < 100; ++i) NOPAL_CHECK(reuse_after_throw() == 24);
  finish();
  return 0;
}

struct copy_throws {
  copy_throws() = default;
  copy_throws(const copy_throws&) { throw std::runtime_error("copied"); }
  copy_throws& operator=(const copy_throws&) = default;
  ~copy_throws() = default;
};

// An argument whose copy throws leaves the fork before anything is forked.
NOPAL_PROGRAM(argument_copy_throws) {
  const copy_throws argument;
  bool child_ran = false;
  for (int i = 0; i < 100; ++i) {
    std::string what;
    try {
      scope s;
      s.fork([&child_ran](const copy_throws&) { child_ran = true; }, argument);
      s.join();
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    NOPAL_CHECK(what == "copied" && !child_ran);
  }
  finish();
  return 0;
}

struct assignment_throws {
  assignment_throws& operator=(int number) { throw thrown(number); }
};

// The assignment of the result is part of the child.
NOPAL_PROGRAM(result_assignment_throws) {
  for (int i = 0; i < 200; ++i) {
    NOPAL_CHECK(number_thrown_by([] {
                  assignment_throws out;
                  flag went_on{false};
                  scope s;
                  s.fork_into(out, [&] {
                    wait_for_continuation(went_on);
                    return 9;
                  });
                  set(went_on);
                  s.join();
                }) == 9);
  }
  finish();
  return 0;
}

/// A thrown object whose destructor computes in parallel.
struct forks_when_destroyed {
  forks_when_destroyed() { ++living; }
  forks_when_destroyed(const forks_when_destroyed&) { ++living; }
  forks_when_destroyed& operator=(const forks_when_destroyed&) = default;
  ~forks_when_destroyed() {
    --living;
    NOPAL_CHECK(support::fib(12) == 144);
  }
};

NOPAL_PROGRAM(dropped_exceptions_may_fork) {
  for (int i = 0; i < 100; ++i) {
    try {
      flag went_on{false};
      scope s;
      for (int child = 0; child < (nopal::workers() > 4 ? 4 : nopal::workers() - 1); ++child) {
        s.fork([&] {
          wait_for_continuation(went_on);
          throw forks_when_destroyed();
        });
      }
      set(went_on);
      s.join();
    } catch (const forks_when_destroyed&) {
      NOPAL_CHECK(living == 1);
    }
  }
  finish();
  return 0;
}

class exceptions : public support::program_at_workers {};

TEST_P(exceptions, leave_an_unstolen_child_at_once) { EXPECT_TRUE(run("from_any_child")); }
TEST_P(exceptions, leave_a_stolen_child_at_the_join) { EXPECT_TRUE(run("from_a_stolen_child")); }
TEST_P(exceptions, of_several_children_the_serially_first_wins) { EXPECT_TRUE(run("serially_first")); }
TEST_P(exceptions, of_a_loop_of_children_the_serially_first_wins) {
  EXPECT_TRUE(run("serially_first_of_a_loop"));
}
TEST_P(exceptions, in_the_continuation_wait_and_drop_the_childrens) {
  EXPECT_TRUE(run("in_the_continuation"));
}
TEST_P(exceptions, leave_the_destructor_of_an_unjoined_scope) { EXPECT_TRUE(run("out_of_the_destructor")); }
TEST_P(exceptions, pass_through_nested_scopes) { EXPECT_TRUE(run("through_nested_scopes")); }
TEST_P(exceptions, leave_a_scope_that_can_be_used_again) { EXPECT_TRUE(run("scope_is_usable_again")); }
TEST_P(exceptions, of_an_arguments_copy_leave_the_fork) { EXPECT_TRUE(run("argument_copy_throws")); }
TEST_P(exceptions, of_the_results_assignment_are_the_childs) { EXPECT_TRUE(run("result_assignment_throws")); }
TEST_P(exceptions, that_are_dropped_may_fork_in_their_destructors) {
  EXPECT_TRUE(run("dropped_exceptions_may_fork"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, exceptions, testing::Values(1, 2, 7, 300),
                         testing::PrintToStringParamName());

}  // namespace

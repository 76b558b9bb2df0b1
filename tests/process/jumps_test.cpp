// setjmp and longjmp around forks: what stays within a strand works on whichever stack it is, the rest is refused in a line.
#include "process/jumps.h"

#include <gtest/gtest.h>

#include <setjmp.h>

#include <csignal>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "process/jumping.hpp"
#include "support/strands.hpp"

// What a jump skips has no destructors, and what it keeps is volatile.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

namespace {

using jumping::fail;
using jumping::lingering_child;
using jumping::scribble;
using jumping::wait_for_inner;
using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

constexpr int rounds = 40;

[[gnu::noinline]] int returns_to_itself(int value) {
  jmp_buf error;
  volatile int local = value;
  flag went_on{false};
  flag jumped{false};
  scope s;
  const int failed = setjmp(error);
  if (failed == 0) {
    s.fork([&] {
      wait_for_continuation(went_on);
      lingering_child(jumped, wait_for_continuation);
    });
    set(went_on);
    local = local + 1;
    fail(error, value);
  }
  scribble();
  set(jumped);
  s.join();
  return local * 1000 + failed;
}

NOPAL_PROGRAM(jumps_to_the_function_that_forked) {
  for (int i = 1; i <= rounds; ++i) {
    NOPAL_CHECK(returns_to_itself(i) == (i + 1) * 1000 + i);
  }
  return 0;
}

/// setjmp where the strand is away already, a second steal, and the jump.
[[gnu::noinline]] int called_away(int value) {
  jmp_buf error;
  volatile int local = value;
  flag second{false};
  flag jumped{false};
  scope a;
  scope b;
  a.fork([&] { lingering_child(jumped, wait_for_inner); });
  const int failed = setjmp(error);
  if (failed == 0) {
    b.fork([&] {
      wait_for_inner(second);
      lingering_child(jumped, wait_for_inner);
    });
    set(second);
    local = local + 1;
    fail(error, value);
  }
  scribble();
  set(jumped);
  b.join();
  a.join();
  return local * 1000 + failed;
}

/// The same, and the jump after the join.
[[gnu::noinline]] int called_away_jumped_home(int value) {
  jmp_buf error;
  volatile int local = value;
  flag went_on{false};
  scope s;
  s.fork([&] { lingering_child(went_on, wait_for_inner); });
  const int failed = setjmp(error);
  if (failed == 0) {
    set(went_on);
    s.join();
    local = local + 1;
    fail(error, value);
  }
  return local * 1000 + failed;
}

NOPAL_PROGRAM(called_setjmp_where_it_was_away) {
  for (int i = 1; i <= rounds; ++i) {
    NOPAL_CHECK(called_away(i) == (i + 1) * 1000 + i);
    NOPAL_CHECK(called_away_jumped_home(i) == (i + 1) * 1000 + i);
  }
  return 0;
}

[[gnu::noinline]] int catches_its_own(int value) {
  jmp_buf error;
  const int failed = setjmp(error);
  if (failed == 0) fail(error, value);
  return failed;
}

NOPAL_PROGRAM(jumps_within_a_strand) {
  for (int i = 1; i <= rounds; ++i) {
    flag went_on{false};
    int inner = 0;
    scope s;
    s.fork([&] {
      NOPAL_CHECK(catches_its_own(i) == i);  // its continuation may be stolen
      wait_for_continuation(went_on);
      NOPAL_CHECK(catches_its_own(i) == i);  // or surely is
      scope below;
      flag below_went_on{false};
      below.fork([&] {
        wait_for_inner(below_went_on);
        NOPAL_CHECK(catches_its_own(i) == i);
      });
      set(below_went_on);
      NOPAL_CHECK(catches_its_own(i) == i);
      below.join();
      NOPAL_CHECK(catches_its_own(i) == i);
    });
    set(went_on);
    inner = catches_its_own(i);
    s.join();
    NOPAL_CHECK(inner == i && catches_its_own(i + 1) == i + 1);
  }
  return 0;
}

[[gnu::noinline]] void joins_and_fails(jmp_buf& to, int value) {
  flag went_on{false};
  {
    scope s;
    s.fork([&] { lingering_child(went_on, wait_for_inner); });
    set(went_on);
    s.join();
  }
  fail(to, value);
}

[[gnu::noinline]] int calls_what_joins_and_fails(int value) {
  jmp_buf error;
  const int failed = setjmp(error);
  if (failed == 0) joins_and_fails(error, value);
  return failed;
}

NOPAL_PROGRAM(jumps_past_what_is_joined) {
  for (int i = 1; i <= rounds; ++i) {
    NOPAL_CHECK(calls_what_joins_and_fails(i) == i);
    flag went_on{false};
    scope s;
    s.fork([&] {
      wait_for_continuation(went_on);
      NOPAL_CHECK(calls_what_joins_and_fails(i) == i);
    });
    set(went_on);
    NOPAL_CHECK(calls_what_joins_and_fails(i) == i);
    s.join();
  }
  return 0;
}

/// A tree of calls that fork and fail at all levels; whoever is stolen.
[[gnu::noinline]] long tree(int depth, unsigned seed) {
  if (depth == 0) return 1;
  jmp_buf error;
  volatile long x = 0;
  volatile long y = 0;
  volatile int failures = 0;
  long from_child = 0;
  scope s;
  if (setjmp(error) != 0) failures = failures + 1;
  if (failures < static_cast<int>(seed % 3)) {
    s.fork(tree, depth > 3 ? depth - 3 : 0, seed / 3);
    if (seed % 2 == 0) s.join();
    if (failures % 2 == 0) fail(error, 1);
    s.join();
    fail(error, 2);
  }
  s.join();
  s.fork_into(from_child, tree, depth - 1, seed * 1103515245U + 12345U);
  y = tree(depth - 1, seed * 69069U + 1U);
  s.join();
  x = from_child;
  return x + y;
}

NOPAL_PROGRAM(jumps_at_all_levels) {
  const auto seed = static_cast<unsigned>(std::random_device()());
  std::printf("seed %u\n", seed);
  for (unsigned i = 0; i < 20; ++i) NOPAL_CHECK(tree(8, seed + i) == 256);
  return 0;
}

struct c_flags {
  flag went_on{false};
  flag jumped{false};
};

NOPAL_PROGRAM(jumps_in_code_of_c) {
  for (int i = 1; i <= rounds; ++i) {
    c_flags flags;
    const int result = jumps_in_c(
        i,
        [](void* argument) {
          const auto& of_test = *static_cast<c_flags*>(argument);
          wait_for_continuation(of_test.went_on);
          lingering_child(of_test.jumped, wait_for_continuation);
        },
        &flags,
        [](void* argument, int jumped) {
          auto& of_test = *static_cast<c_flags*>(argument);
          scribble();
          set(jumped != 0 ? of_test.jumped : of_test.went_on);
        });
    NOPAL_CHECK(result == i);
  }
  return 0;
}

sigjmp_buf interrupted;

[[gnu::noinline]] int interrupts_itself() {
  const int signal = sigsetjmp(interrupted, 1);
  if (signal == 0) std::raise(SIGPROF);
  return signal;
}

NOPAL_PROGRAM(jumps_out_of_signal_handlers) {
  std::signal(SIGPROF, [](int signal) { siglongjmp(interrupted, signal); });
  for (int i = 0; i < rounds; ++i) {
    NOPAL_CHECK(interrupts_itself() == SIGPROF);
    flag went_on{false};
    scope s;
    s.fork([&] { wait_for_continuation(went_on); });
    NOPAL_CHECK(interrupts_itself() == SIGPROF);  // on the pool's stack
    set(went_on);
    s.join();
    sigset_t blocked;
    NOPAL_CHECK(pthread_sigmask(SIG_SETMASK, nullptr, &blocked) == 0 && sigismember(&blocked, SIGPROF) == 0);
  }
  return 0;
}

NOPAL_PROGRAM(jumps_on_threads_without_strands) {
  std::thread([] { NOPAL_CHECK(catches_its_own(7) == 7); }).join();
  NOPAL_CHECK(support::fib(12) == 144);
  NOPAL_CHECK(catches_its_own(8) == 8);
  std::thread([] { NOPAL_CHECK(catches_its_own(9) == 9); }).join();
  return 0;
}

// Volatile: the compiler must not know that a child never returns.
jmp_buf outside;

[[gnu::noinline]] void jump_outside() { fail(outside, 1); }

[[gnu::noinline]] int leaves_a_child(bool stolen, bool after_a_join) {
  volatile bool went = false;
  flag went_on{false};
  scope s;
  if (setjmp(outside) == 0) {
    s.fork([&, stolen, after_a_join] {
      if (stolen) wait_for_continuation(went_on);
      if (after_a_join) {
        flag below{false};
        scope inner;
        inner.fork([&] { wait_for_inner(below); });
        set(below);
        inner.join();
      }
      jump_outside();
    });
    went = true;
    set(went_on);
    s.join();
  }
  return went ? 3 : 0;
}

NOPAL_PROGRAM(leaves_an_unstolen_child) { return leaves_a_child(false, false); }
NOPAL_PROGRAM(leaves_a_stolen_child) { return leaves_a_child(true, false); }
NOPAL_PROGRAM(leaves_a_stolen_child_after_a_join) { return leaves_a_child(true, true); }

NOPAL_PROGRAM(leaves_a_child_of_c) {
  if (setjmp(outside) == 0) {
    jumps_out_of_a_child_in_c([](void*) { jump_outside(); }, nullptr);
  }
  return 0;
}

/// The handler is further out than the function that forked.
[[gnu::noinline]] void forks_a_child_that_leaves(bool stolen) {
  flag went_on{false};
  scope s;
  s.fork([&, stolen] {
    if (stolen) wait_for_continuation(went_on);
    jump_outside();
  });
  set(went_on);
  s.join();
}

NOPAL_PROGRAM(leaves_two_functions) {
  if (setjmp(outside) == 0) forks_a_child_that_leaves(true);
  return 0;
}

[[gnu::noinline]] void leaves_before_its_join() {
  flag never{false};
  scope s;
  s.fork([&] { wait_for_continuation(never); });
  jump_outside();
}

NOPAL_PROGRAM(leaves_its_children) {
  if (setjmp(outside) == 0) leaves_before_its_join();
  return 0;
}

class jumps : public support::program_at_workers {};

TEST_P(jumps, to_the_function_that_forked_work) { EXPECT_TRUE(run("jumps_to_the_function_that_forked")); }
TEST_P(jumps, to_where_setjmp_was_called_away_from_home_work) {
  EXPECT_TRUE(run("called_setjmp_where_it_was_away"));
}
TEST_P(jumps, within_a_strand_work) { EXPECT_TRUE(run("jumps_within_a_strand")); }
TEST_P(jumps, past_what_is_joined_work) { EXPECT_TRUE(run("jumps_past_what_is_joined")); }
TEST_P(jumps, at_all_levels_of_a_tree_work) { EXPECT_TRUE(run("jumps_at_all_levels")); }
TEST_P(jumps, in_code_of_c_work) { EXPECT_TRUE(run("jumps_in_code_of_c")); }
TEST_P(jumps, out_of_signal_handlers_work) { EXPECT_TRUE(run("jumps_out_of_signal_handlers")); }
TEST_P(jumps, on_threads_without_strands_are_the_c_librarys) {
  EXPECT_TRUE(run("jumps_on_threads_without_strands"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, jumps, testing::Values(1, 2, 7), testing::PrintToStringParamName());

/// One line and an abort.
void is_refused(const char* program, int workers, const std::string& why) {
  const support::outcome end = support::run_program(program, support::on_workers(workers));
  EXPECT_EQ(end.signal, SIGABRT) << end.description();
  EXPECT_EQ(end.err, "nopal: longjmp " + why + "\n");
}

constexpr const char* out_of_a_child =
    "out of a child that was forked: call setjmp in the child, or have it return its error";

TEST(refused_jumps, out_of_a_child_are_a_line_on_any_number_of_workers) {
  for (const int workers : {1, 2, 7}) {
    is_refused("leaves_an_unstolen_child", workers, out_of_a_child);
    is_refused("leaves_a_child_of_c", workers, out_of_a_child);
  }
}

TEST(refused_jumps, out_of_a_child_whose_continuation_was_stolen_are_the_same_line) {
  for (const int workers : {2, 7}) {
    is_refused("leaves_a_stolen_child", workers, out_of_a_child);
    is_refused("leaves_a_stolen_child_after_a_join", workers, out_of_a_child);
    is_refused("leaves_two_functions", workers, out_of_a_child);
  }
}

TEST(refused_jumps, out_of_a_function_with_children_are_a_line) {
  for (const int workers : {2, 7}) {
    is_refused("leaves_its_children", workers,
               "out of a function with children that are not joined: join its scopes before");
  }
}

}  // namespace

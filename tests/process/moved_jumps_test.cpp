// longjmp to a function that was on another stack when it called setjmp, with calls in between that forked and joined as well.
#include <gtest/gtest.h>

#include <setjmp.h>
#include <ucontext.h>

#include <csignal>
#include <memory>
#include <string>

#include <nopal/reducer.hpp>

#include "process/jumping.hpp"
#include "support/strands.hpp"

// What a jump skips has no destructors, and what it keeps is volatile.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

namespace {

using jumping::fail;
using jumping::lingering_child;
using jumping::wait_for_inner;
using nopal::scope;
using support::flag;
using support::set;

constexpr int rounds = 40;

/// Comes back to the stack that it is called on.
[[gnu::noinline]] void forks_and_joins() {
  flag went_on{false};
  scope s;
  s.fork([&] { lingering_child(went_on, wait_for_inner); });
  set(went_on);
  s.join();
}

[[gnu::noinline]] int called_at_home(int value) {
  jmp_buf error;
  flag jumped{false};
  scope s;
  const int failed = setjmp(error);
  if (failed == 0) {
    s.fork([&] { lingering_child(jumped, wait_for_inner); });
    forks_and_joins();
    fail(error, value);
  }
  set(jumped);
  s.join();
  return failed;
}

[[gnu::noinline]] int called_away(int value) {
  jmp_buf error;
  flag went_on{false};
  scope s;
  s.fork([&] { lingering_child(went_on, wait_for_inner); });
  const int failed = setjmp(error);
  if (failed == 0) {
    set(went_on);
    s.join();
    forks_and_joins();
    fail(error, value);
  }
  return failed;
}

/// The inner scope comes back to a stack that the function is away on.
[[gnu::noinline]] int called_away_from_away(int value) {
  jmp_buf error;
  flag jumped{false};
  flag inner_went_on{false};
  scope a;
  scope b;
  a.fork([&] { lingering_child(jumped, wait_for_inner); });
  b.fork([&] { lingering_child(inner_went_on, wait_for_inner); });
  const int failed = setjmp(error);
  if (failed == 0) {
    set(inner_went_on);
    b.join();
    forks_and_joins();
    fail(error, value);
  }
  set(jumped);
  a.join();
  return failed;
}

NOPAL_PROGRAM(jumps_after_calls_that_joined) {
  for (int i = 1; i <= rounds; ++i) {
    NOPAL_CHECK(called_at_home(i) == i);
    NOPAL_CHECK(called_away(i) == i);
    NOPAL_CHECK(called_away_from_away(i) == i);
  }
  return 0;
}

/// The second child jumps within itself while its function, which came to where the child runs, has gone on elsewhere and forked.
[[gnu::noinline]] int called_by_what_moves_on(int value) {
  int failed = 0;
  flag moved{false};
  flag moved_on{false};
  flag jumped{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(moved); });
  set(moved);
  s.fork([&] {
    support::wait_for_continuation(moved_on);
    jmp_buf error;
    failed = setjmp(error);
    if (failed == 0) fail(error, value);
    set(jumped);
  });
  s.fork([&] {
    set(moved_on);
    support::wait_for_continuation(jumped);
  });
  s.join();
  return failed;
}

NOPAL_PROGRAM(jumps_in_children_of_what_moves_on) {
  for (int i = 1; i <= rounds; ++i) NOPAL_CHECK(called_by_what_moves_on(i) == i);
  return 0;
}

constexpr int levels = 10;
jmp_buf errors[levels];

/// Each level has come home; the innermost jumps to `target`.
[[gnu::noinline]] int level(int number, int target) {
  volatile int local = number;
  flag went_on{false};
  scope s;
  s.fork([&] { lingering_child(went_on, wait_for_inner); });
  const int failed = setjmp(errors[number]);
  if (failed == 0) {
    set(went_on);
    s.join();
    if (number + 1 == levels) fail(errors[target], target + 1);
    return level(number + 1, target);
  }
  forks_and_joins();
  NOPAL_CHECK(local == number);
  return failed;
}

NOPAL_PROGRAM(jumps_out_of_many_levels) {
  for (int target = 0; target < levels; ++target) NOPAL_CHECK(level(0, target) == target + 1);
  return 0;
}

/// A sum whose reductions fail.
jmp_buf outside;
bool out_of_reductions = false;

struct jumping_sum {
  using value_type = long;
  static long identity() { return 0; }
  static void reduce(long& left, long&& right) {
    if (out_of_reductions) fail(outside, 1);
    jmp_buf error;
    if (setjmp(error) == 0) fail(error, 1);
    left += right;
  }
};

[[gnu::noinline]] void updates(nopal::reducer<jumping_sum>& sum) {
  flag went_on{false};
  scope s;
  s.fork([&] {
    support::wait_for_continuation(went_on);
    *sum += 1;
  });
  *sum += 2;
  set(went_on);
  s.join();
}

NOPAL_PROGRAM(jumps_within_reductions) {
  nopal::reducer<jumping_sum> sum;
  for (int i = 0; i < rounds; ++i) updates(sum);
  NOPAL_CHECK(sum.value() == 3 * rounds);
  return 0;
}

NOPAL_PROGRAM(leaves_a_reduction) {
  nopal::reducer<jumping_sum> sum;
  out_of_reductions = true;
  if (setjmp(outside) == 0) updates(sum);
  return 3;
}

int jumps_on_own_stack = 0;

void jump_on_own_stack() {
  jmp_buf error;
  if (setjmp(error) == 0) fail(error, 1);
  ++jumps_on_own_stack;
}

/// A strand that was stolen changes to a stack of the program's own, and comes back.
[[gnu::noinline]] void change_stacks(char* memory, std::size_t bytes) {
  flag went_on{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(went_on); });
  ucontext_t home;
  ucontext_t own;
  NOPAL_CHECK(getcontext(&own) == 0);
  own.uc_stack.ss_sp = memory;
  own.uc_stack.ss_size = bytes;
  own.uc_link = &home;
  makecontext(&own, jump_on_own_stack, 0);
  NOPAL_CHECK(swapcontext(&home, &own) == 0);
  set(went_on);
  s.join();
}

NOPAL_PROGRAM(jumps_on_stacks_of_its_own) {
  constexpr std::size_t bytes = std::size_t{256} << 10;
  const auto memory = std::make_unique<char[]>(bytes);
  for (int i = 1; i <= rounds; ++i) {
    change_stacks(memory.get(), bytes);
    NOPAL_CHECK(jumps_on_own_stack == i);
  }
  return 0;
}

/// In a strand that was stolen, so that its scope comes back to another stack than the one that the jump leads to.
[[gnu::noinline]] int leaves_a_reduction_elsewhere() {
  nopal::reducer<jumping_sum> sum;
  flag over{false};
  scope s;
  if (setjmp(outside) == 0) {
    s.fork([&] { support::wait_for_continuation(over); });
    out_of_reductions = true;
    updates(sum);
  }
  return 3;
}

NOPAL_PROGRAM(leaves_a_reduction_for_another_stack) { return leaves_a_reduction_elsewhere(); }

[[gnu::noinline]] void child_fails(jmp_buf& to) {
  scope s;
  s.fork([&to] { fail(to, 1); });
  s.join();
}

[[gnu::noinline]] int leaves_a_child_elsewhere() {
  jmp_buf error;
  flag over{false};
  scope s;
  if (setjmp(error) == 0) {
    s.fork([&] { support::wait_for_continuation(over); });
    child_fails(error);
  }
  return 3;
}

NOPAL_PROGRAM(leaves_a_child_for_another_stack) { return leaves_a_child_elsewhere(); }

/// For where its function was before it went on and forked elsewhere.
[[gnu::noinline]] int leaves_a_child_of_what_moves_on() {
  jmp_buf error;
  flag moved{false};
  flag moved_on{false};
  flag never{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(moved); });
  set(moved);
  if (setjmp(error) == 0) {
    s.fork([&] {
      support::wait_for_continuation(moved_on);
      fail(error, 1);
    });
    s.fork([&] {
      set(moved_on);
      support::wait_for_continuation(never);
    });
    s.join();
  }
  return 3;
}

NOPAL_PROGRAM(leaves_a_child_whose_function_moved_on) { return leaves_a_child_of_what_moves_on(); }

class moved_jumps : public support::program_at_workers {};

TEST_P(moved_jumps, after_calls_that_joined_work) { EXPECT_TRUE(run("jumps_after_calls_that_joined")); }
TEST_P(moved_jumps, in_children_of_functions_that_move_on_work) {
  EXPECT_TRUE(run("jumps_in_children_of_what_moves_on"));
}
TEST_P(moved_jumps, out_of_many_levels_work) { EXPECT_TRUE(run("jumps_out_of_many_levels")); }

TEST_P(moved_jumps, within_stacks_of_the_programs_own_work) {
  EXPECT_TRUE(run("jumps_on_stacks_of_its_own"));
}
TEST_P(moved_jumps, within_reductions_work) { EXPECT_TRUE(run("jumps_within_reductions")); }

INSTANTIATE_TEST_SUITE_P(at_workers, moved_jumps, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

/// The stack of the jump is the one that the outer function was on, as a rule.
[[gnu::noinline]] void leaves_its_children(jmp_buf& to) {
  flag never{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(never); });
  fail(to, 1);
}

[[gnu::noinline]] int calls_what_leaves_its_children() {
  jmp_buf error;
  flag went_on{false};
  scope s;
  s.fork([&] { lingering_child(went_on, support::wait_for_continuation); });
  if (setjmp(error) == 0) {
    set(went_on);
    s.join();
    leaves_its_children(error);
  }
  return 3;
}

NOPAL_PROGRAM(leaves_children_for_a_stack_of_before) { return calls_what_leaves_its_children(); }

TEST(refused_moved_jumps, to_a_stack_that_was_left_and_is_used_anew_are_a_line) {
  for (const int workers : {2, 7}) {
    for (int i = 0; i < 5; ++i) {
      const support::outcome end =
          support::run_program("leaves_children_for_a_stack_of_before", support::on_workers(workers));
      EXPECT_EQ(end.signal, SIGABRT) << end.description();
      EXPECT_EQ(
          end.err,
          "nopal: longjmp out of a function with children that are not joined: join its scopes before\n");
    }
  }
}

void expect_jump_out_of_child(const char* program) {
  for (const int workers : {2, 7}) {
    const support::outcome end = support::run_program(program, support::on_workers(workers));
    EXPECT_EQ(end.signal, SIGABRT) << end.description();
    EXPECT_EQ(
        end.err,
        "nopal: longjmp out of a child that was forked: call setjmp in the child, or have it return its "
        "error\n");
  }
}

TEST(refused_moved_jumps, out_of_a_child_to_another_stack_are_a_line) {
  expect_jump_out_of_child("leaves_a_child_for_another_stack");
}

TEST(refused_moved_jumps, out_of_a_child_of_a_function_that_moved_on_are_a_line) {
  expect_jump_out_of_child("leaves_a_child_whose_function_moved_on");
}

TEST(refused_moved_jumps, out_of_a_reduction_are_a_line) {
  // On two workers the continuation that reduces elsewhere would have no thief.
  const auto is_refused = [](const char* program, int workers) {
    const support::outcome end = support::run_program(program, support::on_workers(workers));
    EXPECT_EQ(end.signal, SIGABRT) << end.description();
    EXPECT_EQ(end.err, "nopal: longjmp out of a reduction: call setjmp in it, or have it throw\n");
  };
  for (int i = 0; i < 5; ++i) {
    for (const int workers : {2, 7}) is_refused("leaves_a_reduction", workers);
    for (const int workers : {3, 7}) is_refused("leaves_a_reduction_for_another_stack", workers);
  }
}

}  // namespace

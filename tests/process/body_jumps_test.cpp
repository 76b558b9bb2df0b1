// longjmp in bodies of algorithms, on threads that forked before and on others: within a body it works, out of one it is a line.
#include <gtest/gtest.h>

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <csignal>
#include <thread>

#include <nopal/detail/pinned.h>

#include "process/jumping.hpp"
#include "support/strands.hpp"

// What a jump skips has no destructors, and what it keeps is volatile.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

namespace {

using jumping::fail;
using nopal::scope;

jmp_buf outside;
[[gnu::noinline]] void jump_outside() { fail(outside, 1); }

[[gnu::noinline]] int catches_its_own(int value) {
  jmp_buf error;
  const int failed = setjmp(error);
  if (failed == 0) fail(error, value);
  return failed;
}

sigjmp_buf interrupted;

[[gnu::noinline]] int interrupts_itself() {
  const int signal = sigsetjmp(interrupted, 1);
  if (signal == 0) std::raise(SIGPROF);
  return signal;
}

/// On a thread that is a worker before the body, from within it, or not at all.
[[gnu::noinline]] void leaves_a_body(bool forked_before, bool forks_inside) {
  if (forked_before) support::use_runtime();
  if (setjmp(outside) == 0) {
    nopal::detail::call_pinned([&] {
      if (forks_inside) support::use_runtime();
      nopal::detail::call_pinned([] {});  // which is over
      jump_outside();
    });
  }
}

NOPAL_PROGRAM(leaves_a_body_without_forks) {
  leaves_a_body(false, false);
  return 0;
}
NOPAL_PROGRAM(leaves_a_body_that_forked) {
  leaves_a_body(false, true);
  return 0;
}
NOPAL_PROGRAM(leaves_a_body_after_forks) {
  leaves_a_body(true, false);
  return 0;
}
NOPAL_PROGRAM(leaves_a_body_on_another_thread) {
  support::use_runtime();
  std::thread([] { leaves_a_body(false, false); }).join();
  return 0;
}
NOPAL_PROGRAM(leaves_two_bodies) {
  if (setjmp(outside) == 0) {
    nopal::detail::call_pinned([] { nopal::detail::call_pinned([] { jump_outside(); }); });
  }
  return 0;
}

/// In a body on a stack of the pool.
NOPAL_PROGRAM(leaves_a_child_in_a_body) {
  support::flag went_on{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(went_on); });
  nopal::detail::call_pinned([] {
    if (setjmp(outside) == 0) {
      scope inner;
      inner.fork(jump_outside);
      inner.join();
    }
  });
  support::set(went_on);
  s.join();
  return 0;
}

NOPAL_PROGRAM(jumps_in_bodies_without_forks) {
  const auto jump_within = [] { NOPAL_CHECK(catches_its_own(5) == 5); };
  jump_within();
  nopal::detail::call_pinned(jump_within);
  jump_within();
  nopal::detail::call_pinned([&] {
    jump_within();
    nopal::detail::call_pinned(jump_within);
    jump_within();
    support::use_runtime();
    jump_within();
    nopal::detail::call_pinned(jump_within);
    jump_within();
  });
  jump_within();
  try {
    nopal::detail::call_pinned([] { throw 1; });
  } catch (const int) {
    jump_within();
  }
  return 0;
}

/// In a handler on a signal stack, jumps to the code that was interrupted; that stack may lie on either side.
NOPAL_PROGRAM(jumps_in_bodies_from_signal_stacks) {
  static char memory[1 << 16];
  const stack_t stack{memory, 0, sizeof memory};
  NOPAL_CHECK(sigaltstack(&stack, nullptr) == 0);
  struct sigaction action{};
  action.sa_handler = [](int signal) {
    NOPAL_CHECK(catches_its_own(3) == 3);
    siglongjmp(interrupted, signal);
  };
  action.sa_flags = SA_ONSTACK;
  NOPAL_CHECK(sigaction(SIGPROF, &action, nullptr) == 0);
  nopal::detail::call_pinned([] { NOPAL_CHECK(interrupts_itself() == SIGPROF); });
  NOPAL_CHECK(interrupts_itself() == SIGPROF);
  return 0;
}

/// Stacks of the program's own, between which it jumps.
struct coroutine {
  static constexpr std::size_t bytes = 1 << 16;
  ucontext_t before;
  ucontext_t context;
  jmp_buf inside;
  jmp_buf caller;
  char* memory;
  bool is_over = false;
};
coroutine* started = nullptr;

void coroutine_body() {
  coroutine* const self = started;
  if (setjmp(self->inside) == 0) swapcontext(&self->context, &self->before);
  for (;;) {
    NOPAL_CHECK(catches_its_own(4) == 4);
    if (setjmp(self->inside) == 0) longjmp(self->caller, 1);
  }
}

[[gnu::noinline]] void go_on(coroutine& with) {
  if (setjmp(with.caller) == 0) longjmp(with.inside, 1);
}

NOPAL_PROGRAM(jumps_in_bodies_between_stacks) {
  coroutine other;
  // Above the stacks of threads that are made later.
  void* const memory =
      mmap(nullptr, coroutine::bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  NOPAL_CHECK(memory != MAP_FAILED);
  other.memory = static_cast<char*>(memory);
  getcontext(&other.context);
  other.context.uc_stack.ss_sp = other.memory;
  other.context.uc_stack.ss_size = coroutine::bytes;
  other.context.uc_link = nullptr;
  makecontext(&other.context, coroutine_body, 0);
  started = &other;
  swapcontext(&other.before, &other.context);
  const auto both_ways = [&] {
    go_on(other);
    nopal::detail::call_pinned([&] {
      go_on(other);
      nopal::detail::call_pinned([&] { go_on(other); });
    });
    go_on(other);
  };
  both_ways();
  std::thread(both_ways).join();  // whose stack lies elsewhere
  both_ways();
  munmap(memory, coroutine::bytes);
  return 0;
}

class body_jumps : public support::program_at_workers {};

TEST_P(body_jumps, within_a_body_work) { EXPECT_TRUE(run("jumps_in_bodies_without_forks")); }
TEST_P(body_jumps, out_of_signal_stacks_work) { EXPECT_TRUE(run("jumps_in_bodies_from_signal_stacks")); }
TEST_P(body_jumps, between_stacks_of_the_program_work) { EXPECT_TRUE(run("jumps_in_bodies_between_stacks")); }
TEST_P(body_jumps, out_of_a_body_are_a_line_whether_its_thread_forked_or_not) {
  for (const char* const program :
       {"leaves_a_body_without_forks", "leaves_a_body_that_forked", "leaves_a_body_after_forks",
        "leaves_a_body_on_another_thread", "leaves_two_bodies"}) {
    const support::outcome end = support::run_program(program, support::on_workers(GetParam()));
    EXPECT_EQ(end.signal, SIGABRT) << program << " " << end.description();
    EXPECT_EQ(end.err, "nopal: longjmp out of a body of an algorithm: call setjmp in the body\n") << program;
  }
}
TEST_P(body_jumps, out_of_a_child_in_a_body_are_a_line) {
  const support::outcome end =
      support::run_program("leaves_a_child_in_a_body", support::on_workers(GetParam()));
  EXPECT_EQ(end.signal, SIGABRT) << end.description();
  EXPECT_EQ(end.err,
            "nopal: longjmp out of a child that was forked: call setjmp in the child, or have it return its "
            "error\n");
}

INSTANTIATE_TEST_SUITE_P(at_workers, body_jumps, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

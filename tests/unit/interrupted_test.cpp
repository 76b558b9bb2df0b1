// A question by signal at each instruction: a thread runs step by step, and before a chosen instruction it is asked for its
// latent forks, wherever it is then: in its own code, at a fork, in a slow push, in the scheduler.
#include <gtest/gtest.h>

#include <nopal/nopal.hpp>

#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "deque/latent_mode.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/runtime.hpp"
#include "support/foreign_exception.hpp"
#include "support/latent.hpp"

// On their ways out and back a strand is left: nothing called what runs there.
void leave_at_join() __asm__("nopal_suspend_at_join");
void leave_at_end() __asm__("nopal_child_done");
void come_back() __asm__("nopal_resume");
void come_back_with_views() __asm__("nopal_resume_and_merge");

namespace {

namespace internal = nopal::internal;

constexpr std::uint64_t trap_flag = 0x100;

// Of the thread that runs step by step. What it runs may end on another.
std::atomic<bool> stepping{false};
std::atomic<std::uint64_t> steps{0};
std::uint64_t first_question = 0;
std::uint64_t between_questions = 0;  ///< 0: there is one
std::atomic<std::uint64_t> questions{0};
support::flag* hungry;  ///< set: there is a thief

bool is_asked_now(std::uint64_t step) {
  if (step < first_question) return false;
  return between_questions == 0 ? step == first_question : (step - first_question) % between_questions == 0;
}

/// The signal that asks is blocked here: it arrives where the thread was interrupted.
void on_step(int, siginfo_t*, void* context) {
  const bool asks = is_asked_now(++steps);
  // After the only question the thread runs freely.
  if (!stepping || (asks && between_questions == 0)) {
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~std::int64_t{trap_flag};
  }
  internal::worker* const self = internal::this_worker();
  if (!asks || self == nullptr) return;
  internal::worker* const first = internal::thread_worker(self);
  // However the last answers were.
  first->not_asked_for.store(0, std::memory_order_relaxed);
  std::uint32_t state = internal::nothing_latent;
  first->asking.compare_exchange_strong(state, internal::not_asked);
  if (internal::ask(self, self)) ++questions;
  support::set(*hungry);
}

[[gnu::always_inline]] inline void begin_to_step() {
  steps = 0;
  stepping = true;
  __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
                   :
                   : "i"(trap_flag)
                   : "memory", "cc");
}
long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  nopal::scope s;
  s.fork_into(a, fib, n - 1);
  const long b = fib(n - 2);
  s.join();
  return a + b;
}

/// Called in place, since it throws nothing.
long fib_in_place(int n) noexcept {
  if (n < 2) return n;
  long a = 0;
  nopal::scope s;
  s.fork_into(a, fib_in_place, n - 1);
  const long b = fib_in_place(n - 2);
  s.join();
  return a + b;
}

/// Children that copy their arguments, and forks in both halves.
long lengths(int depth, std::string text) {
  if (depth == 0) return static_cast<long>(text.size());
  long a = 0;
  nopal::scope s;
  s.fork_into(a, lengths, depth - 1, text + "0123456789abcdef");
  const long b = lengths(depth - 1, text);
  s.join();
  return a + b;
}

void throw_below(int depth) {
  if (depth == 0) throw std::runtime_error("thrown");
  nopal::scope s;
  s.fork(throw_below, depth - 1);
  s.join();
}
long caught() {
  try {
    throw_below(2);
  } catch (const std::runtime_error&) {
    return 1;
  }
  return 0;
}

/// The same with an exception that no C++ runtime counts as in flight.
void throw_foreign_below(int depth) {
  if (depth == 0) support::raise_foreign(7);
  nopal::scope s;
  s.fork(throw_foreign_below, depth - 1);
  s.join();
}
long caught_foreign() {
  return support::foreign_number_thrown_by([] { throw_foreign_below(2); });
}

std::atomic<bool> in_vain{false};

/// A leaf that goes on only once its parent's continuation runs elsewhere, or, in vain, after a while.
void waits(support::flag* went_on) {
  using clock = std::chrono::steady_clock;
  clock::time_point until{};
  for (long looks = 1; !went_on->load(std::memory_order_acquire) && !in_vain; ++looks) {
    if (looks % 4096 != 0) continue;
    if (until == clock::time_point()) until = clock::now() + std::chrono::seconds(10);
    in_vain = clock::now() > until;
  }
}
void waits_in_place(support::flag* went_on) noexcept { waits(went_on); }

template <auto leaf>
long is_taken() {
  support::flag went_on{false};
  in_vain = false;
  nopal::scope s;
  s.fork(leaf, &went_on);
  support::set(went_on);
  s.join();
  return in_vain ? 0 : 1;
}

long calls_fib() { return fib(5); }
long calls_fib_in_place() { return fib_in_place(5); }
long calls_lengths() { return lengths(2, "text"); }

/// The program's forks are latent until the first question, and from then on there is a thief.
long stepped(long (*program)(), std::uint64_t first, std::uint64_t between) {
  long result = 0;
  support::before_thieves_are_hungry([program, first, between, &result](support::flag& release) {
    hungry = &release;
    first_question = first;
    between_questions = between;
    begin_to_step();
    result = program();
    stepping = false;
    support::set(release);
  });
  return result;
}

/// The same on a thread of the pool, without any other fork that could be had.
long stepped_alone(long (*program)(), std::uint64_t first) {
  long result = -1;
  support::flag taken{false};
  support::flag release{false};
  hungry = &release;
  first_question = first;
  between_questions = 0;
  nopal::scope s;
  s.fork([&taken, &release] {
    support::wait_until(taken);
    support::wait_until(release);
  });
  support::set(taken);
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
  [] {
    nopal::scope eager;  // the first of a strand
    eager.fork([] {});
    eager.join();
  }();
  begin_to_step();
  result = program();
  stepping = false;
  support::set(release);
  s.join();
  return result;
}

// --- Unwinding from each instruction. --------------------------------------------------------------------------------

bool leaves_or_enters(std::uint64_t ip) {
  const void* const function = _Unwind_FindEnclosingFunction(reinterpret_cast<char*>(ip) + 1);
  for (void (*const one)() : {leave_at_join, leave_at_end, come_back, come_back_with_views}) {
    if (function == reinterpret_cast<const void*>(one)) return true;
  }
  return false;
}

struct unwound {
  std::uint64_t functions = 0;
  std::uint64_t outermost = 0;
};
std::uint64_t shortest = 0;  ///< functions in a backtrace from the strand that runs step by step
std::uint64_t short_at = 0;  ///< the step
std::int64_t short_ip = 0;   ///< the instruction

/// Asks now and then, and looks at how far an unwinder comes from here.
void on_step_that_unwinds(int number, siginfo_t* info, void* context) {
  on_step(number, info, context);
  internal::worker* const self = internal::this_worker();
  if (self == nullptr || internal::get(self->deque.strand.stack) == nullptr) return;
  unwound all;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* to) {
        auto& known = *static_cast<unwound*>(to);
        if (_Unwind_GetIP(frame) == 0) return _URC_END_OF_STACK;
        ++known.functions;
        known.outermost = _Unwind_GetIP(frame);
        return _URC_NO_REASON;
      },
      &all);
  if (all.functions < shortest && !leaves_or_enters(all.outermost)) {
    shortest = all.functions;
    short_at = steps;
    short_ip = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  }
}

class interrupted : public testing::Test {
protected:
  void SetUp() override {
#if !NOPAL_HAS_LATENT_FORKS
    GTEST_SKIP() << "forks are not latent here";
#endif
    nopal::configure({.workers = 2});
    fib(10);  // the runtime runs, and the thread is a worker
    const internal::locked guard(internal::the_runtime());
    if (nopal_latent_forks_used == 0) GTEST_SKIP() << "the system finds no unwind tables without a lock";
    struct sigaction action = {};
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO;
    sigfillset(&action.sa_mask);
    sigaction(SIGTRAP, &action, nullptr);
  }

  void TearDown() override { nopal::shutdown(); }

  static void at_each_instruction(long (*program)(), std::uint64_t most) {
    const long expected = program();
    const std::uint64_t before = questions;
    std::uint64_t at = 1;
    for (; at <= most; ++at) {
      ASSERT_EQ(stepped(program, at, 0), expected) << "asked before instruction " << at;
      if (steps < at) break;  // the program is over before
    }
    EXPECT_GT(questions - before, (at - 1) / 2);
    EXPECT_GT(nopal::stats().total.promotions, 0U);
  }
};

TEST_F(interrupted, at_each_instruction_of_forks_and_joins) { at_each_instruction(calls_fib, 1500); }
TEST_F(interrupted, at_each_instruction_of_forks_whose_children_are_called_in_place) {
  at_each_instruction(calls_fib_in_place, 1500);
}
TEST_F(interrupted, at_each_instruction_of_children_that_copy_their_arguments) {
  at_each_instruction(calls_lengths, 1500);
}
TEST_F(interrupted, at_each_instruction_of_a_throw_and_its_way) {
  // Most of it is the C++ library's, over and over.
  for (std::uint64_t at = 1; at <= 20000; at += 149) {
    ASSERT_EQ(stepped(caught, at, 0), 1) << "asked before instruction " << at;
    if (steps < at) break;
  }
}
TEST_F(interrupted, at_each_instruction_of_the_way_of_another_languages_exception) {
  for (std::uint64_t at = 1; at <= 20000; at += 397) {
    ASSERT_EQ(stepped(caught_foreign, at, 0), 7) << "asked before instruction " << at;
    if (steps < at) break;
  }
}
/// Between its look and its call a fork is about to be latent: that there is nothing to be had would be wrong.
TEST_F(interrupted, at_each_instruction_of_the_only_fork_whose_child_waits_for_the_continuation) {
  for (std::uint64_t at = 1; at <= 150; ++at) {
    ASSERT_EQ(stepped_alone(is_taken<waits>, at), 1) << "asked before instruction " << at;
    ASSERT_EQ(stepped_alone(is_taken<waits_in_place>, at), 1) << "asked before instruction " << at;
  }
}
/// The tables of the library's own code, and of forks, tell the truth at each: in slow pushes, promotions, joins.
TEST_F(interrupted, unwinders_find_the_whole_chain_at_each_instruction) {
  struct sigaction action = {};
  action.sa_sigaction = on_step_that_unwinds;
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  sigaction(SIGTRAP, &action, nullptr);
  for (const auto program : {calls_fib, calls_fib_in_place, calls_lengths}) {
    const long expected = program();
    shortest = ~std::uint64_t{0};
    ASSERT_EQ(stepped(program, 1, 23), expected);
    // gtest's functions, and main, are below.
    EXPECT_GE(shortest, 15U) << "before instruction " << short_at << " at " << std::hex << short_ip;
    EXPECT_NE(short_at, 0U);
  }
}
TEST_F(interrupted, again_and_again) {
  for (std::uint64_t between = 1; between <= 60; between += 7) {
    ASSERT_EQ(stepped(calls_fib, 1, between), 5) << "asked every " << between << " instructions";
    ASSERT_EQ(stepped(calls_fib_in_place, 1, between), 5) << "asked every " << between << " instructions";
    ASSERT_EQ(stepped(calls_lengths, 1, between), calls_lengths())
        << "asked every " << between << " instructions";
    ASSERT_EQ(stepped(caught, 1, between + 30), 1) << "asked every " << between + 30 << " instructions";
  }
}

}  // namespace

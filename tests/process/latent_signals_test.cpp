// The signals that ask threads for their latent forks, and what a program does with signals itself: masks, timers, stacks for
// handlers, calls that signals interrupt.
#include <gtest/gtest.h>

#include <execinfo.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "latent_signals.hpp"

namespace {

using nopal::scope;
using signals::nested;
using signals::sends_signals;
using signals::use_polls;
using signals::use_signals;
using support::before_thieves_are_hungry;
using support::flag;
using support::set;

/// A user with too many signals in queues gets no more values with them, so a question is not told from others.
NOPAL_PROGRAM(without_room_for_values) {
  rlimit none{0, 0};
  NOPAL_CHECK(getrlimit(RLIMIT_SIGPENDING, &none) == 0);
  none.rlim_cur = 0;
  NOPAL_CHECK(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
  for (int round = 0; round < 20; ++round) use_signals();
  if (sends_signals()) NOPAL_CHECK(support::promotions() > 0);
  return 0;
}

/// Code that may be run and not be read, as compilers at run time write it. On a processor without protection keys it may be
/// read all the same.
NOPAL_PROGRAM(in_code_that_cannot_be_read) {
  constexpr unsigned char counts_down[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};  // dec rdi; jnz; ret
  void* const code = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  NOPAL_CHECK(code != MAP_FAILED);
  std::memcpy(code, counts_down, sizeof counts_down);
  NOPAL_CHECK(mprotect(code, 4096, PROT_EXEC) == 0);
  const auto count_down = reinterpret_cast<void (*)(long)>(code);
  for (int round = 0; round < 10; ++round) {
    before_thieves_are_hungry([count_down](flag& release) {
      scope s;
      s.fork([&] {
        set(release);
        count_down(20'000'000);
      });
      s.join();
    });
  }
  return 0;
}

// --- Masks. ----------------------------------------------------------------------------------------------------------

NOPAL_PROGRAM(blocked_in_the_first_thread) {
  sigset_t urgent_alone;
  sigemptyset(&urgent_alone);
  sigaddset(&urgent_alone, SIGURG);
  NOPAL_CHECK(pthread_sigmask(SIG_BLOCK, &urgent_alone, nullptr) == 0);
  for (int round = 0; round < 20; ++round) use_polls(round + 1);
  for (int round = 0; round < 20; ++round) NOPAL_CHECK(support::fib(18) == 2584);
  sigset_t now;
  NOPAL_CHECK(pthread_sigmask(SIG_SETMASK, nullptr, &now) == 0 && sigismember(&now, SIGURG) == 1);
  support::check_quiet();
  return 0;
}

// --- Timers and profilers. -------------------------------------------------------------------------------------------

std::atomic<long> samples{0};
std::atomic<long> frames_seen{0};

void on_sample(int) {
  void* frames[200];
  frames_seen += backtrace(frames, 200);
  ++samples;
}

/// Enough work for some samples, with forks at each step.
NOPAL_PROGRAM(profiled) {
  void* frames[4];
  static_cast<void>(backtrace(frames, 4));  // loads what it needs
  struct sigaction action = {};
  action.sa_handler = on_sample;
  action.sa_flags = SA_RESTART;
  NOPAL_CHECK(sigaction(SIGPROF, &action, nullptr) == 0);
  itimerval each_millisecond{};
  each_millisecond.it_interval.tv_usec = 1000;
  each_millisecond.it_value.tv_usec = 1000;
  NOPAL_CHECK(setitimer(ITIMER_PROF, &each_millisecond, nullptr) == 0);
  for (int round = 0; samples < 40; ++round) {
    // Some milliseconds: the rest of a round gives the processor away, to whoever else wants it.
    NOPAL_CHECK(support::fib(29) == 514229);
    use_signals(round * 4 % 30 + 1);
    use_polls(round * 4 % 30 + 1);
  }
  NOPAL_CHECK(frames_seen > samples);
  return 0;
}

// --- Stacks for handlers. --------------------------------------------------------------------------------------------

alignas(16) char handlers_stack[1 << 16];

NOPAL_PROGRAM(with_a_stack_for_handlers) {
  stack_t stack{};
  stack.ss_sp = handlers_stack;
  stack.ss_size = sizeof handlers_stack;
  NOPAL_CHECK(sigaltstack(&stack, nullptr) == 0);
  for (int round = 0; round < 20; ++round) use_signals(round + 1);
  stack_t after{};
  NOPAL_CHECK(sigaltstack(nullptr, &after) == 0 && after.ss_sp == handlers_stack);
  if (sends_signals()) NOPAL_CHECK(support::promotions() > 0);
  support::check_quiet();
  return 0;
}

// --- Calls that wait. ------------------------------------------------------------------------------------------------

/// A leaf reads what the continuation of the outermost fork writes. The signal that promotes that fork interrupts the call.
NOPAL_PROGRAM(while_it_reads) {
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    NOPAL_CHECK(pipe(ends) == 0);
    before_thieves_are_hungry([&](flag& release) {
      char got = 0;
      const auto leaf = [&] {
        set(release);
        if (nopal::workers() > 1) NOPAL_CHECK(read(ends[0], &got, 1) == 1);
      };
      scope s;
      s.fork([&] {
        flag ignored{false};
        NOPAL_CHECK(nested(leaf, ignored, 4) == 4);
      });
      NOPAL_CHECK(write(ends[1], "x", 1) == 1);
      s.join();
      NOPAL_CHECK(got == 'x' || nopal::workers() == 1);
    });
    NOPAL_CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  }
  return 0;
}

/// The kernel restarts no select(2), whatever a handler asks for.
NOPAL_PROGRAM(while_it_selects) {
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    NOPAL_CHECK(pipe(ends) == 0);
    before_thieves_are_hungry([&](flag& release) {
      const auto leaf = [&] {
        set(release);
        if (nopal::workers() == 1) return;
        fd_set wanted;
        int ready;
        do {
          FD_ZERO(&wanted);
          FD_SET(ends[0], &wanted);
          ready = select(ends[0] + 1, &wanted, nullptr, nullptr, nullptr);
        } while (ready < 0 && errno == EINTR);
        NOPAL_CHECK(ready == 1 && FD_ISSET(ends[0], &wanted));
      };
      scope s;
      s.fork([&] {
        flag ignored{false};
        NOPAL_CHECK(nested(leaf, ignored, 4) == 4);
      });
      NOPAL_CHECK(write(ends[1], "x", 1) == 1);
      s.join();
    });
    NOPAL_CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  }
  return 0;
}

/// What is in `errno` is the program's.
NOPAL_PROGRAM(while_it_keeps_an_error) {
  for (int round = 0; round < 20; ++round) {
    before_thieves_are_hungry([](flag& release) {
      flag went_on{false};
      const auto leaf = [&] {
        set(release);
        errno = 123;
        if (nopal::workers() > 1) {
          while (!went_on.load(std::memory_order_acquire)) support::burn(100);
        }
        NOPAL_CHECK(errno == 123);
      };
      NOPAL_CHECK(nested(leaf, went_on, 3) == 3);
    });
  }
  return 0;
}

/// The scheduler's own setting.
NOPAL_PROGRAM(forks_once) {
  use_polls();
  return 0;
}

class latent_signals : public support::program_at_workers {};

TEST_P(latent_signals, may_arrive_without_a_value) { EXPECT_TRUE(run("without_room_for_values")); }
TEST_P(latent_signals, may_arrive_in_code_that_cannot_be_read) {
  EXPECT_TRUE(run("in_code_that_cannot_be_read"));
}
TEST_P(latent_signals, may_be_blocked) { EXPECT_TRUE(run("blocked_in_the_first_thread")); }
TEST_P(latent_signals, come_beside_a_profilers) { EXPECT_TRUE(run("profiled")); }
TEST_P(latent_signals, may_arrive_on_a_stack_of_their_own) { EXPECT_TRUE(run("with_a_stack_for_handlers")); }
TEST_P(latent_signals, restart_a_call_that_reads) { EXPECT_TRUE(run("while_it_reads")); }
TEST_P(latent_signals, interrupt_a_call_that_selects) { EXPECT_TRUE(run("while_it_selects")); }
TEST_P(latent_signals, keep_the_number_of_an_error) { EXPECT_TRUE(run("while_it_keeps_an_error")); }
TEST_P(latent_signals, that_do_not_exist_are_refused_in_one_line) {
  for (const char* const signal :
       {"nonsense", "KILL", "SEGV", "0", "9", "34", "65", "-1", "urg", "SIG", "SIGSIGURG", "23 "}) {
    const support::outcome seen = support::run_program(
        "forks_once", {{"NOPAL_WORKERS", std::to_string(GetParam())}, {"NOPAL_SIGNAL", signal}});
    EXPECT_EQ(seen.exit_code, 2) << signal << ' ' << seen.description();
    EXPECT_EQ(
        seen.err.rfind(std::string("nopal: NOPAL_SIGNAL=") + signal + ": not understood; accepted: ", 0), 0U)
        << seen.err;
    EXPECT_EQ(seen.err.find('\n'), seen.err.size() - 1) << seen.err;
  }
}

INSTANTIATE_TEST_SUITE_P(at_workers, latent_signals, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace

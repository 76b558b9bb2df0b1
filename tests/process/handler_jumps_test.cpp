// siglongjmp in signal handlers that interrupt the scheduler: within the handler it works, out of it it is refused.
#include <gtest/gtest.h>

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <thread>

#include "support/strands.hpp"

// What a jump skips has no destructors, and what it keeps is volatile.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

constexpr int rounds = 40;

/// Sleeps in the kernel, and is in no code of its own.
bool sleeps(pid_t thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(thread));
  std::FILE* const file = std::fopen(path, "r");
  NOPAL_CHECK(file != nullptr);
  char text[256] = {};
  NOPAL_CHECK(std::fread(text, 1, sizeof text - 1, file) > 0);
  std::fclose(file);
  const char* const name_end = std::strrchr(text, ')');
  NOPAL_CHECK(name_end != nullptr);
  return name_end[2] == 'S';
}

/// Calls `meanwhile` while the calling thread waits at its join and sleeps there; it is told who that is.
template <class Call>
[[gnu::noinline]] void wait_at_a_join(Call meanwhile) {
  flag went_on{false};
  flag child_over{false};
  const pthread_t root = pthread_self();
  const pid_t root_id = support::thread_id();
  scope s;
  s.fork([&] {
    wait_for_continuation(went_on);
    set(child_over);
  });
  set(went_on);
  while (!child_over.load() || !sleeps(root_id)) std::this_thread::yield();
  meanwhile(root);
  s.join();
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  NOPAL_CHECK(sigaction(signal, &action, nullptr) == 0);
}

std::atomic<int> handled{0};
sigjmp_buf within;

/// A handler that probes something, as a collector or profiler does: its own handler may jump back into it.
void jumps_within_itself(int) {
  sigjmp_buf here;
  if (sigsetjmp(here, 1) == 0) siglongjmp(here, 1);
  if (sigsetjmp(within, 1) == 0) {
    std::raise(SIGTRAP);
    NOPAL_CHECK(false);
  }
  handled.fetch_add(1);
}

[[noreturn]] void jumps_within(int) { siglongjmp(within, 1); }

/// SIGUSR1 and SIGPROF, and what they raise, on the stack that is interrupted or on the signal stack.
template <class Try>
void with_handlers(Try attempt) {
  for (const int outer : {0, SA_ONSTACK}) {
    for (const int inner : {0, SA_ONSTACK}) {
      handle(SIGUSR1, jumps_within_itself, outer);
      handle(SIGPROF, jumps_within_itself, outer);
      handle(SIGTRAP, jumps_within, inner);  // which threads of the pool do not block
      attempt();
    }
  }
}

NOPAL_PROGRAM(jumps_within_handlers_of_a_thread_that_waits) {
  with_handlers([] {
    for (int i = 0; i < rounds; ++i) {
      const int before = handled;
      wait_at_a_join([before](pthread_t root) {
        NOPAL_CHECK(pthread_kill(root, SIGUSR1) == 0);
        while (handled == before) std::this_thread::yield();
      });
    }
  });
  NOPAL_CHECK(support::fib(12) == 144);
  return 0;
}

alignas(16) char memory_of_handler[std::size_t{64} << 10];

/// As coroutines do.
void call_on_stack_of_handler(void (*call)()) {
  ucontext_t before;
  ucontext_t own;
  NOPAL_CHECK(getcontext(&own) == 0);
  own.uc_stack.ss_sp = memory_of_handler;
  own.uc_stack.ss_size = sizeof memory_of_handler;
  own.uc_link = &before;
  makecontext(&own, call, 0);
  NOPAL_CHECK(swapcontext(&before, &own) == 0);
}

NOPAL_PROGRAM(jumps_within_stacks_of_handlers) {
  for (const int flags : {0, SA_ONSTACK}) {
    handle(SIGUSR1, [](int) { call_on_stack_of_handler([] { jumps_within_itself(0); }); }, flags);
    handle(SIGTRAP, jumps_within, 0);
    for (int i = 0; i < rounds; ++i) {
      const int before = handled;
      wait_at_a_join([before](pthread_t root) {
        NOPAL_CHECK(pthread_kill(root, SIGUSR1) == 0);
        while (handled == before) std::this_thread::yield();
      });
    }
  }
  NOPAL_CHECK(support::fib(12) == 144);
  return 0;
}

/// Interrupts each thread of the process, wherever it is, and waits for its handler's end.
void interrupt_all() {
  DIR* const threads = opendir("/proc/self/task");
  NOPAL_CHECK(threads != nullptr);
  while (const dirent* const entry = readdir(threads)) {
    const int thread = std::atoi(entry->d_name);
    if (thread == 0) continue;
    const int before = handled;
    if (syscall(SYS_tgkill, getpid(), thread, SIGPROF) != 0) continue;
    while (handled == before) std::this_thread::yield();
  }
  closedir(threads);
}

NOPAL_PROGRAM(jumps_within_handlers_of_all_threads) {
  with_handlers([] {
    NOPAL_CHECK(support::fib(12) == 144);
    for (int i = 0; i < 5; ++i) interrupt_all();  // while all but this one look for work or sleep
    std::atomic<bool> over{false};
    std::thread interrupter([&] {
      while (!over) interrupt_all();
    });
    for (int i = 0; i < rounds; ++i) NOPAL_CHECK(support::fib(12) == 144);
    over = true;
    interrupter.join();
  });
  return 0;
}

sigjmp_buf interrupted;

void leave(int) { siglongjmp(interrupted, 1); }

/// A timeout.
[[gnu::noinline]] int leaves_a_join(void (*handler)(int), int flags) {
  handle(SIGUSR1, handler, flags);
  volatile bool went = false;
  if (sigsetjmp(interrupted, 1) == 0) {
    went = true;
    flag never{false};
    wait_at_a_join([&](pthread_t root) {
      NOPAL_CHECK(pthread_kill(root, SIGUSR1) == 0);
      wait_for_continuation(never);
    });
  }
  return went ? 3 : 0;
}

NOPAL_PROGRAM(leaves_a_join_by_a_handler) { return leaves_a_join(leave, 0); }
NOPAL_PROGRAM(leaves_a_join_by_a_handler_on_the_signal_stack) { return leaves_a_join(leave, SA_ONSTACK); }
NOPAL_PROGRAM(leaves_a_join_by_a_handler_on_its_own_stack) {
  return leaves_a_join([](int) { call_on_stack_of_handler([] { leave(0); }); }, 0);
}

/// Once a thread of the pool has been at work and sleeps.
[[gnu::noinline]] pid_t idle_worker() {
  volatile pid_t thief = 0;
  flag went_on{false};
  scope s;
  s.fork([&] { wait_for_continuation(went_on); });
  thief = support::thread_id();
  set(went_on);
  s.join();
  while (!sleeps(thief)) std::this_thread::yield();
  return thief;
}

NOPAL_PROGRAM(leaves_an_idle_worker_by_a_handler) {
  if (sigsetjmp(interrupted, 1) != 0) return 3;
  handle(SIGPROF, leave, 0);
  NOPAL_CHECK(syscall(SYS_tgkill, getpid(), idle_worker(), SIGPROF) == 0);
  for (;;) support::sleep_ms(1000);
}

class jumps_of_handlers : public support::program_at_workers {};

TEST_P(jumps_of_handlers, within_those_of_all_threads_work) {
  EXPECT_TRUE(run("jumps_within_handlers_of_all_threads"));
}
TEST_P(jumps_of_handlers, within_those_of_a_thread_that_waits_work) {
  if (GetParam() > 1) {
    EXPECT_TRUE(run("jumps_within_handlers_of_a_thread_that_waits"));
  }
}
TEST_P(jumps_of_handlers, within_stacks_of_their_own_work) {
  if (GetParam() > 1) {
    EXPECT_TRUE(run("jumps_within_stacks_of_handlers"));
  }
}

INSTANTIATE_TEST_SUITE_P(at_workers, jumps_of_handlers, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

void expect_refused(std::initializer_list<const char*> programs) {
  for (const int workers : {2, 7}) {
    for (const char* const program : programs) {
      const support::outcome end = support::run_program(program, support::on_workers(workers));
      EXPECT_EQ(end.signal, SIGABRT) << end.description();
      EXPECT_EQ(end.err, "nopal: longjmp by a signal handler out of a thread that waits in a join or for "
                         "work: call sigsetjmp in the "
                         "handler, or have it set a flag\n");
    }
  }
}

TEST(refused_jumps_of_handlers, out_of_a_thread_that_waits_are_a_line) {
  expect_refused({"leaves_a_join_by_a_handler", "leaves_a_join_by_a_handler_on_the_signal_stack",
                  "leaves_an_idle_worker_by_a_handler"});
}
TEST(refused_jumps_of_handlers, from_a_stack_of_their_own_are_a_line) {
  expect_refused({"leaves_a_join_by_a_handler_on_its_own_stack"});
}

}  // namespace

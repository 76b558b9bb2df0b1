// Signals that arrive all the time, on strands' stacks and on alternate ones, while strands are stolen and throw.
#include <gtest/gtest.h>

#include <sys/time.h>

#include <alloca.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::environment;

std::atomic<long> handled{0};

/// Overwrites what is below the interrupted code's red zone, and errno, and puts errno back as a handler must.
void on_tick(int) {
  const int saved_errno = errno;
  constexpr std::size_t bytes = 2048;
  volatile char scratch[bytes];
  for (std::size_t i = 0; i < bytes; ++i) scratch[i] = static_cast<char>(0xa5);
  errno = EXDEV;
  handled.fetch_add(scratch[bytes / 2] != 0 ? 1 : 0, std::memory_order_relaxed);
  errno = saved_errno;
}

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

/// Signal storms as the environment says: which timer, with SA_RESTART or not, on the alternate stack or not.
void start_ticks() {
  struct sigaction action = {};
  action.sa_handler = on_tick;
  action.sa_flags = (is_set("TICKS_RESTART") ? SA_RESTART : 0) | (is_set("TICKS_ON_STACK") ? SA_ONSTACK : 0);
  const bool real = is_set("TICKS_REAL");
  NOPAL_CHECK(sigaction(real ? SIGALRM : SIGPROF, &action, nullptr) == 0);
  const itimerval each_ms{{0, 1000}, {0, 1000}};
  NOPAL_CHECK(setitimer(real ? ITIMER_REAL : ITIMER_PROF, &each_ms, nullptr) == 0);
}

/// In place of the alarm that the timer of real time takes away.
void end_if_hung() {
  std::thread([] {
    sigset_t every;
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, nullptr);
    support::sleep_ms(60000);
    _exit(124);
  }).detach();
}

long queens(int n, int row, unsigned columns, unsigned up, unsigned down) {
  if (row == n) return 1;
  std::vector<long> counts(static_cast<std::size_t>(n));
  scope s;
  for (int column = 0; column < n; ++column) {
    const unsigned here = 1U << column;
    const unsigned rising = 1U << (row + column);
    const unsigned falling = 1U << (row - column + n);
    if ((columns & here) != 0 || (up & rising) != 0 || (down & falling) != 0) continue;
    s.fork_into(counts[static_cast<std::size_t>(column)], queens, n, row + 1, columns | here, up | rising,
                down | falling);
  }
  s.join();
  long sum = 0;
  for (const long count : counts) sum += count;
  return sum;
}

struct odd {
  long value;
};

/// A sum that half of the leaves return and half throw.
long thrown_sum(int depth, long value) {
  if (depth == 0) {
    if (value % 2 != 0) throw odd{value};
    return value;
  }
  long left = 0;
  long right = 0;
  try {
    scope s;
    s.fork_into(left, thrown_sum, depth - 1, 2 * value);
    s.join();
  } catch (const odd& thrown) {
    left = thrown.value;
  }
  scope s;
  s.fork([&right, depth, value] {
    try {
      right = thrown_sum(depth - 1, 2 * value + 1);
    } catch (const odd& thrown) {
      right = thrown.value;
    }
  });
  const long work = support::fib(4);
  s.join();
  return left + right + work - 3;
}

NOPAL_PROGRAM(work_under_ticks) {
  start_ticks();
  end_if_hung();
  constexpr long least_ticks = 50;
  for (long rounds = 0; handled < least_ticks || rounds < 3; ++rounds) {
    NOPAL_CHECK(support::fib(21) == 10946);
    NOPAL_CHECK(queens(7, 0, 0, 0, 0) == 40);
    NOPAL_CHECK(thrown_sum(9, 0) == 511 * 512 / 2);
    if (rounds % 8 == 0) support::sleep_ms(2);  // waits of the pool are interrupted as well
  }
  const itimerval none{};
  setitimer(ITIMER_PROF, &none, nullptr);
  setitimer(ITIMER_REAL, &none, nullptr);
  support::check_quiet();
  nopal::shutdown();
  return 0;
}

class ticks : public testing::TestWithParam<std::string> {};

TEST_P(ticks, change_no_answer) {
  environment with;
  const std::string& words = GetParam();
  for (const char* const word : {"REAL", "RESTART", "ON_STACK"}) {
    if (words.find(word) != std::string::npos) with.emplace_back(std::string("TICKS_") + word, "1");
  }
  for (const char* const size : {"64K", "1M"}) {
    for (const char* const workers : {"1", "4"}) {
      environment complete = with;
      complete.emplace_back("NOPAL_STACK_SIZE", size);
      complete.emplace_back("NOPAL_WORKERS", workers);
      complete.emplace_back("NOPAL_RECLAIM", "eager");
      EXPECT_TRUE(support::succeeds("work_under_ticks", complete)) << words << " " << size << " " << workers;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(of, ticks,
                         testing::Values("PROF", "PROF_RESTART", "PROF_ON_STACK", "PROF_RESTART_ON_STACK",
                                         "REAL", "REAL_RESTART", "REAL_ON_STACK", "REAL_RESTART_ON_STACK"),
                         [](const auto& of) { return of.param; });

/// Signals at each worker in turn, much faster than a timer: a window of a few instructions is met as well.
NOPAL_PROGRAM(work_under_fire) {
  struct sigaction action = {};
  action.sa_handler = on_tick;
  action.sa_flags = is_set("TICKS_ON_STACK") ? SA_ONSTACK : 0;
  NOPAL_CHECK(sigaction(SIGPROF, &action, nullptr) == 0);
  NOPAL_CHECK(support::fib(10) == 55);
  support::flag stop{false};
  std::thread gun([&stop] {
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &own, nullptr);
    for (int i = 0; !stop; ++i) {
      kill(getpid(), SIGPROF);
      if (i % 8 == 0) std::this_thread::yield();
    }
  });
  while (handled < 3000) {
    NOPAL_CHECK(support::fib(18) == 2584);
    NOPAL_CHECK(thrown_sum(7, 0) == 127 * 128 / 2);
  }
  support::set(stop);
  gun.join();
  support::check_quiet();
  return 0;
}

TEST(fire, changes_no_answer) {
  for (const char* const size : {"64K", "1M"}) {
    EXPECT_TRUE(support::succeeds("work_under_fire", {{"NOPAL_WORKERS", "3"}, {"NOPAL_STACK_SIZE", size}}));
    EXPECT_TRUE(support::succeeds(
        "work_under_fire", {{"NOPAL_WORKERS", "3"}, {"NOPAL_STACK_SIZE", size}, {"TICKS_ON_STACK", "1"}}));
  }
}

}  // namespace

// A thread of the program without latent forks is left alone: a question's signal would end its calls of the system early.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include <nopal/runtime.hpp>
#include <nopal/waiting.hpp>

#include "support/latent.hpp"

namespace {
thread_local long yields_here = 0;
}  // namespace

/// In place of the system's: counts.
extern "C" int sched_yield() noexcept {
  ++yields_here;
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace {

long fib(int n) {
  if (n < 2) return n;
  long x;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

/// Counted after regions without a steal: after others a thread is asked once. A question may be on its way as a
/// region ends, so a few sleeps may end early. Where threads at rest were asked, 54 to 99 of 100 did.
NOPAL_PROGRAM(sleeps_after_regions) {
  int alone = 0;
  int ended_early = 0;
  for (int i = 0; i < 100; ++i) {
    const auto steals = nopal::stats().total.steals;
    NOPAL_CHECK(fib(18) == 2584);
    const bool was_alone = nopal::stats().total.steals == steals;
    const timespec pause{0, 3'000'000};
    const bool early = nanosleep(&pause, nullptr) != 0 && errno == EINTR;
    alone += was_alone ? 1 : 0;
    ended_early += was_alone && early ? 1 : 0;
  }
  NOPAL_CHECK(ended_early <= 5 + alone / 3);
  return 0;
}

/// Asked once while its leaf is long, and never able to answer. Where it waited for that at each call, it gave up
/// its processor a thousand times at each.
NOPAL_PROGRAM(blocks_where_the_signal_is_blocked) {
  sigset_t all;
  sigfillset(&all);
  NOPAL_CHECK(pthread_sigmask(SIG_BLOCK, &all, nullptr) == 0);
  constexpr int calls = 50;
  long yields = 0;
  nopal::scope outer;
  outer.fork([&] {
    nopal::scope inner;
    inner.fork([&] {
      const timespec pause{0, 50'000'000};
      nanosleep(&pause, nullptr);
      const long before = yields_here;
      for (int i = 0; i < calls; ++i) nopal::blocking([] {});
      yields = yields_here - before;
    });
    inner.join();
  });
  outer.join();
  NOPAL_CHECK(yields < 1000 + 20 * calls);
  return 0;
}

class threads_at_rest : public support::program_at_workers {};

TEST_P(threads_at_rest, are_seldom_sent_a_signal) { EXPECT_TRUE(run("sleeps_after_regions")); }

class deaf_threads : public support::program_at_workers {};

TEST_P(deaf_threads, wait_for_one_question_at_most) {
  EXPECT_TRUE(run("blocks_where_the_signal_is_blocked"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, deaf_threads, testing::Values(2, 4), testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(at_workers, threads_at_rest, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace

// Sleep, wake-up and what the system does to a pool meanwhile: few processors, many workers, signals.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <csignal>
#include <new>

#include "support/strands.hpp"

namespace {

using support::check_quiet;
using support::fib;
using support::flag;
using support::sleep_ms;
using support::use_runtime;

long microseconds(const timeval& time) { return time.tv_sec * 1000000L + time.tv_usec; }

long processor_time_us() {
  rusage used{};
  NOPAL_CHECK(getrusage(RUSAGE_SELF, &used) == 0);
  return microseconds(used.ru_utime) + microseconds(used.ru_stime);
}

NOPAL_PROGRAM(idle) {
  for (int i = 0; i < 20; ++i) use_runtime();
  sleep_ms(1000);
  const long before = processor_time_us();
  sleep_ms(1000);
  NOPAL_CHECK(processor_time_us() - before < 10000);
  use_runtime();
  check_quiet();
  return 0;
}

NOPAL_PROGRAM(bursts) {
  for (int round = 0; round < 300; ++round) {
    const int size = 1 + round % 10;
    NOPAL_CHECK(fib(size) == support::fib_serial(size));
    // Every tenth cannot end unless a sleeper wakes.
    if (round % 10 == 0) use_runtime();
    sleep_ms(round % 4);
  }
  check_quiet();
  return 0;
}

NOPAL_PROGRAM(compute) {
  for (int i = 0; i < 20; ++i) use_runtime();
  NOPAL_CHECK(fib(24) == 46368);
  check_quiet();
  return 0;
}

NOPAL_PROGRAM(one_processor) {
  cpu_set_t allowed;
  NOPAL_CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  CPU_ZERO(&allowed);
  CPU_SET(first, &allowed);
  NOPAL_CHECK(sched_setaffinity(0, sizeof allowed, &allowed) == 0);
  for (int i = 0; i < 20; ++i) use_runtime();
  NOPAL_CHECK(fib(20) == 6765);
  check_quiet();
  return 0;
}

int compute_until(const flag& told) {
  while (!told) use_runtime();
  check_quiet();
  return 0;
}

void stop_and_continue(pid_t child) {
  int status = 0;
  NOPAL_CHECK(kill(child, SIGSTOP) == 0);
  NOPAL_CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
  sleep_ms(2);
  NOPAL_CHECK(kill(child, SIGCONT) == 0);
}

NOPAL_PROGRAM(stopped) {
  void* const shared = mmap(nullptr, sizeof(flag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  NOPAL_CHECK(shared != MAP_FAILED);
  flag& told = *new (shared) flag(false);
  const pid_t child = fork();
  NOPAL_CHECK(child >= 0);
  if (child == 0) {
    alarm(60);  // not inherited
    return compute_until(told);
  }
  for (int i = 0; i < 30; ++i) {
    sleep_ms(5);
    stop_and_continue(child);
  }
  support::set(told);
  int status = -1;
  NOPAL_CHECK(waitpid(child, &status, 0) == child);
  NOPAL_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return 0;
}

std::atomic<int> ticks{0};

void on_tick(int) { ++ticks; }

NOPAL_PROGRAM(profiled) {
  struct sigaction action = {};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  NOPAL_CHECK(sigaction(SIGPROF, &action, nullptr) == 0);
  const itimerval every_millisecond{{0, 1000}, {0, 1000}};
  NOPAL_CHECK(setitimer(ITIMER_PROF, &every_millisecond, nullptr) == 0);
  while (ticks < 100) {
    use_runtime();
    NOPAL_CHECK(fib(20) == 6765);
  }
  const itimerval never{};
  NOPAL_CHECK(setitimer(ITIMER_PROF, &never, nullptr) == 0);
  check_quiet();
  return 0;
}

class scheduler : public support::program_at_workers {};

TEST_P(scheduler, uses_no_processor_time_when_idle) { EXPECT_TRUE(run("idle")); }
TEST_P(scheduler, wakes_for_bursts_of_tiny_work) { EXPECT_TRUE(run("bursts")); }
TEST_P(scheduler, shares_one_processor) { EXPECT_TRUE(run("one_processor")); }
TEST_P(scheduler, goes_on_after_being_stopped) { EXPECT_TRUE(run("stopped")); }
TEST_P(scheduler, computes_under_a_profiling_timer) { EXPECT_TRUE(run("profiled")); }

INSTANTIATE_TEST_SUITE_P(at_workers, scheduler, testing::Values(2, 7), testing::PrintToStringParamName());

TEST(scheduler_of_many, computes_with_300_workers) {
  EXPECT_TRUE(support::succeeds("compute", support::on_workers(300)));
}

}  // namespace

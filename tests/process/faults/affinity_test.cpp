// Wakers keep sleepers off their own CPUs for a moment, and the system refuses that, or refuses to undo it.
#include <gtest/gtest.h>

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "process/faults/interposed_calls.hpp"
#include "support/strands.hpp"

namespace {

/// How many CPUs each thread of this process may use.
std::vector<int> cpus_of_threads() {
  std::vector<int> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    cpu_set_t cpus;
    NOPAL_CHECK(sched_getaffinity(std::stoi(entry.path().filename()), sizeof cpus, &cpus) == 0);
    all.push_back(CPU_COUNT(&cpus));
  }
  return all;
}

/// How many of two threads that work at once may use other than `cpus` CPUs. Those that sleep are kept off one.
int workers_without(int cpus) {
  const auto is_without = [cpus] {
    cpu_set_t own;
    NOPAL_CHECK(sched_getaffinity(0, sizeof own, &own) == 0);
    return CPU_COUNT(&own) != cpus ? 1 : 0;
  };
  support::flag went_on{false};
  int child = 0;
  nopal::scope both;
  both.fork([&] {
    child = is_without();
    support::wait_for_continuation(went_on);
  });
  const int continuation = is_without();
  support::set(went_on);
  both.join();
  return child + continuation;
}

/// The pool sleeps, and is woken, again and again.
void sleep_and_wake() {
  for (int i = 0; i < 100; ++i) {
    NOPAL_CHECK(support::fib(14) == 377);
    support::sleep_ms(2);
  }
}

NOPAL_PROGRAM(sleeps_and_is_woken) {
  const int before = cpus_of_threads().front();
  faults::arm();
  sleep_and_wake();
  const int without = workers_without(before);
  std::printf("%ld %d\n", faults::calls(), without);
  return 0;
}

struct result {
  long calls = -1;        ///< of the function that may be refused
  int short_of_cpu = -1;  ///< threads, in the end
};

/// Two workers: wakers keep nobody off where there are fewer CPUs than workers.
result run(const char* call, long last, long step) {
  const support::outcome seen =
      support::run_program("sleeps_and_is_woken", {{"NOPAL_WORKERS", "2"},
                                                   {"FAULT_CALL", call},
                                                   {"FAULT_ERRNO", std::to_string(EPERM)},
                                                   {"FAULT_LAST", std::to_string(last)},
                                                   {"FAULT_STEP", std::to_string(step)}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  EXPECT_EQ(seen.err, "");
  result read;
  if (seen.exit_code == 0) std::istringstream(seen.out) >> read.calls >> read.short_of_cpu;
  return read;
}

constexpr long always = 1000000000;

TEST(refused_affinity, leaves_sleepers_where_they_are) {
  EXPECT_EQ(run("named_affinity", always, 1).short_of_cpu, 0);
  EXPECT_EQ(run("named_affinity", always, 2).short_of_cpu, 0);
}

TEST(refused_affinity, keeps_a_sleeper_off_one_cpu_until_it_is_granted) {
  const result never = run("own_affinity", always, 1);
  if (cpus_of_threads().front() >= 2) {
    EXPECT_GT(never.calls, 0);
  }
  EXPECT_EQ(never.short_of_cpu, never.calls > 0 ? 1 : 0);
  constexpr long refused = 3;
  const result later = run("own_affinity", refused, 1);
  if (later.calls > refused) {
    EXPECT_EQ(later.short_of_cpu, 0);
  }
}

/// Without wakes sleepers look for the end of their sleep themselves, every now and then.
TEST(refused_wakes, leave_no_sleeper_off_a_cpu) { EXPECT_EQ(run("futex_wake", always, 1).short_of_cpu, 0); }

NOPAL_PROGRAM(is_kept_off_and_then_pinned) {
  faults::arm();
  sleep_and_wake();
  nopal::shutdown();
  setenv("FAULT_LAST", "0", 1);
  faults::arm();
  setenv("NOPAL_PIN", "1", 1);
  sleep_and_wake();
  const std::vector<int> cpus = cpus_of_threads();
  NOPAL_CHECK(std::count(cpus.begin(), cpus.end(), 1) >= 1);
  return 0;
}

TEST(refused_affinity, says_nothing_of_the_next_thread_of_the_same_worker) {
  EXPECT_TRUE(support::succeeds("is_kept_off_and_then_pinned",
                                {{"NOPAL_WORKERS", "2"}, {"FAULT_CALL", "own_affinity"}}));
}

NOPAL_PROGRAM(starts_and_is_woken) {
  faults::arm();
  bool refused = false;  // in words; the next fork tries again
  try {
    support::fib(2);
  } catch (const nopal::error&) {
    refused = true;
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  const long calls = faults::calls();
  for (int i = 0; i < 5; ++i) {
    NOPAL_CHECK(support::fib(14) == 377);
    support::sleep_ms(3);
  }
  std::printf("%ld %d\n", calls, static_cast<int>(refused));
  return 0;
}

support::outcome start_without(long allocation) {
  return support::run_program("starts_and_is_woken", {{"NOPAL_WORKERS", "2"},
                                                      {"FAULT_CALL", "new"},
                                                      {"FAULT_FIRST", std::to_string(allocation)},
                                                      {"FAULT_LAST", std::to_string(allocation)}});
}

/// One of them is for the description of the machine: without it nobody knows how many CPUs there are.
TEST(refused_memory, leaves_wakes_right_whichever_allocation_of_the_start_it_is) {
  long calls = 0;
  std::istringstream(start_without(always).out) >> calls;
  ASSERT_GE(calls, 1);
  for (long n = 1; n <= calls; ++n) {
    const support::outcome seen = start_without(n);
    EXPECT_EQ(seen.exit_code, 0) << n << seen.description();
  }
}

}  // namespace

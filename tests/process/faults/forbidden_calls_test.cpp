// A sandbox that forbids system calls, from the start or while strands run.
#include <gtest/gtest.h>

#include <linux/futex.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/seccomp.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::environment;
using support::flag;

void use() {
  for (int i = 0; i < 10; ++i) {
    NOPAL_CHECK(support::fib(16) == 987);
    support::sleep_ms(i % 5 == 0 ? 3 : 0);  // the pool goes to sleep in between
  }
}

/// A worker's sleep. Not the waits for the C library's locks, which are for the value 2: refused those, the C library
/// ends the program in any of its calls that meets a lock taken.
constexpr support::call_use sleeping{FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1};

unsigned number(const char* name) {
  return static_cast<unsigned>(std::strtoul(std::getenv(name), nullptr, 10));
}

void forbid() {
  const unsigned call = number("FORBID");
  support::refuse_call(call, number("FORBID_ERRNO"), call == SYS_futex ? &sleeping : nullptr);
}

NOPAL_PROGRAM(forbidden_from_the_start) {
  forbid();
  use();
  nopal::shutdown();
  use();
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(forbidden_while_strands_run) {
  use();
  long left = 0;
  {
    scope s;
    s.fork_into(left, support::fib, 21);
    forbid();
    NOPAL_CHECK(support::fib(18) == 2584);
    s.join();
  }
  NOPAL_CHECK(left == 10946);
  use();
  nopal::shutdown();
  support::check_quiet();
  return 0;
}

environment forbidding(long call, int reason, int workers) {
  return {{"NOPAL_WORKERS", std::to_string(workers)},
          {"NOPAL_RECLAIM", "eager"},
          {"FORBID", std::to_string(call)},
          {"FORBID_ERRNO", std::to_string(reason)}};
}

void succeeds_without(long call, int reason) {
  for (const char* const name : {"forbidden_from_the_start", "forbidden_while_strands_run"}) {
    for (const int workers : {1, 2, 5})
      EXPECT_TRUE(support::succeeds(name, forbidding(call, reason, workers))) << workers << " workers";
  }
}

TEST(forbidden, membarrier_missing) { succeeds_without(SYS_membarrier, ENOSYS); }
TEST(forbidden, membarrier_not_permitted) { succeeds_without(SYS_membarrier, EPERM); }
TEST(forbidden, madvise) { succeeds_without(SYS_madvise, EPERM); }
TEST(forbidden, mincore) { succeeds_without(SYS_mincore, ENOSYS); }
TEST(forbidden, affinity) { succeeds_without(SYS_sched_getaffinity, EPERM); }
TEST(forbidden, changing_affinity) { succeeds_without(SYS_sched_setaffinity, EPERM); }
TEST(forbidden, yielding) { succeeds_without(SYS_sched_yield, EPERM); }
TEST(forbidden, naming_threads) { succeeds_without(SYS_prctl, EPERM); }
TEST(forbidden, alternate_signal_stacks) { succeeds_without(SYS_sigaltstack, EPERM); }

TEST(forbidden, waiting_on_futexes) { succeeds_without(SYS_futex, ENOSYS); }

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

NOPAL_PROGRAM(idle_without_futexes) {
  support::refuse_call(SYS_futex, ENOSYS, &sleeping);
  use();
  support::sleep_ms(100);
  const double before = processor_seconds();
  support::sleep_ms(400);
  NOPAL_CHECK(processor_seconds() - before < 0.15);
  return 0;
}

TEST(forbidden, waiting_on_futexes_leaves_an_idle_pool_quiet) {
  EXPECT_TRUE(support::succeeds("idle_without_futexes", support::on_workers(4)));
}

TEST(forbidden, threads) {
  for (const int reason : {EAGAIN, EPERM}) {
    environment with = forbidding(SYS_clone3, reason, 6);
    const support::outcome seen = support::run_program("forbidden_from_the_start", with);
    EXPECT_EQ(seen.exit_code, 0) << seen.description();
    const std::string line =
        std::string("nopal: started 1 of 6 workers: the system refused another thread: ") +
        std::strerror(reason) + "\n";
    EXPECT_EQ(seen.err, line + line);  // two lives of the runtime
  }
}

/// A pool that cannot have a guard below a stack has no stacks: the program's thread goes on alone.
TEST(forbidden, guards) {
  const support::outcome seen =
      support::run_program("forbidden_while_strands_run", forbidding(SYS_mprotect, ENOMEM, 3));
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
}

/// In a sandbox from its first instruction on: the doctor says what is missing and what that costs.
#ifdef NOPAL_COMMAND
NOPAL_PROGRAM(doctor_without_membarrier) {
  support::refuse_call(SYS_membarrier, ENOSYS);
  execl(NOPAL_COMMAND, NOPAL_COMMAND, "doctor", static_cast<char*>(nullptr));
  return 126;
}

TEST(forbidden, membarrier_is_what_the_doctor_notes) {
  const support::outcome seen = support::run_program("doctor_without_membarrier");
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  EXPECT_NE(seen.out.find("membarrier"), std::string::npos) << seen.description();
  EXPECT_NE(seen.out.find("every fork and join pays a fence"), std::string::npos) << seen.description();
}
#endif

}  // namespace

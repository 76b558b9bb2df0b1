// What the system refuses and what users get wrong: one line or one exception, and never a hang.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/seccomp.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::shutdown_is_refused;
using support::wait_for_continuation;

bool fork_is_refused() {
  bool child_ran = false;
  try {
    scope s;
    s.fork([&child_ran] { child_ran = true; });
    s.join();
  } catch (const nopal::error&) {
    return !child_ran;
  }
  return false;
}

void limit_address_space(rlim_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  NOPAL_CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

NOPAL_PROGRAM(no_address_space) {
  limit_address_space(rlim_t{96} << 20);
  NOPAL_CHECK(fork_is_refused());
  NOPAL_CHECK(std::uncaught_exceptions() == 0);
  limit_address_space(RLIM_INFINITY);
  NOPAL_CHECK(support::fib(15) == 610);  // the refusal is not for ever
  support::check_quiet();
  return 0;
}

TEST(limits, no_address_space_for_stacks_is_a_line_and_an_exception) {
  const support::outcome seen =
      support::run_program("no_address_space", {{"NOPAL_WORKERS", "4"}, {"NOPAL_STACK_SIZE", "64M"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  EXPECT_EQ(seen.err, "nopal: no address space for 5 stacks of 67108864 bytes: lower NOPAL_STACK_SIZE or "
                      "NOPAL_WORKERS, or raise "
                      "the limit on address space\n");
}

NOPAL_PROGRAM(no_substitutes) {
  support::use_runtime();
  support::refuse_call(SYS_clone3, EAGAIN);
  support::refuse_call(SYS_clone, EAGAIN);
  int sum = 0;
  nopal::scope s;
  for (int i = 0; i < 20; ++i) {
    s.fork([&sum] { nopal::blocking([&sum] { __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED); }); });
  }
  s.join();
  NOPAL_CHECK(sum == 20);
  support::check_quiet();
  return 0;
}

TEST(limits, refused_substitutes_are_a_line_and_calls_that_block_as_they_are) {
  const support::outcome seen = support::run_program("no_substitutes", {{"NOPAL_WORKERS", "1"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  EXPECT_EQ(seen.err, "nopal: 0 threads take the places of blocked strands, and no more: the system refused "
                      "another thread: Resource temporarily unavailable\n");
}

NOPAL_PROGRAM(no_threads) {
  support::refuse_call(SYS_clone3, EAGAIN);
  support::refuse_call(SYS_clone, EAGAIN);
  NOPAL_CHECK(support::fib(20) == 6765);
  support::check_quiet();
  nopal::shutdown();
  return 0;
}

TEST(limits, refused_threads_are_a_line_and_fewer_workers) {
  const support::outcome seen = support::run_program("no_threads", support::on_workers(6));
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  EXPECT_EQ(
      seen.err,
      "nopal: started 1 of 6 workers: the system refused another thread: Resource temporarily unavailable\n");
}

NOPAL_PROGRAM(no_membarrier) {
  support::refuse_call(SYS_membarrier, ENOSYS);
  for (int i = 0; i < 200; ++i) {
    NOPAL_CHECK(support::fib(16) == 987);
    support::sleep_ms(i % 20 == 0 ? 5 : 0);
  }
  support::check_quiet();
  return 0;
}

TEST(limits, without_membarrier_the_answers_are_the_same) {
  for (const int workers : {1, 2, 7})
    EXPECT_TRUE(support::succeeds("no_membarrier", support::on_workers(workers)));
}

NOPAL_PROGRAM(few_stacks) {
  // The first fork starts the runtime; then there is room for little more.
  NOPAL_CHECK(support::fib(10) == 55);
  long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  NOPAL_CHECK(file != nullptr && std::fscanf(file, "%ld", &pages) == 1);
  std::fclose(file);
  limit_address_space(static_cast<rlim_t>(pages) * 4096 + (rlim_t{1} << 20));
  for (int i = 0; i < 20; ++i) NOPAL_CHECK(support::fib(18) == 2584);
  return 0;
}

TEST(limits, no_memory_for_further_stacks_ends_no_program) {
  const support::outcome seen =
      support::run_program("few_stacks", {{"NOPAL_WORKERS", "7"}, {"NOPAL_STACK_SIZE", "16M"}});
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
}

NOPAL_PROGRAM(shutdown_and_again) {
  for (int i = 0; i < 30; ++i) {
    NOPAL_CHECK(support::fib(14) == 377);
    support::check_quiet();
    nopal::shutdown();
    nopal::shutdown();
    nopal::configuration with;
    with.workers = 1 + i % 5;
    nopal::configure(with);
    NOPAL_CHECK(nopal::workers() == with.workers);
  }
  NOPAL_CHECK(support::fib(14) == 377);
  return 0;
}

/// Threads that were adopted in an earlier life of the runtime stay workers in the next, whatever its size.
NOPAL_PROGRAM(shutdown_beside_adopted_threads) {
  std::atomic<int> round{0};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int mine = 1; mine <= 6; ++mine) {
        while (round < mine) std::this_thread::yield();
        NOPAL_CHECK(support::fib(15) == 610);
        ++done;
      }
    });
  }
  for (int mine = 1; mine <= 6; ++mine) {
    nopal::configuration with;
    with.workers = 1 + mine * 2 % 7;
    nopal::configure(with);
    round = mine;
    NOPAL_CHECK(support::fib(15) == 610);
    while (done < 3 * mine) std::this_thread::yield();
    if (mine < 6) nopal::shutdown();
  }
  for (std::thread& one : threads) one.join();
  nopal::shutdown();
  NOPAL_CHECK(support::fib(15) == 610);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(shutdown_inside) {
  bool in_child = false;
  bool in_continuation = nopal::workers() == 1;  // without a steal nothing is outstanding there
  flag went_on{false};
  scope s;
  s.fork([&] {
    in_child = shutdown_is_refused();
    wait_for_continuation(went_on);
  });
  if (nopal::workers() > 1) in_continuation = shutdown_is_refused();
  set(went_on);
  s.join();
  NOPAL_CHECK(in_child && in_continuation);
  NOPAL_CHECK(!shutdown_is_refused());
  NOPAL_CHECK(support::fib(10) == 55);
  return 0;
}

TEST(shutdown, is_followed_by_another_life) { EXPECT_TRUE(support::succeeds("shutdown_and_again")); }
TEST(shutdown, leaves_adopted_threads_in_order) {
  EXPECT_TRUE(support::succeeds("shutdown_beside_adopted_threads"));
}
TEST(shutdown, is_refused_inside_a_strand) {
  for (const int workers : {1, 2, 7})
    EXPECT_TRUE(support::succeeds("shutdown_inside", support::on_workers(workers)));
}

/// Recursion without end, that no compiler turns into a loop.
int endless(int depth) {
  volatile char frame[256];
  frame[0] = static_cast<char>(depth);
  return depth < std::numeric_limits<int>::max() ? endless(depth + 1) + frame[0] : 0;
}

// Through a volatile pointer: the compiler would warn of what this test is for.
int (*volatile recursion)(int) = endless;

NOPAL_PROGRAM(overflow) {
  flag went_on{false};
  scope s;
  s.fork([&] { wait_for_continuation(went_on); });
  recursion(0);
  set(went_on);
  s.join();
  return 0;
}

TEST(overflow, of_a_stolen_strand_is_one_line_and_a_segmentation_fault) {
  for (const auto& [size, bytes] :
       support::environment{{"64K", "65536"}, {"1M", "1048576"}, {"8M", "8388608"}}) {
    const support::outcome seen =
        support::run_program("overflow", {{"NOPAL_WORKERS", "2"}, {"NOPAL_STACK_SIZE", size}});
    EXPECT_EQ(seen.signal, SIGSEGV) << seen.description();
    EXPECT_EQ(seen.err, "nopal: stack overflow on worker 1: its stack has " + bytes +
                            " bytes; raise NOPAL_STACK_SIZE\n");
  }
}

TEST(overflow, of_the_programs_own_stack_is_left_to_the_system) {
  const support::outcome seen = support::run_program("overflow", support::on_workers(1));
  EXPECT_EQ(seen.signal, SIGSEGV) << seen.description();
  EXPECT_EQ(seen.err, "");
}

}  // namespace

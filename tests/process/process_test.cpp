// fork(2), the end of the process, and stopping and starting the runtime.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::check_quiet;
using support::fib;
using support::flag;
using support::shutdown_is_refused;
using support::use_runtime;

void exited_with_0(pid_t child) {
  int status = -1;
  NOPAL_CHECK(waitpid(child, &status, 0) == child);
  NOPAL_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// fork(2); an alarm is not inherited, so the child sets its own.
pid_t split() {
  const pid_t child = fork();
  NOPAL_CHECK(child >= 0);
  if (child == 0) alarm(60);
  return child;
}

void compute_in_both() {
  const pid_t child = split();
  use_runtime();
  if (child == 0) std::exit(0);
  exited_with_0(child);
}

NOPAL_PROGRAM(split_before_use) {
  compute_in_both();
  check_quiet();
  return 0;
}

NOPAL_PROGRAM(split_after_use) {
  for (int i = 0; i < 20; ++i) {
    use_runtime();
    compute_in_both();
  }
  check_quiet();
  return 0;
}

/// Workers of threads that have ended wait for others in both.
NOPAL_PROGRAM(split_after_threads_ended) {
  for (int i = 0; i < 3; ++i) {
    std::thread(use_runtime).join();
    compute_in_both();
    nopal::shutdown();
    compute_in_both();
  }
  return 0;
}

NOPAL_PROGRAM(split_repeatedly) {
  // Each generation is a child of the one before.
  for (int generation = 0; generation < 5; ++generation) {
    use_runtime();
    const pid_t child = split();
    if (child == 0) continue;
    use_runtime();
    exited_with_0(child);
    return 0;
  }
  return 0;
}

/// fork(2) on a thread of the program while others compute: the child has that thread alone.
NOPAL_PROGRAM(split_while_others_compute) {
  flag stop{false};
  std::thread other([&] {
    while (!stop) use_runtime();
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = split();
    if (child == 0) {
      use_runtime();
      _exit(0);
    }
    exited_with_0(child);
  }
  support::set(stop);
  other.join();
  check_quiet();
  return 0;
}

/// "abcd", once more.
void say_in_order(nopal::reducer<nopal::op_string_append>& text) {
  flag continued{false};
  scope s;
  *text += "a";
  s.fork([&] {
    support::wait_briefly(continued);
    *text += "b";
  });
  support::set(continued);
  *text += "c";
  s.fork([&] { *text += "d"; });
  s.join();
}

NOPAL_PROGRAM(split_with_reducers) {
  nopal::reducer<nopal::op_string_append> text("> ");
  say_in_order(text);
  const pid_t child = split();
  say_in_order(text);
  nopal::reducer<nopal::op_string_append> made_later;
  say_in_order(made_later);
  NOPAL_CHECK(text.value() == "> abcdabcd" && made_later.value() == "abcd");
  if (child == 0) std::exit(0);
  exited_with_0(child);
  check_quiet();
  return 0;
}

/// What the other threads lock to merge views must not be found locked by the child.
NOPAL_PROGRAM(split_while_others_reduce) {
  flag done{false};
  std::thread other([&done] {
    while (!done.load()) {
      nopal::reducer<nopal::op_string_append> text;
      say_in_order(text);
      NOPAL_CHECK(text.value() == "abcd");
      for (int i = 0; i < 1000; ++i) {
        const nopal::reducer<nopal::op_add<int>> unused;
      }
    }
  });
  nopal::reducer<nopal::op_string_append> text;
  for (int i = 0; i < 50; ++i) {
    const pid_t child = split();
    if (child == 0) {
      nopal::reducer<nopal::op_string_append> made_later;
      say_in_order(text);
      say_in_order(made_later);
      _exit(text.value() == "abcd" && made_later.value() == "abcd" ? 0 : 1);
    }
    exited_with_0(child);
  }
  support::set(done);
  other.join();
  return 0;
}

void split_at_depth(int depth, const char* workers_of_child) {
  long left = 0;
  scope s;
  s.fork_into(left, fib, 10);
  if (depth > 0) {
    s.fork(split_at_depth, depth - 1, workers_of_child);
  } else {
    const pid_t child = split();
    if (child == 0 && workers_of_child != nullptr) setenv("NOPAL_WORKERS", workers_of_child, 1);
    if (child != 0) exited_with_0(child);
  }
  const long right = fib(19);
  s.join();
  NOPAL_CHECK(left == 55 && right == 4181);
}

/// On one worker nothing can be stolen before the split. In the child, the forks of before it may be afterwards.
NOPAL_PROGRAM(split_inside_a_scope) {
  for (const char* const workers_of_child : {static_cast<const char*>(nullptr), "4"}) {
    const pid_t self = getpid();
    split_at_depth(5, workers_of_child);
    NOPAL_CHECK(fib(15) == 610);
    if (getpid() != self) std::exit(0);
  }
  check_quiet();
  return 0;
}

/// Runs `body` in a continuation that a thread of the pool has stolen, while the child waits for ever.
template <class Body>
void run_on_the_pool(Body body) {
  const flag never{false};
  const int home = nopal::worker_index();
  scope s;
  s.fork([&] { support::wait_for_continuation(never); });
  NOPAL_CHECK(nopal::worker_index() != home);
  body();
  s.join();
}

NOPAL_PROGRAM(exit_on_the_pool) {
  use_runtime();
  run_on_the_pool([] { std::exit(3); });
  return 0;
}

NOPAL_PROGRAM(exit_in_a_child) {
  scope s;
  s.fork([] { std::exit(3); });
  s.join();
  return 0;
}

NOPAL_PROGRAM(exit_while_idle) {
  use_runtime();
  support::sleep_ms(50);
  std::exit(0);
}

NOPAL_PROGRAM(exit_at_once) {
  use_runtime();
  std::exit(0);
}

NOPAL_PROGRAM(return_while_another_computes) {
  static flag inside{false};
  std::thread([] {
    const flag never{false};
    scope s;
    s.fork([&] {
      support::set(inside);
      while (!never) std::this_thread::yield();
    });
    s.join();
  }).detach();
  while (!inside) std::this_thread::yield();
  use_runtime();
  return 0;
}

NOPAL_PROGRAM(shutdown_and_again) {
  nopal::shutdown();
  for (int i = 0; i < 100; ++i) {
    use_runtime();
    nopal::shutdown();
    NOPAL_CHECK(nopal::stats().stacks_in_use == 0);
    if (i % 10 == 0) nopal::shutdown();
  }
  check_quiet();
  return 0;
}

/// A thief that comes too late for the last fork of a region has no say in what follows.
NOPAL_PROGRAM(shutdown_beside_late_thieves) {
  for (int i = 0; i < 1000; ++i) {
    nopal::parallel_for(0, 10, [](int) {});
    nopal::shutdown();
  }
  return 0;
}

/// A thread that stays a worker across shutdowns that others ask for.
NOPAL_PROGRAM(shutdown_by_others) {
  use_runtime();
  for (int i = 0; i < 50; ++i) {
    std::thread([] {
      use_runtime();
      nopal::shutdown();
    }).join();
    use_runtime();
  }
  check_quiet();
  return 0;
}

NOPAL_PROGRAM(shutdown_inside) {
  for (int i = 0; i < 50; ++i) {
    flag went_on{false};
    bool refused = false;
    bool refused_in_child = false;
    {
      scope s;
      s.fork([&] {
        support::wait_for_continuation(went_on);
        refused_in_child = shutdown_is_refused();
      });
      // On more workers this has surely been stolen.
      refused = nopal::workers() == 1 || shutdown_is_refused();
      support::set(went_on);
      s.join();
    }
    NOPAL_CHECK(refused && refused_in_child);
  }
  nopal::shutdown();
  use_runtime();
  check_quiet();
  return 0;
}

bool configures(int workers) {
  nopal::configuration with;
  with.workers = workers;
  try {
    nopal::configure(with);
  } catch (const nopal::error& refused) {
    NOPAL_CHECK(std::string(refused.what()).find("configure") != std::string::npos);
    return false;
  }
  return true;
}

NOPAL_PROGRAM(configured) {
  for (const int workers : {3, 1, 5}) {
    NOPAL_CHECK(configures(workers) && nopal::workers() == workers);
    use_runtime();
    NOPAL_CHECK(!configures(2) && nopal::workers() == workers);
    use_runtime();
    nopal::shutdown();
  }
  check_quiet();
  return 0;
}

testing::AssertionResult exits_with_3(const char* name, int workers) {
  const support::outcome seen = support::run_program(name, support::on_workers(workers));
  if (seen.exit_code == 3 && seen.err.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << seen.description();
}

class process : public support::program_at_workers {};

TEST_P(process, splits_before_any_use) { EXPECT_TRUE(run("split_before_use")); }
TEST_P(process, splits_after_use) { EXPECT_TRUE(run("split_after_use")); }
TEST_P(process, splits_after_threads_ended) { EXPECT_TRUE(run("split_after_threads_ended")); }
TEST_P(process, splits_over_generations) { EXPECT_TRUE(run("split_repeatedly")); }
TEST_P(process, splits_while_another_thread_computes) { EXPECT_TRUE(run("split_while_others_compute")); }
TEST_P(process, splits_with_reducers) { EXPECT_TRUE(run("split_with_reducers")); }
TEST_P(process, splits_while_another_thread_reduces) { EXPECT_TRUE(run("split_while_others_reduce")); }
TEST_P(process, exits_inside_a_child) { EXPECT_TRUE(exits_with_3("exit_in_a_child", GetParam())); }
TEST_P(process, exits_while_the_pool_is_idle) { EXPECT_TRUE(run("exit_while_idle")); }
TEST_P(process, exits_right_after_work) { EXPECT_TRUE(run("exit_at_once")); }
TEST_P(process, returns_from_main_while_a_thread_computes) {
  EXPECT_TRUE(run("return_while_another_computes"));
}
TEST_P(process, uses_the_runtime_again_after_shutdown) { EXPECT_TRUE(run("shutdown_and_again")); }
TEST_P(process, shuts_down_whenever_every_scope_is_joined) {
  EXPECT_TRUE(run("shutdown_beside_late_thieves"));
}
TEST_P(process, keeps_its_threads_across_shutdowns) { EXPECT_TRUE(run("shutdown_by_others")); }
TEST_P(process, cannot_shut_down_inside_a_strand) { EXPECT_TRUE(run("shutdown_inside")); }
TEST_P(process, configures_before_the_start_only) { EXPECT_TRUE(run("configured")); }

INSTANTIATE_TEST_SUITE_P(at_workers, process, testing::Values(1, 2, 7), testing::PrintToStringParamName());

TEST(process_on_one_worker, splits_inside_a_scope) {
  EXPECT_TRUE(support::succeeds("split_inside_a_scope", support::on_workers(1)));
}

TEST(process_on_a_pool, exits_on_a_thread_of_the_pool) {
  for (const int workers : {2, 7}) EXPECT_TRUE(exits_with_3("exit_on_the_pool", workers)) << workers;
}

}  // namespace

// What a thread that waits for a group runs meanwhile, beside the group's tasks: strands of their loops, and nobody else's.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/program.hpp"

namespace {

void wait_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

/// A loop whose bodies wait until the thread `awaited` has come to one of them.
void loop_for(std::thread::id awaited, std::atomic<bool>& has_come) {
  tbb::parallel_for(
      0, 100,
      [&](int) {
        if (std::this_thread::get_id() == awaited) has_come = true;
        wait_until(has_come);
      },
      tbb::simple_partitioner());
}

NOPAL_PROGRAM(loop_of_a_task) {
  if (tbb::this_task_arena::max_concurrency() < 2) return 0;
  const std::thread::id main = std::this_thread::get_id();
  for (int round = 0; round != 20; ++round) {
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_come{false};
    tbb::task_group group;
    group.run([&] {
      has_begun = true;
      loop_for(main, has_come);
    });
    wait_until(has_begun);  // elsewhere
    NOPAL_CHECK(group.wait() == tbb::complete);
    NOPAL_CHECK(has_come && std::this_thread::get_id() == main);
  }
  return 0;
}

// The wait is in a handler, and the loop in a task that the group's task started.
NOPAL_PROGRAM(loop_of_a_task_of_a_task) {
  if (tbb::this_task_arena::max_concurrency() < 3) return 0;
  const std::thread::id main = std::this_thread::get_id();
  for (int round = 0; round != 20; ++round) {
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_come{false};
    tbb::task_group group;
    group.run([&] {
      tbb::task_group inner;
      inner.run([&] {
        has_begun = true;
        loop_for(main, has_come);
      });
      wait_until(has_begun);
      inner.wait();
    });
    wait_until(has_begun);
    try {
      throw std::runtime_error("kept");
    } catch (const std::runtime_error&) {
      group.wait();
      NOPAL_CHECK(std::current_exception() != nullptr && std::uncaught_exceptions() == 0);
      try {
        throw;
      } catch (const std::runtime_error& error) {
        NOPAL_CHECK(error.what() == std::string("kept"));
      }
    }
    NOPAL_CHECK(has_come && std::this_thread::get_id() == main);
  }
  return 0;
}

// Bodies of another thread's loop take the mutex that this thread holds while it waits.
NOPAL_PROGRAM(loops_of_others) {
  for (int round = 0; round != 50; ++round) {
    std::mutex mutex;
    std::atomic<bool> is_held{false};
    std::thread other([&] {
      wait_until(is_held);
      tbb::parallel_for(0, 20, [&](int) { const std::lock_guard guard(mutex); }, tbb::simple_partitioner());
    });
    {
      const std::lock_guard guard(mutex);
      tbb::task_group group;
      std::atomic<int> sum{0};
      for (int i = 0; i != 4; ++i) {
        group.run([&] { tbb::parallel_for(0, 50, [&](int) { ++sum; }, tbb::simple_partitioner()); });
      }
      is_held = true;
      group.wait();
      NOPAL_CHECK(sum == 200);
    }
    other.join();
  }
  return 0;
}

// So do bodies of loops in tasks of another group, that this thread has started itself.
NOPAL_PROGRAM(loops_of_another_group) {
  if (tbb::this_task_arena::max_concurrency() < 3) return 0;
  for (int round = 0; round != 20; ++round) {
    std::mutex mutex;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_in_loop{false};
    tbb::task_group others;
    tbb::task_group group;
    {
      const std::lock_guard guard(mutex);
      group.run([&] {
        has_begun = true;
        wait_until(is_in_loop);
        for (int i = 0; i != 2000; ++i) std::this_thread::yield();
      });
      wait_until(has_begun);
      others.run([&] {
        tbb::parallel_for(
            0, 100,
            [&](int) {
              is_in_loop = true;
              const std::lock_guard inner(mutex);
            },
            tbb::simple_partitioner());
      });
      wait_until(is_in_loop);  // elsewhere
      group.wait();
    }
    others.wait();
  }
  return 0;
}

// What it waits for waits for a task that it has started itself, and on two workers nobody else is there to run that.
NOPAL_PROGRAM(what_it_started) {
  if (tbb::this_task_arena::max_concurrency() < 2) return 0;
  for (int round = 0; round != 20; ++round) {
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_run{false};
    tbb::task_group others;
    tbb::task_group group;
    group.run([&] {
      has_begun = true;
      wait_until(has_run);
    });
    wait_until(has_begun);  // elsewhere
    others.run([&] { has_run = true; });
    NOPAL_CHECK(group.wait() == tbb::complete && has_run);
    NOPAL_CHECK(others.wait() == tbb::complete);
  }
  return 0;
}

class waits : public support::program_at_workers {};

TEST_P(waits, run_bodies_of_loops_of_their_tasks) { EXPECT_TRUE(run("loop_of_a_task")); }
TEST_P(waits, run_bodies_of_loops_of_what_their_tasks_started) {
  EXPECT_TRUE(run("loop_of_a_task_of_a_task"));
}
TEST_P(waits, run_what_they_started_where_nobody_else_can) { EXPECT_TRUE(run("what_it_started")); }
TEST_P(waits, run_no_bodies_of_other_threads) { EXPECT_TRUE(run("loops_of_others")); }
TEST_P(waits, run_no_bodies_of_other_groups) { EXPECT_TRUE(run("loops_of_another_group")); }

INSTANTIATE_TEST_SUITE_P(tbb, waits, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

}  // namespace

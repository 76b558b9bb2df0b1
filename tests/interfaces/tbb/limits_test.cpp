// What bounds the threads of oneTBB's interface: arenas and global_control, whatever is forked.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "support/at_once.hpp"
#include "support/program.hpp"

namespace {

using control = tbb::global_control;

void loop(support::at_once& here) {
  tbb::parallel_for(0, 300, [&](int) { here.stay(); });
}

NOPAL_PROGRAM(algorithms) {
  for (int limit = 1; limit != 4; ++limit) {
    support::at_once here;
    tbb::task_arena arena(limit);
    arena.execute([&] {
      loop(here);
      const int none = tbb::parallel_reduce(
          tbb::blocked_range<int>(0, 600), 0,
          [&](const tbb::blocked_range<int>& range, int sum) {
            for (int i = range.begin(); i != range.end(); ++i) here.stay();
            return sum;
          },
          std::plus<>());
      NOPAL_CHECK(none == 0);
      tbb::task_group group;
      for (int i = 0; i != 300; ++i) group.run([&] { here.stay(); });
      group.wait();
    });
    NOPAL_CHECK(here.most() <= limit && here.calls() == 1200);
  }
  return 0;
}

// Scopes and loops of Nopal's own, in the arena and in bodies there.
NOPAL_PROGRAM(plain_forks) {
  support::at_once here;
  tbb::task_arena two(2);
  two.execute([&] {
    nopal::parallel_for(0, 1000, [&](int) { here.stay(); });
    tbb::parallel_for(0, 20, [&](int) { nopal::parallel_for(0, 100, [&](int) { here.stay(); }); });
    nopal::scope s;
    for (int i = 0; i != 100; ++i) s.fork([&] { here.stay(); });
    s.join();
  });
  NOPAL_CHECK(here.most() <= 2);
  return 0;
}

// Beside one thread for each call of what is enqueued, the loop in it has a thread of the pool.
NOPAL_PROGRAM(enqueued) {
  support::at_once here;
  tbb::task_arena two(2);
  std::atomic<int> over{0};
  for (int i = 0; i != 20; ++i) {
    two.enqueue([&] {
      loop(here);
      ++over;
    });
  }
  while (over != 20) std::this_thread::yield();
  NOPAL_CHECK(here.most() <= 2);
  return 0;
}

NOPAL_PROGRAM(nested) {
  support::at_once in_two;
  support::at_once in_three;
  tbb::task_arena two(2);
  tbb::task_arena three(3);
  two.execute([&] {
    tbb::parallel_for(0, 30, [&](int) {
      in_two.stay();
      three.execute([&] { loop(in_three); });
      two.execute([&] { loop(in_two); });
    });
  });
  NOPAL_CHECK(in_two.most() <= 2 && in_three.most() <= 3);
  return 0;
}

NOPAL_PROGRAM(shared_by_threads) {
  support::at_once here;
  tbb::task_arena two(2);
  std::vector<std::thread> threads;
  for (int i = 0; i != 32; ++i) {
    threads.emplace_back([&] { two.execute([&] { loop(here); }); });
  }
  for (std::thread& one : threads) one.join();
  NOPAL_CHECK(here.most() <= 2);
  return 0;
}

// An arena of Nopal's own bounds oneTBB's algorithms as well.
NOPAL_PROGRAM(of_both_interfaces) {
  support::at_once here;
  nopal::arena two(2);
  tbb::task_arena three(3);
  two.execute([&] {
    loop(here);
    tbb::parallel_for(0, 20, [&](int) { loop(here); });
  });
  support::at_once inside;
  three.execute([&] { tbb::parallel_for(0, 20, [&](int) { two.execute([&] { loop(inside); }); }); });
  NOPAL_CHECK(here.most() <= 2 && inside.most() <= 2);
  return 0;
}

// While strands run, workers above the limit begin nothing.
NOPAL_PROGRAM(control_inside) {
  nopal::scope s;
  s.fork([] {
    for (int round = 0; round != 5; ++round) {
      support::at_once before;
      loop(before);
      support::at_once here;
      {
        const control two(control::max_allowed_parallelism, 2);
        NOPAL_CHECK(control::active_value(control::max_allowed_parallelism) == 2);
        // Those that are still in what they stole before.
        for (int i = 0; i != 100; ++i) std::this_thread::yield();
        loop(here);
        tbb::parallel_for(0, 10, [&](int) { nopal::parallel_for(0, 100, [&](int) { here.stay(); }); });
      }
      NOPAL_CHECK(here.most() <= 2);
    }
  });
  s.join();
  return 0;
}

// The limit ends: all workers are there again, also those that slept through it.
NOPAL_PROGRAM(control_that_ends) {
  nopal::scope s;
  s.fork([] {
    for (int round = 0; round != 5; ++round) {
      {
        const control one(control::max_allowed_parallelism, 2);
        support::at_once here;
        loop(here);
      }
      std::atomic<int> here{0};
      nopal::scope all;
      for (int i = 1; i != nopal::workers(); ++i) {
        all.fork([&] {
          ++here;
          while (here != nopal::workers()) std::this_thread::yield();
        });
      }
      ++here;
      while (here != nopal::workers()) std::this_thread::yield();
      all.join();
    }
  });
  s.join();
  return 0;
}

// The pool is stopped and begun anew beside a thread whose tasks nobody waits for yet: no task is a strand.
NOPAL_PROGRAM(controls_beside_tasks) {
  if (nopal::workers() == 1) return 0;
  std::atomic<bool> is_over{false};
  std::thread other([&is_over] {
    for (std::size_t i = 0; !is_over; ++i) {
      const control one(control::max_allowed_parallelism, 2 + i % 2);
      std::this_thread::yield();
    }
  });
  for (int round = 0; round != 500; ++round) {
    tbb::task_group group;
    std::atomic<bool> is_called{false};
    group.run([&is_called] { is_called = true; });
    while (!is_called) std::this_thread::yield();
    group.wait();
  }
  is_over = true;
  other.join();
  return 0;
}

class limits : public support::program_at_workers {};

TEST_P(limits, hold_for_algorithms_and_groups) { EXPECT_TRUE(run("algorithms")); }
TEST_P(limits, hold_for_plain_forks) { EXPECT_TRUE(run("plain_forks")); }
TEST_P(limits, hold_for_what_is_enqueued) { EXPECT_TRUE(run("enqueued")); }
TEST_P(limits, hold_for_nested_calls) { EXPECT_TRUE(run("nested")); }
TEST_P(limits, hold_for_threads_of_the_program) { EXPECT_TRUE(run("shared_by_threads")); }
TEST_P(limits, hold_across_the_interfaces) { EXPECT_TRUE(run("of_both_interfaces")); }
TEST_P(limits, of_the_process_hold_while_strands_run) { EXPECT_TRUE(run("control_inside")); }
TEST_P(limits, of_the_process_end_with_the_object) { EXPECT_TRUE(run("control_that_ends")); }
TEST_P(limits, of_the_process_leave_tasks_to_the_pool) { EXPECT_TRUE(run("controls_beside_tasks")); }

INSTANTIATE_TEST_SUITE_P(tbb, limits, testing::Values(1, 2, 4, 8), testing::PrintToStringParamName());

}  // namespace

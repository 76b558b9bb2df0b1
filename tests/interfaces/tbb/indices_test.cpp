// Indices of workers in tasks, where threads come and go and others take their workers over.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <nopal/nopal.hpp>
#include <thread>
#include <vector>

#include "support/strands.hpp"

namespace {

constexpr int threads = 4;

void fork_once() {
  nopal::scope s;
  s.fork([] {});
  s.join();
}

int index_in_a_task() {
  int index = -1;
  tbb::task_group group;
  group.run_and_wait([&] { index = nopal::worker_index(); });
  return index;
}

void wait_until(const std::atomic<int>& count, int reached) {
  while (count.load() < reached) std::this_thread::yield();
}

/// Threads that become workers one after the other, are there at once, and end one after the other.
template <class First, class Then>
void run_threads(const First& first, const Then& then) {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      first(i);
      begun = i + 1;
      wait_until(begun, threads);
      then(i);
      wait_until(ended, i);
    });
    wait_until(begun, i + 1);
  }
  for (std::thread& one : all) {
    one.join();
    ++ended;
  }
}

NOPAL_PROGRAM(threads_take_workers_over) {
  fork_once();
  for (int round = 0; round < 5; ++round) {
    // Some run no task, and leave a worker that has none nested in it.
    run_threads(
        [round](int i) {
          if ((i + round) % threads < 2) {
            fork_once();
          } else {
            index_in_a_task();
          }
        },
        [](int) {});
    std::array<int, threads> indices{};
    run_threads([](int) { fork_once(); },
                [&](int i) {
                  indices[static_cast<std::size_t>(i)] = index_in_a_task();
                  NOPAL_CHECK(indices[static_cast<std::size_t>(i)] == nopal::worker_index());
                });
    std::sort(indices.begin(), indices.end());
    NOPAL_CHECK(std::adjacent_find(indices.begin(), indices.end()) == indices.end());
  }
  return 0;
}

// A thread that waits in a call runs parts of loops of other tasks, and has one index in both.
NOPAL_PROGRAM(one_for_each_thread) {
  for (const int places : {2, 1, 2, 3, 2}) {
    tbb::task_arena arena(places);
    std::vector<std::atomic<bool>> taken(static_cast<std::size_t>(places));
    std::atomic<int> calls{0};
    const auto use = [&] {
      const int index = tbb::this_task_arena::current_thread_index();
      NOPAL_CHECK(index >= 0 && index < places);
      NOPAL_CHECK(!taken[static_cast<std::size_t>(index)].exchange(true));
      for (int i = 0; i != 200; ++i) asm volatile("" ::: "memory");
      taken[static_cast<std::size_t>(index)] = false;
      ++calls;
    };
    for (int round = 0; round != 50; ++round) {
      arena.execute([&] {
        tbb::task_group group;
        for (int i = 0; i != 50; ++i) {
          group.run([&] { tbb::parallel_for(0, 20, [&](int) { use(); }); });
        }
        group.wait();
      });
    }
    NOPAL_CHECK(calls == 50 * 50 * 20);
  }
  return 0;
}

template <class F>
void check_index_after(const F& start) {
  std::thread([&] {
    NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized);
    start();
    NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == 0);
  }).join();
}

NOPAL_PROGRAM(kept_after_algorithms) {
  for (const int limit : {1, 2}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(limit));
    check_index_after([] { tbb::parallel_for(0, 1, [](int) {}); });
    check_index_after([] { tbb::parallel_for(0, 1000, [](int) {}); });
    check_index_after([] { tbb::parallel_invoke([] {}, [] {}); });
    check_index_after([] {
      std::vector<int> items(600);
      tbb::parallel_sort(items.begin(), items.end());
    });
  }
  return 0;
}

TEST(indices, are_those_of_threads_after_algorithms_that_these_ran_alone) {
  for (const int workers : {1, 2}) {
    EXPECT_TRUE(support::succeeds("kept_after_algorithms", support::on_workers(workers)));
  }
}

TEST(indices, are_one_for_each_thread_whatever_it_runs_in_waits) {
  for (const int workers : {1, 2, 5}) {
    EXPECT_TRUE(support::succeeds("one_for_each_thread", support::on_workers(workers)));
  }
}

TEST(indices, are_those_of_their_threads_in_tasks_of_workers_taken_over) {
  for (const int workers : {1, 2}) {
    EXPECT_TRUE(support::succeeds("threads_take_workers_over", support::on_workers(workers)));
  }
}

}  // namespace

// Who runs what is enqueued in arenas: fewer threads than there are workers, and none in reserved places.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <tuple>

#include "support/strands.hpp"

namespace {

using namespace std::chrono_literals;

/// Counts threads that come as workers.
class workers_of : public tbb::task_scheduler_observer {
public:
  explicit workers_of(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
  ~workers_of() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) {
      const int now = ++inside_;
      for (int most = most_; most < now && !most_.compare_exchange_weak(most, now);) {
      }
    }
  }
  void on_scheduler_exit(bool is_worker) override { inside_ -= is_worker ? 1 : 0; }
  [[nodiscard]] int most() const { return most_; }

private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
};

void wait_for(const std::atomic<int>& calls, int wanted) {
  while (calls != wanted) std::this_thread::sleep_for(1ms);
}

NOPAL_PROGRAM(fewer_than_workers) {
  tbb::task_arena arena(16, 0);
  arena.initialize();
  const workers_of seen(arena);
  std::atomic<int> calls{0};
  for (int i = 0; i < 40; ++i) {
    arena.enqueue([&] {
      std::this_thread::sleep_for(1ms);
      ++calls;
    });
  }
  wait_for(calls, 40);
  NOPAL_CHECK(seen.most() >= 1 && seen.most() <= std::max(1, nopal::workers() - 1));
  return 0;
}

NOPAL_PROGRAM(none_in_reserved_places) {
  int alone = 0;
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    tbb::task_arena arena(2, 2);
    arena.initialize();
    const workers_of seen(arena);
    tbb::task_group group;
    std::atomic<int> calls{0};
    for (int i = 0; i < 3; ++i) arena.enqueue(group.defer([&] { ++calls; }));
    arena.execute([&] { group.wait(); });
    NOPAL_CHECK(calls == 3);
    alone += seen.most() == 0 ? 1 : 0;
  }
  // One comes where the program's thread is late.
  NOPAL_CHECK(alone >= rounds / 2);
  return 0;
}

NOPAL_PROGRAM(one_where_nobody_else_comes) {
  for (const unsigned reserved : {1U, 2U, 3U}) {
    tbb::task_arena arena(2, reserved);
    std::atomic<int> calls{0};
    for (int i = 0; i < 5; ++i) arena.enqueue([&] { ++calls; });
    wait_for(calls, 5);
  }
  return 0;
}

// Threads that run what was enqueued are not in the child; what they count as is not there either.
NOPAL_PROGRAM(after_fork) {
  tbb::task_arena arena(16, 0);
  std::atomic<int> begun{0};
  std::atomic<bool> may_end{false};
  const int inside = std::max(1, nopal::workers() - 1);
  for (int i = 0; i < inside; ++i) {
    arena.enqueue([&] {
      ++begun;
      while (!may_end) std::this_thread::sleep_for(1ms);
    });
  }
  wait_for(begun, inside);
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> calls{0};
    for (int i = 0; i < 5; ++i) arena.enqueue([&] { ++calls; });
    wait_for(calls, 5);
    _exit(0);
  }
  int status = 1;
  NOPAL_CHECK(waitpid(child, &status, 0) == child && status == 0);
  may_end = true;
  tbb::task_group group;
  arena.enqueue(group.defer([] {}));
  group.wait();
  return 0;
}

// What is for one that blocks comes in its place.
NOPAL_PROGRAM(more_where_some_block) {
  tbb::task_arena arena(16, 0);
  std::atomic<int> waiting{0};
  std::atomic<int> calls{0};
  for (int i = 0; i < 10; ++i) {
    arena.enqueue([&] {
      nopal::blocking([&] {
        ++waiting;
        while (waiting != 10) std::this_thread::sleep_for(1ms);
      });
      ++calls;
    });
  }
  wait_for(calls, 10);
  return 0;
}

TEST(types_of_cores, are_one) {
  EXPECT_EQ(tbb::info::core_types().size(), 1U);
  tbb::task_arena::constraints with;
  with.set_core_type(tbb::info::core_types().back());
  const int most = tbb::info::default_concurrency(with);
  EXPECT_EQ(most, tbb::info::default_concurrency());
  with.set_core_type(tbb::task_arena::selectable);
  const auto any = [](std::tuple<int, std::size_t, std::size_t>) { return 1; };
  EXPECT_EQ(tbb::info::default_concurrency(with, any), most);
  EXPECT_EQ(tbb::task_arena(with, any).max_concurrency(), most);
}

class enqueued : public support::program_at_workers {};

TEST_P(enqueued, is_run_by_fewer_threads_than_workers) { EXPECT_TRUE(run("fewer_than_workers")); }
TEST_P(enqueued, is_run_by_the_program_where_all_is_reserved) { EXPECT_TRUE(run("none_in_reserved_places")); }
TEST_P(enqueued, is_run_where_nobody_else_comes) { EXPECT_TRUE(run("one_where_nobody_else_comes")); }
TEST_P(enqueued, is_run_in_children) { EXPECT_TRUE(run("after_fork")); }
TEST_P(enqueued, is_run_beside_what_blocks) { EXPECT_TRUE(run("more_where_some_block")); }

INSTANTIATE_TEST_SUITE_P(tbb, enqueued, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

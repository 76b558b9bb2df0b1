// Tasks of oneTBB's interface that are suspended, and resumed by whoever has their points.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

/// Where points are put until somebody resumes them.
class point_list {
public:
  void put(tbb::task::suspend_point point) {
    const std::lock_guard guard(mutex_);
    points_.push_back(point);
    changed_.notify_one();
  }
  /// Waits until there are as many.
  std::vector<tbb::task::suspend_point> take(std::size_t count) {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return points_.size() >= count; });
    return std::exchange(points_, {});
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<tbb::task::suspend_point> points_;
};

NOPAL_PROGRAM(resumed_at_once) {
  int calls = 0;
  tbb::task::suspend([&](tbb::task::suspend_point point) {
    ++calls;
    tbb::task::resume(point);
  });
  tbb::task_group group;
  std::atomic<int> sum{0};
  for (int i = 0; i != 200; ++i) {
    group.run([&] {
      const std::thread::id here = std::this_thread::get_id();
      tbb::task::suspend([](tbb::task::suspend_point point) { tbb::task::resume(point); });
      NOPAL_CHECK(std::this_thread::get_id() == here);
      ++sum;
    });
  }
  group.wait();
  NOPAL_CHECK(sum == 200 && calls == 1);
  return 0;
}

// A thread of the program resumes one after the other, maybe before the task waits.
NOPAL_PROGRAM(resumed_by_a_thread) {
  constexpr int count = 300;
  point_list points;
  std::atomic<int> over{0};
  std::thread resumer([&] {
    for (int resumed = 0; resumed != count;) {
      for (const tbb::task::suspend_point point : points.take(1)) {
        tbb::task::resume(point);
        ++resumed;
      }
    }
  });
  tbb::parallel_for(
      0, count,
      [&](int i) {
        const std::thread::id here = std::this_thread::get_id();
        const tbb::task_group_context* const context = tbb::task::current_context();
        const int index = tbb::this_task_arena::current_thread_index();
        tbb::task::suspend([&](tbb::task::suspend_point point) {
          points.put(point);
          if (i % 3 == 0) std::this_thread::yield();
        });
        NOPAL_CHECK(std::this_thread::get_id() == here && tbb::task::current_context() == context);
        NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == index);
        ++over;
      },
      tbb::simple_partitioner());
  resumer.join();
  NOPAL_CHECK(over == count);
  return 0;
}

// The task that resumes it begins only where the place of the suspended one is given to others.
NOPAL_PROGRAM(resumed_by_a_task) {
  for (int round = 0; round != 20; ++round) {
    point_list points;
    std::atomic<int> over{0};
    tbb::task_group group;
    const int count = 2 * tbb::this_task_arena::max_concurrency();
    for (int i = 0; i != count; ++i) {
      group.run([&] {
        tbb::task::suspend([&](tbb::task::suspend_point point) { points.put(point); });
        ++over;
      });
    }
    tbb::task_group resuming;
    std::thread other([&] {
      resuming.run_and_wait([&] {
        for (const tbb::task::suspend_point point : points.take(static_cast<std::size_t>(count))) {
          tbb::task::resume(point);
        }
      });
    });
    group.wait();
    other.join();
    NOPAL_CHECK(over == count);
  }
  return 0;
}

/// A point and its resumption, whichever comes first.
class meeting {
public:
  void wait() {
    tbb::task::suspend([this](tbb::task::suspend_point point) {
      if (tbb::task::suspend_point expected = nullptr; !point_.compare_exchange_strong(expected, point)) {
        tbb::task::resume(point);
      }
    });
  }
  void resume() {
    if (tbb::task::suspend_point expected = nullptr; !point_.compare_exchange_strong(expected, none_)) {
      tbb::task::resume(expected);
    }
  }

private:
  /// Another address than that of any point.
  tbb::task::suspend_point none_ = reinterpret_cast<tbb::task::suspend_point>(this);
  std::atomic<tbb::task::suspend_point> point_{nullptr};
};

// Each task resumes the next one, all of one group that the thread waits for.
NOPAL_PROGRAM(chain) {
  constexpr std::size_t count = 100;
  std::vector<meeting> meetings(count + 1);
  std::atomic<std::size_t> over{0};
  tbb::task_group group;
  for (std::size_t i = 0; i != count; ++i) {
    group.run([&, i] {
      if (i != 0) meetings[i].wait();
      meetings[i + 1].resume();
      ++over;
    });
  }
  group.wait();
  NOPAL_CHECK(over == count);
  return 0;
}

// The outermost code of a thread is suspended, and a task that it has started resumes it.
NOPAL_PROGRAM(outermost) {
  for (int round = 0; round != 20; ++round) {
    const std::thread::id here = std::this_thread::get_id();
    tbb::task_group group;
    tbb::task::suspend(
        [&](tbb::task::suspend_point point) { group.run([point] { tbb::task::resume(point); }); });
    NOPAL_CHECK(std::this_thread::get_id() == here);
    group.wait();
  }
  return 0;
}

NOPAL_PROGRAM(a_thousand) {
  constexpr std::size_t count = 1000;
  point_list points;
  std::atomic<std::size_t> over{0};
  std::thread resumer([&] {
    for (const tbb::task::suspend_point point : points.take(count)) tbb::task::resume(point);
  });
  tbb::task_group group;
  for (std::size_t i = 0; i != count; ++i) {
    group.run([&] {
      tbb::task::suspend([&](tbb::task::suspend_point point) { points.put(point); });
      ++over;
    });
  }
  group.wait();
  resumer.join();
  NOPAL_CHECK(over == count);
  return 0;
}

// In stages, in arenas, and while the task that was resumed still has a loop to wait for.
NOPAL_PROGRAM(in_everything) {
  point_list points;
  std::atomic<bool> ends{false};
  std::thread resumer([&] {
    while (!ends) {
      for (const tbb::task::suspend_point point : points.take(0)) tbb::task::resume(point);
      std::this_thread::yield();
    }
  });
  const auto suspend = [&] {
    tbb::task::suspend([&](tbb::task::suspend_point point) { points.put(point); });
  };
  int given = 0;
  int through = 0;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
           if (given == 50) control.stop();
           return given++;
         }) & tbb::make_filter<int, int>(tbb::filter_mode::parallel, [&](int item) {
           suspend();
           return item;
         }) & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int item) {
           suspend();
           NOPAL_CHECK(item == through++);
         }));
  NOPAL_CHECK(through == 50);
  std::atomic<int> sum{0};
  for (const int most : {1, 2}) {
    tbb::task_arena(most).execute([&] {
      tbb::parallel_for(0, 20, [&](int) {
        suspend();
        tbb::parallel_for(0, 10, [&](int) { ++sum; });
        suspend();
      });
    });
  }
  NOPAL_CHECK(sum == 400);
  ends = true;
  resumer.join();
  return 0;
}

class suspensions : public support::program_at_workers {
protected:
  static testing::AssertionResult run_with_places(const char* name, const char* most) {
    support::environment with = support::on_workers(GetParam());
    with.emplace_back("NOPAL_SUBSTITUTES", most);
    return support::succeeds(name, with);
  }
};

TEST_P(suspensions, may_end_before_they_begin) { EXPECT_TRUE(run("resumed_at_once")); }
TEST_P(suspensions, are_ended_by_other_threads) { EXPECT_TRUE(run("resumed_by_a_thread")); }
TEST_P(suspensions, are_ended_by_tasks) { EXPECT_TRUE(run("resumed_by_a_task")); }
TEST_P(suspensions, are_ended_by_tasks_of_the_same_group) { EXPECT_TRUE(run("chain")); }
TEST_P(suspensions, give_the_place_of_the_outermost_code) { EXPECT_TRUE(run("outermost")); }
TEST_P(suspensions, may_be_a_thousand) { EXPECT_TRUE(run_with_places("a_thousand", "1100")); }
TEST_P(suspensions, are_in_stages_and_arenas) { EXPECT_TRUE(run("in_everything")); }

INSTANTIATE_TEST_SUITE_P(tbb, suspensions, testing::Values(1, 2, 4), testing::PrintToStringParamName());

}  // namespace

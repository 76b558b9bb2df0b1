// Suspended tasks in arenas: others have their places meanwhile, also where all places are of suspended ones.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

using tbb::task_group;
using point_of_task = tbb::task::suspend_point;

/// Suspends the caller; `start` is given the function that has it go on.
template <class Start>
void suspend(const Start& start) {
  tbb::task::suspend([&start](point_of_task point) { start([point] { tbb::task::resume(point); }); });
}

/// In arenas of one to three places, many times.
template <class Code>
void in_small_arenas(const Code& code) {
  for (int round = 0; round != 10; ++round) {
    for (const int most : {1, 2, 3}) tbb::task_arena(most).execute([&] { code(most); });
  }
}

// All of the group at once, each by a task that it starts: of the same group, of another one, and one that is enqueued.
NOPAL_PROGRAM(by_later_tasks) {
  in_small_arenas([](int most) {
    std::atomic<int> over{0};
    task_group group;
    task_group other;
    for (int i = 0; i != 2 * most; ++i) {
      group.run([&] {
        suspend([&](auto resume) { group.run(resume); });
        suspend([&](auto resume) { other.run(resume); });
        suspend([](auto resume) { tbb::this_task_arena::enqueue(resume); });
        ++over;
      });
    }
    group.wait();
    other.wait();
    NOPAL_CHECK(over == 2 * most);
  });
  return 0;
}

// The outermost code of the arena.
NOPAL_PROGRAM(outermost_by_a_task) {
  in_small_arenas([](int /*most*/) {
    task_group group;
    suspend([&](auto resume) { group.run(resume); });
    group.wait();
  });
  return 0;
}

// A task waits for the suspended one, and the one that resumes it begins in that wait.
NOPAL_PROGRAM(waited_for_by_tasks) {
  in_small_arenas([](int /*most*/) {
    task_group suspended;
    task_group waiting;
    std::atomic<point_of_task> point{nullptr};
    std::atomic<int> over{0};
    suspended.run([&] {
      tbb::task::suspend([&](point_of_task here) { point = here; });
      ++over;
    });
    const auto resume = [&] {
      while (point == nullptr) std::this_thread::yield();
      tbb::task::resume(point);
    };
    waiting.run([&] {
      task_group resuming;
      resuming.run(resume);
      suspended.wait();
      resuming.wait();
      ++over;
    });
    suspended.wait();
    waiting.wait();
    NOPAL_CHECK(over == 2);
  });
  return 0;
}

// With indices asked for before and after, at which threads may be more than places for a while.
NOPAL_PROGRAM(with_indices) {
  in_small_arenas([](int most) {
    const auto check_index = [most] {
      const int index = tbb::this_task_arena::current_thread_index();
      NOPAL_CHECK(index >= 0 && index < most);
    };
    std::atomic<int> over{0};
    task_group group;
    check_index();
    for (int i = 0; i != 2 * most; ++i) {
      group.run([&] {
        check_index();
        suspend([&](auto resume) {
          group.run([=] {
            check_index();
            resume();
          });
        });
        check_index();
        task_group inner;
        inner.run([&] { suspend([&](auto resume) { inner.run(resume); }); });
        inner.wait();
        check_index();
        ++over;
      });
    }
    group.wait();
    check_index();
    NOPAL_CHECK(over == 2 * most);
  });
  return 0;
}

// Bodies of a loop, many more than places, all suspended until another thread comes by.
NOPAL_PROGRAM(many_more_than_places) {
  constexpr int most = 3;
  tbb::task_arena arena(most);
  std::array<std::atomic<int>, most> users{};
  std::atomic<int> over{0};
  std::atomic<bool> ends{false};
  std::vector<std::atomic<point_of_task>> points(200);
  std::thread resumer([&] {
    while (!ends) {
      for (std::atomic<point_of_task>& place : points) {
        if (const point_of_task point = place.exchange(nullptr)) tbb::task::resume(point);
      }
      std::this_thread::yield();
    }
  });
  const auto use_index = [&] {
    const auto index = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    NOPAL_CHECK(index < most);
    ++users[index];
    std::this_thread::yield();
    --users[index];
  };
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, points.size(), [&](std::size_t i) {
      use_index();
      tbb::task::suspend([&](point_of_task point) { points[i] = point; });
      use_index();
      ++over;
    });
  });
  ends = true;
  resumer.join();
  NOPAL_CHECK(over == static_cast<int>(points.size()));
  for (const std::atomic<int>& left : users) NOPAL_CHECK(left == 0);
  return 0;
}

// All places are of suspended tasks, whom threads that come into the arena resume.
NOPAL_PROGRAM(by_threads_that_come) {
  for (int round = 0; round != 20; ++round) {
    tbb::task_arena arena(2);
    std::array<std::atomic<point_of_task>, 2> points{};
    std::atomic<int> over{0};
    std::thread other([&] {
      for (std::atomic<point_of_task>& point : points) {
        while (point == nullptr) std::this_thread::yield();
      }
      arena.execute([&] {
        for (std::atomic<point_of_task>& point : points) tbb::task::resume(point);
      });
    });
    arena.execute([&] {
      task_group group;
      for (std::atomic<point_of_task>& place : points) {
        group.run([&] {
          tbb::task::suspend([&](point_of_task point) { place = point; });
          ++over;
        });
      }
      group.wait();
    });
    other.join();
    NOPAL_CHECK(over == 2);
  }
  return 0;
}

// What is enqueued into an arena whose only place is reserved runs beside that place, on a thread that lends its own.
NOPAL_PROGRAM(enqueued_where_all_is_reserved) {
  for (int round = 0; round != 10; ++round) {
    tbb::task_arena arena(1);
    std::atomic<int> over{0};
    for (int i = 0; i != 3; ++i) {
      arena.enqueue([&] {
        task_group group;
        suspend([&](auto resume) { arena.enqueue(resume); });
        suspend([&](auto resume) { group.run(resume); });
        tbb::this_task_arena::isolate([&] { suspend([&](auto resume) { group.run(resume); }); });
        group.wait();
        NOPAL_CHECK(tbb::this_task_arena::current_thread_index() >= 0);
        ++over;
      });
    }
    while (over != 3) std::this_thread::yield();
  }
  return 0;
}

class suspended_in_arenas : public support::program_at_workers {};

TEST_P(suspended_in_arenas, are_resumed_by_later_tasks) { EXPECT_TRUE(run("by_later_tasks")); }
TEST_P(suspended_in_arenas, may_be_the_outermost_code) { EXPECT_TRUE(run("outermost_by_a_task")); }
TEST_P(suspended_in_arenas, go_on_beside_tasks_that_wait_for_them) {
  EXPECT_TRUE(run("waited_for_by_tasks"));
}
TEST_P(suspended_in_arenas, may_be_enqueued_where_no_worker_comes) {
  EXPECT_TRUE(run("enqueued_where_all_is_reserved"));
}
TEST_P(suspended_in_arenas, have_indices) { EXPECT_TRUE(run("with_indices")); }
TEST_P(suspended_in_arenas, leave_room_for_many) { EXPECT_TRUE(run("many_more_than_places")); }
TEST_P(suspended_in_arenas, let_threads_in) { EXPECT_TRUE(run("by_threads_that_come")); }

INSTANTIATE_TEST_SUITE_P(tbb, suspended_in_arenas, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

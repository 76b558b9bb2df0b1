// Random trees of tasks in nested arenas of oneTBB's interface, which are suspended and resumed by later tasks and by other threads.
// oneTBB ends all of them.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "seeded_nests.hpp"

namespace {

using point_of_task = tbb::task::suspend_point;

class numbers {
public:
  explicit numbers(unsigned seed) : last_(seed) {}
  unsigned operator()() { return static_cast<unsigned>((last_ = support::mix(last_ + 1)) >> 16U); }

private:
  support::number last_;
};

/// A thread that resumes whatever it is given.
class resumer {
public:
  resumer() : thread_([this] { resume_all(); }) {}
  resumer(const resumer&) = delete;
  resumer& operator=(const resumer&) = delete;
  ~resumer() {
    ends_ = true;
    thread_.join();
  }
  void put(point_of_task point) {
    const std::lock_guard guard(mutex_);
    points_.push_back(point);
  }

private:
  void resume_all() {
    while (!ends_) {
      std::deque<point_of_task> points;
      {
        const std::lock_guard guard(mutex_);
        points.swap(points_);
      }
      for (const point_of_task point : points) tbb::task::resume(point);
      std::this_thread::yield();
    }
  }

  std::mutex mutex_;
  std::deque<point_of_task> points_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

class program {
public:
  explicit program(unsigned seed)
      : numbers_(seed), asks_for_indices_(seed % 2 == 0), asks_outside_(seed % 4 == 0) {
    for (unsigned left = 1 + numbers_() % 3; left != 0; --left) {
      const int most = 1 + static_cast<int>(numbers_() % 4);
      const unsigned reserved = numbers_() % 2 == 0 ? 1 : numbers_() % (static_cast<unsigned>(most) + 1);
      arenas_.push_back(std::make_unique<tbb::task_arena>(most, reserved));
    }
  }

  void run() {
    constexpr int depth = 3;
    for (int round = 0; round != 10; ++round) {
      const unsigned seed = numbers_();
      const std::size_t where = numbers_() % (arenas_.size() + 1);
      if (where == arenas_.size()) {
        node(seed, depth, 0);
      } else {
        arenas_[where]->execute([=, this] { node(seed, depth, where + 1); });
      }
    }
    NOPAL_CHECK(begun_ == over_);
  }

private:
  void suspend(numbers& by, tbb::task_group& group, std::size_t first_arena) {
    const unsigned how = by() % 5;
    tbb::task::suspend([&](point_of_task point) {
      if (how < 2) {
        group.run([point] { tbb::task::resume(point); });
      } else if (how == 2) {
        resumer_.put(point);
      } else if (how == 3) {
        tbb::this_task_arena::enqueue([point] { tbb::task::resume(point); });
      } else {
        tbb::task::resume(point);
      }
    });
    check_index(first_arena);
  }

  void check_index(std::size_t first_arena) const {
    if (first_arena != 0 ? asks_for_indices_ : asks_outside_) {
      const int index = tbb::this_task_arena::current_thread_index();
      NOPAL_CHECK(index < tbb::this_task_arena::max_concurrency());
      // Outside, before the thread has used the library, it has none.
      NOPAL_CHECK(index >= (first_arena != 0 ? 0 : static_cast<int>(tbb::task_arena::not_initialized)));
    }
  }

  /// In arenas from the one of this number on, so that no circle of threads waits for places.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as is said
  void node(unsigned seed, int depth, std::size_t first_arena) {
    numbers by(seed);
    tbb::task_group group;
    ++begun_;
    check_index(first_arena);
    for (unsigned left = 1 + by() % 3; left != 0; --left) {
      const unsigned next = by();
      const unsigned kind = by() % 12;
      const std::size_t arena = first_arena + by() % 3;
      if (kind < 4 && depth > 0) {
        group.run([=, this] { node(next, depth - 1, first_arena); });
      } else if (kind < 7) {
        group.run([=, &group, this] {
          numbers own(next);
          suspend(own, group, first_arena);
          if (own() % 2 != 0) suspend(own, group, first_arena);
        });
      } else if (kind < 9 && depth > 0 && arena < arenas_.size()) {
        arenas_[arena]->execute([=, this] { node(next, depth - 1, arena + 1); });
      } else if (kind < 11 && depth > 0) {
        tbb::parallel_for(0U, 1 + next % 4,
                          [=, this](unsigned i) { node(next + i, depth - 1, first_arena); });
      } else {
        suspend(by, group, first_arena);
      }
      if (by() % 3 == 0) group.wait();
    }
    group.wait();
    check_index(first_arena);
    ++over_;
  }

  numbers numbers_;
  const bool asks_for_indices_;
  const bool asks_outside_;
  std::vector<std::unique_ptr<tbb::task_arena>> arenas_;
  resumer resumer_;
  std::atomic<int> begun_{0};
  std::atomic<int> over_{0};
};

NOPAL_PROGRAM(suspended_at_random) {
  const support::number first = support::seed_given_in("NESTS_SEED");
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds_of_nests);
  for (support::number i = 0; std::chrono::steady_clock::now() < end; ++i) {
    program(static_cast<unsigned>(support::mix(first + i))).run();
  }
  return 0;
}

class random_suspensions : public seeded_nests {};

TEST_P(random_suspensions, end) { pass("suspended_at_random"); }

INSTANTIATE_TEST_SUITE_P(tbb, random_suspensions, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace

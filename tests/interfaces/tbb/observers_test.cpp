// task_scheduler_observer: no more threads at once than an arena's concurrency, each with an index of its own.
#include <gtest/gtest.h>
#include <tbb/tbb.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/program.hpp"

namespace {

/// Of this thread, for each observer that a test has at once.
thread_local int depth_here[3] = {};
thread_local int index_here = -1;

class counting : public tbb::task_scheduler_observer {
public:
  explicit counting(int place) : place_(place) { observe(); }
  counting(int place, tbb::task_arena& of) : task_scheduler_observer(of), place_(place) { observe(); }
  ~counting() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    NOPAL_CHECK(depth_here[place_]++ == 0);
    const int now = ++now_;
    int most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    ++entries_;
    masters_ += is_worker ? 0 : 1;
  }
  void on_scheduler_exit(bool is_worker) override {
    NOPAL_CHECK(--depth_here[place_] == 0);
    masters_ -= is_worker ? 0 : 1;
    ++exits_;
    --now_;  // last: then the others are right
  }

  [[nodiscard]] bool is_here() const { return depth_here[place_] != 0; }
  [[nodiscard]] int entries() const { return entries_; }
  [[nodiscard]] int exits() const { return exits_; }
  [[nodiscard]] int now() const { return now_; }
  [[nodiscard]] int most() const { return most_; }
  [[nodiscard]] int masters() const { return masters_; }

private:
  const int place_;
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
  std::atomic<int> entries_{0};
  std::atomic<int> exits_{0};
  std::atomic<int> masters_{0};
};

void wait_until_left(const counting& one) {
  while (one.now() != 0) std::this_thread::yield();
}

void loops_seen_by(const counting& one) {
  tbb::parallel_for(0, 200, [&](int) {
    NOPAL_CHECK(one.is_here());
    tbb::parallel_for(0, 10, [&](int) { NOPAL_CHECK(one.is_here()); });
  });
  tbb::task_group group;
  for (int i = 0; i != 20; ++i) {
    group.run([&] { NOPAL_CHECK(one.is_here()); });
  }
  group.wait();
}

NOPAL_PROGRAM(limits) {
  for (int limit = 1; limit != 4; ++limit) {
    tbb::task_arena arena(limit);
    const counting seen(0, arena);
    std::vector<std::thread> threads;
    for (int i = 0; i != 5; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round != 30; ++round) {
          arena.execute([&] { loops_seen_by(seen); });
          NOPAL_CHECK(!seen.is_here());
        }
      });
    }
    for (std::thread& one : threads) one.join();
    wait_until_left(seen);
    NOPAL_CHECK(seen.most() <= limit && seen.entries() == seen.exits() && seen.entries() >= 150);
    NOPAL_CHECK(seen.masters() == 0);
  }
  return 0;
}

NOPAL_PROGRAM(arenas_apart) {
  tbb::task_arena one(2);
  tbb::task_arena other(2);
  const counting of_one(0, one);
  const counting of_other(1, other);
  for (int round = 0; round != 50; ++round) {
    one.execute([&] { loops_seen_by(of_one); });
    NOPAL_CHECK(of_other.entries() == 0);
  }
  one.execute([&] {
    other.execute([&] {
      NOPAL_CHECK(of_one.is_here() && of_other.is_here());
      one.execute([&] { loops_seen_by(of_one); });
      loops_seen_by(of_other);
    });
    NOPAL_CHECK(of_one.is_here() && !of_other.is_here());
  });
  wait_until_left(of_one);
  wait_until_left(of_other);
  NOPAL_CHECK(of_one.entries() == of_one.exits() && of_one.most() <= 2);
  NOPAL_CHECK(of_other.entries() == of_other.exits() && of_other.most() <= 2);
  return 0;
}

NOPAL_PROGRAM(outside_of_arenas) {
  const counting seen(0);
  NOPAL_CHECK(seen.is_here());
  for (int round = 0; round != 20; ++round) {
    loops_seen_by(seen);
    NOPAL_CHECK(seen.is_here() && seen.most() <= nopal::workers());
  }
  tbb::task_arena arena(2);
  arena.execute([] { tbb::parallel_for(0, 100, [](int) {}); });
  return 0;
}

// Its thread takes part already, and another one begins to observe.
NOPAL_PROGRAM(observed_by_others) {
  tbb::parallel_for(0, 100, [](int) {});
  std::unique_ptr<counting> seen;
  std::thread([&seen] { seen = std::make_unique<counting>(0); }).join();
  NOPAL_CHECK(!seen->is_here());
  loops_seen_by(*seen);
  NOPAL_CHECK(seen->is_here());
  return 0;
}

NOPAL_PROGRAM(enqueued) {
  tbb::task_arena arena(2);
  const counting seen(0, arena);
  std::atomic<int> called{0};
  for (int i = 0; i != 100; ++i) {
    arena.enqueue([&] {
      NOPAL_CHECK(seen.is_here());
      ++called;
    });
  }
  while (called != 100) std::this_thread::yield();
  wait_until_left(seen);
  NOPAL_CHECK(seen.entries() == seen.exits() && seen.most() <= 2);
  return 0;
}

// From entry to exit an index is of one thread.
NOPAL_PROGRAM(indices) {
  class indexed : public tbb::task_scheduler_observer {
  public:
    explicit indexed(tbb::task_arena& of) : task_scheduler_observer(of) { observe(); }
    ~indexed() override { observe(false); }
    void on_scheduler_entry(bool) override {
      NOPAL_CHECK(tbb::this_task_arena::max_concurrency() == 3);
      const int index = tbb::this_task_arena::current_thread_index();
      NOPAL_CHECK(index >= 0 && index < 3 && ++users_[index] == 1);
      index_here = index;
    }
    void on_scheduler_exit(bool) override {
      NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == index_here);
      NOPAL_CHECK(--users_[index_here] == 0);
      index_here = -1;
    }

  private:
    std::atomic<int> users_[3] = {};
  };
  tbb::task_arena arena(3);
  auto seen = std::make_unique<indexed>(arena);
  std::vector<std::thread> threads;
  const auto loop = [&] {
    tbb::parallel_for(0, 300,
                      [&](int) { NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == index_here); });
  };
  for (int i = 0; i != 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round != 30; ++round) arena.execute(loop);
    });
  }
  for (std::thread& one : threads) one.join();
  // Whoever is there when an observer ceases gives its index back when it leaves.
  for (int round = 0; round != 50; ++round) {
    arena.execute([&] {
      loop();
      seen.reset();
      seen = std::make_unique<indexed>(arena);
      tbb::parallel_for(0, 100, [](int) {
        const int index = tbb::this_task_arena::current_thread_index();
        NOPAL_CHECK(index >= 0 && index < 3);
      });
    });
  }
  return 0;
}

NOPAL_PROGRAM(again) {
  tbb::task_arena arena(2);
  counting seen(0, arena);
  for (int round = 0; round != 100; ++round) {
    NOPAL_CHECK(seen.is_observing());
    arena.execute([&] { loops_seen_by(seen); });
    wait_until_left(seen);
    seen.observe(false);
    NOPAL_CHECK(!seen.is_observing());
    const int entries = seen.entries();
    arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { NOPAL_CHECK(!seen.is_here()); }); });
    NOPAL_CHECK(seen.entries() == entries && seen.exits() == entries);
    seen.observe();
    seen.observe(true);
  }
  return 0;
}

class observers : public support::program_at_workers {};

TEST_P(observers, see_no_more_threads_than_the_concurrency) { EXPECT_TRUE(run("limits")); }
TEST_P(observers, are_of_one_arena) { EXPECT_TRUE(run("arenas_apart")); }
TEST_P(observers, see_threads_outside_of_arenas) { EXPECT_TRUE(run("outside_of_arenas")); }
TEST_P(observers, see_threads_that_others_observe) { EXPECT_TRUE(run("observed_by_others")); }
TEST_P(observers, see_who_runs_what_is_enqueued) { EXPECT_TRUE(run("enqueued")); }
TEST_P(observers, find_an_index_that_stays) { EXPECT_TRUE(run("indices")); }
TEST_P(observers, may_cease_and_begin_again) { EXPECT_TRUE(run("again")); }

INSTANTIATE_TEST_SUITE_P(at_workers, observers, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace

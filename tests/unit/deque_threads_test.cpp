// The deque under one owner and two thieves: every entry is taken exactly once, by whoever.
#include "deque/deque.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "os/os.hpp"
#include "unit/deque_fixture.hpp"

namespace {

namespace deque = nopal::internal::deque;

std::uint64_t seed() {
  if (const char* const text = std::getenv("NOPAL_TEST_SEED")) return std::strtoull(text, nullptr, 10);
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

class deque_threads : public deque_fixture {
protected:
  static constexpr int thieves = 2;
  static constexpr int operations = 3000000;
  static constexpr int deepest = 600;  // beyond the first capacity, so that arrays grow under thieves' eyes

  /// Entries are reused, so each counts how often it was pushed and taken: never more often than pushed.
  struct life {
    std::atomic<int> pushed{0};
    std::atomic<int> taken{0};
  };

  void count_taken(const nopal_frame* frame) {
    life& one = lives_[static_cast<std::size_t>(frame - entry(0))];
    const int taken = one.taken.fetch_add(1) + 1;
    if (taken > one.pushed.load()) taken_twice_.fetch_add(1);
  }

  void run_thief(std::uint64_t thief_seed) {
    std::mt19937_64 random(thief_seed);
    while (!done_.load(std::memory_order_acquire)) {
      nopal_frame* frame = nullptr;
      if (deque::steal(deque_, frame, [](void*) { return true; }, nullptr) == deque::steal_outcome::taken) {
        count_taken(frame);
        stolen_.fetch_add(1, std::memory_order_relaxed);
      } else if (random() % 4 == 0) {
        forced_.fetch_add(
            deque::force_publish(
                deque_, nopal::internal::os::process_barrier, [](void*) { return true; }, nullptr),
            std::memory_order_relaxed);
      }
    }
  }

  /// The owner knows its entries by their order, as a strand does: what it pops is what it pushed last, and a failed
  /// pop says that this one and every older one is gone.
  void run_owner(std::uint64_t owner_seed) {
    std::mt19937_64 random(owner_seed);
    std::vector<int> mine;
    int next = 0;
    for (int i = 0; i < operations; ++i) {
      if (i % 2048 == 0)
        std::this_thread::yield();  // on few processors the thieves get their turn inside a run
      // Long runs of one kind, so that the deque gets deep and empty again.
      const bool growing = (i / 1000) % 2 == 0;
      if (mine.size() < deepest && random() % 8 < (growing ? 5U : 3U)) {
        push_mine(next);
        mine.push_back(next);
        next = (next + 1) % 5000;
        if (random() % 4 == 0) publish_some(static_cast<std::int32_t>(random() % 20));
      } else if (!mine.empty()) {
        pop_mine(mine);
      }
    }
    while (!mine.empty()) pop_mine(mine);
  }

  void push_mine(int number) {
    lives_[static_cast<std::size_t>(number)].pushed.fetch_add(1);
    push(number);
  }

  void publish_some(std::int32_t most) {
    deque::publish(deque_, most, [](void*, nopal_frame*&) {}, nullptr);
  }

  void pop_mine(std::vector<int>& mine) {
    if (pop()) {
      count_taken(entry(mine.back()));
      mine.pop_back();
    } else {
      mine.clear();
      if (deque_.bottom > 4000) deque::reset(deque_);
    }
  }

  std::vector<life> lives_ = std::vector<life>(6000);
  std::atomic<bool> done_{false};
  std::atomic<int> taken_twice_{0};
  std::atomic<long> stolen_{0};
  std::atomic<long> forced_{0};
};

TEST_F(deque_threads, every_entry_is_taken_exactly_once) {
  const std::uint64_t chosen = seed();
  SCOPED_TRACE("NOPAL_TEST_SEED=" + std::to_string(chosen));
  ASSERT_TRUE(nopal::internal::os::process_barrier_register());
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < thieves; ++i) {
    threads.emplace_back([this, chosen, i] { run_thief(chosen + 1 + i); });
  }
  run_owner(chosen);
  done_.store(true, std::memory_order_release);
  for (std::thread& one : threads) one.join();

  EXPECT_EQ(taken_twice_.load(), 0);
  for (std::size_t i = 0; i < lives_.size(); ++i) {
    ASSERT_EQ(lives_[i].taken.load(), lives_[i].pushed.load()) << "entry " << i;
  }
  std::printf("NOPAL_TEST_SEED=%llu: %ld stolen, %ld forced\n", static_cast<unsigned long long>(chosen),
              stolen_.load(), forced_.load());
}

}  // namespace

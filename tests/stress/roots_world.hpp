// What the threads of a random program share, and how each of them waits for others: the same objects serve the parallel program
// and the serial one.
//
// Threads have numbers. Everything that belongs to a thread may be waited for by strands of threads with smaller numbers only, so no
// circle of waits exists: the last thread waits for nobody.
#ifndef NOPAL_TESTS_STRESS_ROOTS_WORLD_HPP
#define NOPAL_TESTS_STRESS_ROOTS_WORLD_HPP

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "run_settings.hpp"
#include "support/checking_mutex.hpp"

namespace roots {

using number = std::uint64_t;
using stress::mix;

/// A mutex of the kind that a number chooses.
class any_mutex {
public:
  /// Calls `f` with the mutex held; if it is shared, by a reader or by a writer, as `how` says.
  template <class F>
  number hold(number kind, number how, const F& f) {
    switch (kind % 4) {
    case 0: return held(std::lock_guard(plain_), f);
    case 1: {
      const std::lock_guard again(recursive_);
      return held(std::lock_guard(recursive_), f);
    }
    case 2: return held(std::lock_guard(checking_), f);
    default: return how % 2 == 0 ? held(std::shared_lock(shared_), f) : held(std::lock_guard(shared_), f);
    }
  }

private:
  template <class Guard, class F>
  static number held(const Guard&, const F& f) {
    return f();
  }

  std::mutex plain_;
  std::recursive_mutex recursive_;
  support::checking_mutex checking_;
  std::shared_mutex shared_;
};

/// What becomes known once, and is told in two ways.
class event {
public:
  void happen(number value) {
    promise_.set_value(value);
    {
      const std::lock_guard guard(mutex_);
      value_ = value;
      happened_ = true;
    }
    changed_.notify_all();
  }
  [[nodiscard]] number by_future() const { return std::shared_future<number>(future_).get(); }
  number by_condition() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [this] { return happened_; });
    return value_;
  }

private:
  std::promise<number> promise_;
  std::shared_future<number> future_ = promise_.get_future().share();
  std::mutex mutex_;
  std::condition_variable changed_;
  number value_ = 0;
  bool happened_ = false;
};

/// A sum under a mutex that nobody holds for long.
struct sum_under_mutex {
  void add(number value) {
    mutex.hold(kind, 1, [&] { return sum += value; });
  }
  number kind = 0;
  any_mutex mutex;
  number sum = 0;
};

/// What a thread has of its own in one phase of the program.
struct step {
  any_mutex held;  ///< while the thread is in its region, if it likes
  event over;      ///< the thread has done its part
  number under_held = 0;
};

/// What all threads have in one phase.
struct phase {
  explicit phase(std::size_t threads) {
    for (std::size_t i = 0; i != threads; ++i) steps.push_back(std::make_unique<step>());
  }
  std::vector<std::unique_ptr<step>> steps;
  static constexpr std::size_t flags = 4;
  std::once_flag small[flags];  ///< of functions without a fork
  number small_value[flags] = {};
  std::once_flag large[flags];  ///< of regions: threads come here outside of theirs
  number large_value[flags] = {};
};

struct world {
  world(number which, std::size_t thread_count, std::size_t phase_count)
      : seed(which), threads(thread_count), results(thread_count) {
    for (std::size_t i = 0; i != phase_count; ++i) phases.push_back(std::make_unique<phase>(thread_count));
    for (sum_under_mutex& one : sums) one.kind = static_cast<number>(&one - sums);
  }

  const number seed;
  const std::size_t threads;
  std::vector<std::unique_ptr<phase>> phases;
  sum_under_mutex sums[8];
  std::vector<number> results;  ///< of each thread

  /// All that the program comes to.
  [[nodiscard]] number outcome() const {
    number all = seed;
    for (const number result : results) all = mix(all + result);
    for (const sum_under_mutex& one : sums) all = mix(all + one.sum);
    return all;
  }
};

}  // namespace roots

#endif

// Several threads of the program fork, and one waits for what another holds while that is in a region of its own: a mutex, a once
// flag, a static's guard, a future. A waiting thread of the program runs no strand of another's region, so it cannot block itself.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <nopal/parallel.hpp>

#include "support/checking_mutex.hpp"
#include "support/strands.hpp"
#include "support/watchdog.hpp"

namespace {

constexpr int rounds = 300;

/// Moves with each round that is over.
std::atomic<std::uint64_t> rounds_done{0};

constexpr std::chrono::seconds patience(support::watched ? 30 : 10);

/// A region that takes a while, whose strands wait for nobody.
long free_region(int round) {
  std::atomic<long> sum{0};
  nopal::parallel_for(0, 64, [&](int i) {
    support::burn(3000);
    sum.fetch_add(i, std::memory_order_relaxed);
  });
  return sum + round;
}

constexpr long free_sum = 64 * 63 / 2;

/// A region each of whose strands calls `wait`, which blocks the thread that it is on.
template <class Wait>
void waiting_region(const Wait& wait) {
  nopal::parallel_for(0, 64, [&](int) {
    support::burn(300);
    wait();
  });
}

/// In each round: a thread that calls `hold(begun)`, which runs a region and calls `begun` before, and others, each with a region
/// whose strands call `wait()`.
template <class Make>
void run_rounds(int waiters, const Make& make) {
  const support::watchdog watchdog(rounds_done, patience);
  for (int round = 0; round != rounds; ++round) {
    const auto one = make(round);
    std::barrier<> all(waiters + 1);
    std::vector<std::thread> threads;
    for (int i = 0; i != waiters; ++i) {
      threads.emplace_back([&] {
        all.arrive_and_wait();
        waiting_region([&one] { one->wait(); });
      });
    }
    one->hold([&all] { all.arrive_and_wait(); });
    for (std::thread& each : threads) each.join();
    ++rounds_done;
  }
  support::check_quiet();
}

struct once {
  explicit once(int number) : round(number) {}
  template <class Begun>
  void hold(const Begun& begun) {
    std::call_once(flag, [&] {
      begun();
      value = free_region(round);
    });
  }
  void wait() {
    std::call_once(flag, [] {
      constexpr bool has_begun_elsewhere = false;
      NOPAL_CHECK(has_begun_elsewhere);
    });
    NOPAL_CHECK(value == free_sum + round);
  }
  int round;
  std::once_flag flag;
  long value = 0;
};

template <class Mutex, template <class> class Holding = std::lock_guard>
struct held_mutex {
  explicit held_mutex(int number) : round(number) {}
  template <class Begun>
  void hold(const Begun& begun) {
    const Holding<Mutex> guard(mutex);
    begun();
    value = free_region(round);
  }
  void wait() {
    const std::lock_guard guard(mutex);
    NOPAL_CHECK(value == free_sum + round);
  }
  int round;
  Mutex mutex;
  long value = 0;
};

struct promised {
  explicit promised(int number) : round(number) {}
  template <class Begun>
  void hold(const Begun& begun) {
    begun();
    promise.set_value(free_region(round));
  }
  void wait() { NOPAL_CHECK(std::shared_future<long>(future).get() == free_sum + round); }
  int round;
  std::promise<long> promise;
  std::shared_future<long> future = promise.get_future().share();
};

struct announced {
  explicit announced(int number) : round(number) {}
  template <class Begun>
  void hold(const Begun& begun) {
    begun();
    const long result = free_region(round);
    {
      const std::lock_guard guard(mutex);
      value = result;
    }
    changed.notify_all();
  }
  void wait() {
    std::unique_lock guard(mutex);
    changed.wait(guard, [this] { return value != 0; });
    NOPAL_CHECK(value == free_sum + round);
  }
  int round;
  std::mutex mutex;
  std::condition_variable changed;
  long value = 0;
};

/// A guard for each round.
template <int round>
long guarded(const std::function<void()>& begun) {
  static const long value = [&begun] {
    begun();
    return free_region(round);
  }();
  return value;
}
using guarded_function = long (*)(const std::function<void()>&);
template <int... round>
constexpr std::array<guarded_function, sizeof...(round)> make_guarded(std::integer_sequence<int, round...>) {
  return {guarded<round>...};
}
constexpr auto guarded_functions = make_guarded(std::make_integer_sequence<int, rounds>());

struct guarded_static {
  explicit guarded_static(int number) : round(number) {}
  template <class Begun>
  void hold(const Begun& begun) {
    NOPAL_CHECK(guarded_functions[static_cast<std::size_t>(round)](begun) == free_sum + round);
  }
  void wait() { NOPAL_CHECK(guarded_functions[static_cast<std::size_t>(round)]({}) == free_sum + round); }
  int round;
};

template <class Held>
int wait_for() {
  for (const int waiters : {1, 3}) {
    if (std::is_same_v<Held, guarded_static> && waiters != 3) continue;  // there is one of each
    run_rounds(waiters, [](int round) { return std::make_unique<Held>(round); });
  }
  return 0;
}

NOPAL_PROGRAM(waiting_for_a_once_flag) { return wait_for<once>(); }
NOPAL_PROGRAM(waiting_for_a_mutex) { return wait_for<held_mutex<std::mutex>>(); }
NOPAL_PROGRAM(waiting_for_a_recursive_mutex) { return wait_for<held_mutex<std::recursive_mutex>>(); }
NOPAL_PROGRAM(waiting_for_a_checking_mutex) { return wait_for<held_mutex<support::checking_mutex>>(); }
/// Held by a reader, for whom writers wait.
NOPAL_PROGRAM(waiting_for_a_shared_mutex) {
  return wait_for<held_mutex<std::shared_mutex, std::shared_lock>>();
}
NOPAL_PROGRAM(waiting_for_a_future) { return wait_for<promised>(); }
NOPAL_PROGRAM(waiting_for_a_condition) { return wait_for<announced>(); }
NOPAL_PROGRAM(waiting_for_a_static) { return wait_for<guarded_static>(); }

/// Two threads that come to one once flag, whose function is a region: one outside of scopes, the other with a child beside it, so that
/// its call may be stolen. They have a region of their own behind it.
NOPAL_PROGRAM(meeting_at_a_once_flag) {
  const support::watchdog watchdog(rounds_done, patience);
  for (int round = 0; round != rounds; ++round) {
    std::once_flag flag;
    long value = 0;
    std::barrier<> both(2);
    const auto come = [&] {
      std::call_once(flag, [&] { value = free_region(round); });
      NOPAL_CHECK(value == free_sum + round);
      NOPAL_CHECK(free_region(round) == free_sum + round);
    };
    std::thread other([&] {
      support::flag went_on{false};
      both.arrive_and_wait();
      nopal::scope s;
      s.fork([&went_on] { support::wait_briefly(went_on); });
      come();
      support::set(went_on);
      s.join();
    });
    both.arrive_and_wait();
    come();
    other.join();
    ++rounds_done;
  }
  return 0;
}

/// A chain: the region of each thread waits for the next one's, under a mutex of its own.
NOPAL_PROGRAM(a_chain_of_roots) {
  const support::watchdog watchdog(rounds_done, patience);
  constexpr std::size_t links = 4;
  for (int round = 0; round != rounds / 3; ++round) {
    std::array<std::mutex, links> mutexes;
    std::array<long, links> values = {};
    std::barrier<> all(links);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i != links; ++i) {
      threads.emplace_back([&, i] {
        const std::lock_guard guard(mutexes[i]);
        all.arrive_and_wait();
        if (i + 1 == links) {
          values[i] = free_region(round);
          return;
        }
        std::atomic<long> seen{0};
        waiting_region([&] {
          const std::lock_guard next(mutexes[i + 1]);
          seen = values[i + 1];
        });
        values[i] = seen + 1;
      });
    }
    for (std::thread& each : threads) each.join();
    NOPAL_CHECK(values[0] == free_sum + round + static_cast<long>(links) - 1);
    ++rounds_done;
  }
  return 0;
}

class roots : public support::program_at_workers {};

TEST_P(roots, wait_for_a_once_flag_of_another) { EXPECT_TRUE(run("waiting_for_a_once_flag")); }
TEST_P(roots, wait_for_a_mutex_of_another) { EXPECT_TRUE(run("waiting_for_a_mutex")); }
TEST_P(roots, wait_for_a_recursive_mutex_of_another) { EXPECT_TRUE(run("waiting_for_a_recursive_mutex")); }
TEST_P(roots, wait_for_a_checking_mutex_of_another) { EXPECT_TRUE(run("waiting_for_a_checking_mutex")); }
TEST_P(roots, wait_for_readers_of_a_shared_mutex) { EXPECT_TRUE(run("waiting_for_a_shared_mutex")); }
TEST_P(roots, wait_for_a_future_of_another) { EXPECT_TRUE(run("waiting_for_a_future")); }
TEST_P(roots, wait_for_a_condition_of_another) { EXPECT_TRUE(run("waiting_for_a_condition")); }
TEST_P(roots, wait_for_a_static_of_another) { EXPECT_TRUE(run("waiting_for_a_static")); }
TEST_P(roots, meet_at_a_once_flag) { EXPECT_TRUE(run("meeting_at_a_once_flag")); }
TEST_P(roots, wait_in_a_chain) { EXPECT_TRUE(run("a_chain_of_roots")); }

INSTANTIATE_TEST_SUITE_P(at_workers, roots, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

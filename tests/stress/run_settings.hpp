// What the forests share: for how long and from which seed they run, the run itself, and what must hold at its end.
#ifndef NOPAL_TESTS_STRESS_RUN_SETTINGS_HPP
#define NOPAL_TESTS_STRESS_RUN_SETTINGS_HPP

#include <nopal/nopal.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace stress {

/// The serial program: what a scope does, without one.
class serial_scope {
public:
  template <class Child>
  void fork(Child child) {
    child();
  }
  template <class Out, class F, class... Args>
  void fork_into(Out& out, F f, Args... args) {
    out = f(args...);
  }
  void join() {}
};

struct run_settings {
  std::uint64_t seed;
  std::chrono::steady_clock::time_point end;
};

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// A seed that no other run has had.
inline std::uint64_t fresh_seed() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

/// NOPAL_STRESS_SEED, which it prints, and NOPAL_STRESS_SECONDS from now.
inline run_settings read_settings() {
  const std::uint64_t seed = number_from("NOPAL_STRESS_SEED", fresh_seed());
  const auto seconds = static_cast<std::chrono::seconds::rep>(number_from("NOPAL_STRESS_SECONDS", 2));
  std::printf("NOPAL_STRESS_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return {seed, std::chrono::steady_clock::now() + std::chrono::seconds(seconds)};
}

inline bool quiet_counts_are_exact() {
  const nopal::statistics counts = nopal::stats();
  std::printf("%llu steals by %d workers, %llu stacks at most\n",
              static_cast<unsigned long long>(counts.total.steals), counts.workers,
              static_cast<unsigned long long>(counts.stacks_peak));
  return counts.total.steals == counts.joins_with_children && counts.stacks_in_use == 0 &&
         counts.total.stacks_taken == counts.total.stacks_returned;
}

inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdU;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53U;
  return x ^ x >> 33;
}

/// `same(seed, depth)` from threads that come, fork, and go.
template <class Same>
bool same_from_threads(Same same, std::uint64_t seed, int depth) {
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 3; ++i) {
    threads.emplace_back([&good, same, seed, depth, i] {
      if (!same(mix(seed + i), depth)) {
        good.store(false);
      }
    });
  }
  for (std::thread& one : threads) {
    one.join();
  }
  return good.load();
}

/// Until the time is up, asks `same(seed, depth)` whether trees of `depths` different depths come out as serial ones, now and
/// then from threads too. Whether all did, and the counts balance.
template <class Same>
bool run_forests(Same same, std::uint64_t depths, int depth_from_threads) {
  const run_settings settings = read_settings();
  bool good = true;
  for (std::uint64_t i = 0; good && std::chrono::steady_clock::now() < settings.end; ++i) {
    const std::uint64_t tree_seed = mix(settings.seed + i);
    good = same(tree_seed, static_cast<int>(tree_seed % depths) + 3) &&
           (i % 16 != 0 || same_from_threads(same, tree_seed, depth_from_threads));
  }
  return good && quiet_counts_are_exact();
}

}  // namespace stress

#endif

// What the forests share: for how long and from which seed they run, and what must hold at their end.
#ifndef NOPAL_TESTS_STRESS_RUN_SETTINGS_HPP
#define NOPAL_TESTS_STRESS_RUN_SETTINGS_HPP

#include <nopal/nopal.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace stress {

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
  const auto seconds = static_cast<std::chrono::seconds::rep>(number_from("NOPAL_STRESS_SECONDS", 5));
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

}  // namespace stress

#endif

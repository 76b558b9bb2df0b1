// Runs the trees of fibril_forest.c for NOPAL_STRESS_SECONDS, from the NOPAL_STRESS_SEED that it prints.
#include <nopal/nopal.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "fibril_forest.h"
#include "run_settings.hpp"
#include "support/watchdog.hpp"

namespace {

std::atomic<std::uint64_t> leaves{0};

}  // namespace

void fibril_forest_progress() { leaves.fetch_add(1, std::memory_order_relaxed); }

int main() {
  const stress::run_settings settings = stress::read_settings();
  const support::watchdog watchdog(leaves);
  for (std::uint64_t i = 0; std::chrono::steady_clock::now() < settings.end; ++i) {
    const std::uint64_t seed = settings.seed + i;
    const int depth = static_cast<int>(seed % 5) + 3;
    if (!fibril_forest_same(seed, depth)) {
      std::printf("tree %llu of depth %d differs\n", static_cast<unsigned long long>(seed), depth);
      return 1;
    }
  }
  return stress::quiet_counts_are_exact() ? 0 : 1;
}

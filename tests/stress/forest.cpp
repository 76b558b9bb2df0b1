// Random irregular trees of forks, from several threads at once, with exceptions, nested entry through a C callback
// and leaves of very different length, against the same trees run serially. Prints its seed; the environment gives
// NOPAL_STRESS_SEED and NOPAL_STRESS_SECONDS. A watchdog ends the run when nothing moves any more.
#include <nopal/nopal.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "run_settings.hpp"
#include "support/watchdog.hpp"

namespace {

using stress::mix;
using stress::serial_scope;

struct failure {
  std::uint64_t what;
};

std::atomic<std::uint64_t> leaves{0};

std::uint64_t leaf(std::uint64_t seed) {
  const std::uint64_t rounds = seed % 97 == 0 ? 20000 : seed % 300;
  std::uint64_t state = seed;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    state = state * 6364136223846793005U + 1;
  }
  leaves.fetch_add(1, std::memory_order_relaxed);
  if (seed % 1009 == 0) {
    throw failure{seed};
  }
  return state;
}

template <class Scope>
std::uint64_t tree(std::uint64_t seed, int depth);

template <class Scope>
int compare(const void* left, const void* right) {
  const int a = *static_cast<const int*>(left);
  const int b = *static_cast<const int*>(right);
  std::uint64_t below;
  Scope scope;
  scope.fork_into(below, tree<Scope>, mix(static_cast<std::uint64_t>(a * 31 + b)) | 1, 1);
  scope.join();
  return (a > b) - (a < b);
}

/// Forks from below code that knows nothing of forks.
template <class Scope>
std::uint64_t sort_with_callback(std::uint64_t seed) {
  int values[6] = {5, 3, 9, 1, 7, static_cast<int>(seed % 10)};
  try {
    std::qsort(values, 6, sizeof values[0], compare<Scope>);
  } catch (const failure& caught) {
    return caught.what;  // which comparison meets it first is the same in both programs
  }
  return static_cast<std::uint64_t>(values[0]);
}

/// All exceptions come from children: what a continuation throws would win against an earlier child's.
template <class Scope>
std::uint64_t branch(std::uint64_t seed, int depth) {
  constexpr int most_children = 5;
  const int children = static_cast<int>(mix(seed) % most_children) + 1;
  std::uint64_t results[most_children] = {};
  Scope scope;
  for (int i = 0; i < children; ++i) {
    if (seed % 41 == 0 && i == 1) {
      scope.fork_into(results[i], sort_with_callback<Scope>, seed);
    } else {
      scope.fork_into(results[i], tree<Scope>, mix(seed * 7 + static_cast<std::uint64_t>(i)), depth - 1);
    }
  }
  scope.join();
  std::uint64_t sum = seed;
  for (const std::uint64_t result : results) {
    sum = mix(sum + result);
  }
  return sum;
}

template <class Scope>
std::uint64_t tree(std::uint64_t seed, int depth) {
  if (depth <= 0) {
    return leaf(seed);
  }
  try {
    return branch<Scope>(seed, depth);
  } catch (const failure& caught) {
    if (seed % 3 == 0) {
      throw;
    }
    Scope scope;  // forks while an exception is being handled
    std::uint64_t again;
    scope.fork_into(again, leaf, (seed | 1) == 1009 ? 1 : caught.what + 1);
    scope.join();
    return caught.what + again;
  }
}

template <class Scope>
std::uint64_t run(std::uint64_t seed, int depth) {
  try {
    return tree<Scope>(seed, depth);
  } catch (const failure& caught) {
    return ~caught.what;
  }
}

bool same(std::uint64_t seed, int depth) {
  const std::uint64_t expected = run<serial_scope>(seed, depth);
  const std::uint64_t got = run<nopal::scope>(seed, depth);
  if (got != expected) {
    std::printf("tree %llu of depth %d: %llx instead of %llx\n", static_cast<unsigned long long>(seed), depth,
                static_cast<unsigned long long>(got), static_cast<unsigned long long>(expected));
  }
  return got == expected;
}

}  // namespace

int main() {
  const support::watchdog watchdog(leaves);
  return stress::run_forests(same, 6, 5) ? 0 : 1;
}

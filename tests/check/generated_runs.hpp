// What generated programs do with their arguments, and say of what is wrong.
#ifndef NOPAL_TESTS_CHECK_GENERATED_RUNS_HPP
#define NOPAL_TESTS_CHECK_GENERATED_RUNS_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

/// Runs the program of each seed by `run_one(seed)`, which gives back how much was wrong. `[SEED [COUNT]]`: without a seed, or
/// with 0, fresh ones. The exit status.
template <class Run>
int run_seeds(int argc, char** argv, Run run_one) {
  std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (seed == 0) seed = static_cast<std::uint64_t>(std::time(nullptr)) * 1000;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  int wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) wrong += run_one(seed + i);
  std::printf("seeds from %llu, %llu programs: %d wrong\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(count), wrong);
  return wrong == 0 && count != 0 ? 0 : 1;
}

#endif

// The forests under random settings, with and without disturbed schedules: each run is a process of its own with its own
// number of workers, reclaim policy, stack size and seeds. A failure names what is needed to run it again.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <random>
#include <string>

#include "run_settings.hpp"
#include "support/program.hpp"

namespace {

constexpr const char* forests[] = {
#ifdef STRESS_FOREST_EAGER
    STRESS_FOREST_EAGER,
    STRESS_REDUCER_FOREST_EAGER,
    STRESS_ROOTS_EAGER,
#endif
    STRESS_FOREST,
    STRESS_FOREST_NOISE,
    STRESS_REDUCER_FOREST_NOISE,
    STRESS_FIBRIL_FOREST_NOISE,
    STRESS_REDUCER_FOREST,
    STRESS_ROOTS,
    STRESS_ROOTS_NOISE};

template <class Random>
support::environment random_settings(Random& random) {
  const char* const workers[] = {"1", "2", "3", "5", "8", "13", "40", "200"};
  const char* const policies[] = {"lazy", "eager", "never"};
  const char* const calls[] = {"dontneed", "free"};
  const char* const sizes[] = {"64K", "256K", "1M", "4M"};
  const char* const noise[] = {"1", "3", "10", "30"};
  return {{"NOPAL_WORKERS", workers[random() % 8]},
          {"NOPAL_RECLAIM", policies[random() % 3]},
          {"NOPAL_RECLAIM_WITH", calls[random() % 2]},
          {"NOPAL_STACK_SIZE", sizes[random() % 4]},
          {"NOPAL_PIN", random() % 4 == 0 ? "1" : "0"},
          {"NOPAL_STRESS_SEED", std::to_string(random() >> 1)},
          {"NOPAL_NOISE_SEED", std::to_string(random() >> 1)},
          {"NOPAL_NOISE_PERCENT", noise[random() % 4]},
          {"NOPAL_STRESS_SECONDS", "1"}};
}

std::string text_of(const support::environment& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += name + "=" + value + " ";
  return text;
}

void run_storm(std::uint64_t seed, long seconds) {
  std::cout << "NOPAL_STORM_SEED=" << seed << std::endl;
  SCOPED_TRACE("NOPAL_STORM_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::size_t runs = 0;
  auto next_word = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  do {
    const support::environment settings = random_settings(random);
    const char* const forest = forests[runs++ % std::size(forests)];
    const support::outcome seen = support::run_executable({forest}, settings);
    ASSERT_EQ(seen.exit_code, 0) << text_of(settings) << forest << " " << seen.description();
    if (std::chrono::steady_clock::now() > next_word) {
      std::cout << runs << " forests so far" << std::endl;
      next_word += std::chrono::minutes(1);
    }
  } while (std::chrono::steady_clock::now() < end);
}

TEST(storm, gives_the_serial_answer_from_a_fixed_seed) { run_storm(1, 10); }

TEST(storm, gives_the_serial_answer_from_a_fresh_seed) {
  run_storm(stress::number_from("NOPAL_STORM_SEED", stress::fresh_seed()),
            static_cast<long>(stress::number_from("NOPAL_STORM_SECONDS", 30)));
}

}  // namespace

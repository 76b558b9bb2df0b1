// Predicted speedups beyond this machine: programs' fork-join graphs are recorded, and a simulation of the scheduler runs
// them with costs that are measured here. docs/simulation.md says what a prediction is worth.
#ifndef NOPAL_TOOLS_BENCH_SIMULATION_HPP
#define NOPAL_TOOLS_BENCH_SIMULATION_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "programs/registry.hpp"
#include "simulate/costs.hpp"
#include "simulate/fit.hpp"

namespace simulate {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(costs, fork, publish, visible, steal, look, yield, leave, resume, line,
                                   barrier, interrupted, wake, wake_latency, discard, refault)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(time_fit, work_constant, span_constant, r_squared, mean_relative_error,
                                   points)
}  // namespace simulate

namespace tool {

/// What simulated runs of one program on so many workers say: never a measurement. Speedups are against the serial
/// elision; low and high are the extremes over the seeds.
struct prediction {
  std::string program;
  int workers = 0;
  double speedup_low = 0;
  double speedup_median = 0;
  double speedup_high = 0;
  double seconds = 0;  ///< of the median
};

/// A program's recorded graph, and what the simulation makes of it.
struct simulated_program {
  std::string program;
  std::int64_t size = 0;
  std::int64_t grain = 0;
  std::uint64_t events = 0;
  std::uint64_t forks = 0;
  double work_seconds = 0;  ///< T1: the time of the serial elision
  double span_seconds = 0;  ///< Tinf: the longest path, without costs of the scheduler
  /// The same with the cost of a steal at every continuation on it.
  double burdened_span_seconds = 0;
  double scaled_by = 0;               ///< sum of the strands as recorded, over the elision's time
  simulate::time_fit fit;             ///< of c1 T1/P + cinf Tinf to the simulated runs
  double greatest_span_constant = 0;  ///< every run: T_P <= (T1 + forks)/P + this times the burdened span
  std::vector<prediction> predictions;

  [[nodiscard]] double parallelism() const { return work_seconds / std::max(span_seconds, 1e-12); }
};

/// A prediction beside a measurement of the same program at the same size.
struct validation {
  std::string program;
  int workers = 0;
  double predicted_seconds = 0;
  double measured_seconds = 0;  ///< least of the repeats
  [[nodiscard]] double error() const { return predicted_seconds / measured_seconds - 1; }
};

struct simulation {
  simulate::costs costs;  ///< nanoseconds, measured here
  std::vector<simulated_program> programs;
  std::vector<validation> validations;
  std::vector<std::string> left_out;  ///< programs that could not be recorded
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(prediction, program, workers, speedup_low, speedup_median, speedup_high,
                                   seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(simulated_program, program, size, grain, events, forks, work_seconds,
                                   span_seconds, burdened_span_seconds, scaled_by, fit,
                                   greatest_span_constant, predictions)
/// With each program's parallelism and each validation's error; predictions are marked as such.
void to_json(nlohmann::json& json, const simulation& from);

inline constexpr std::uint64_t most_recorded_events = 20'000'000;

struct simulation_options {
  std::vector<const bench::program_family*> programs;
  std::vector<int> workers = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  std::vector<int> measured_workers = {1, 2};
  std::uint64_t most_events = 2'000'000;
  int seeds = 5;
  int repeats = 5;
  std::int64_t size = -1;   ///< -1: the largest up to the usual one that has no more than `most_events`
  std::int64_t grain = -1;  ///< -1: the program's
  std::uint64_t seed = 1;
  std::chrono::seconds time_limit{600};
};

/// Measures what the scheduler's steps cost here, in a process of its own.
[[nodiscard]] simulate::costs measure_costs(std::chrono::seconds time_limit);

/// Records and simulates one program, in a process of its own.
[[nodiscard]] simulated_program simulate_program(const bench::program_family& family,
                                                 const simulation_options& options,
                                                 const simulate::costs& costs);

/// All of it, and the measured runs beside it.
[[nodiscard]] simulation simulate_programs(const simulation_options& options);

/// Work, span and predictions, as tables for people.
[[nodiscard]] std::string table_report(const simulation& of);

}  // namespace tool

#endif

// Which runs a measurement takes, and what they gave.
#ifndef NOPAL_TOOLS_BENCH_MEASUREMENT_HPP
#define NOPAL_TOOLS_BENCH_MEASUREMENT_HPP

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "peers.hpp"
#include "programs/registry.hpp"
#include "runner/run_record.hpp"

namespace tool {

using bench::run_record;

enum class input_size { usual, quick, paper, suite };

struct bench_options {
  std::vector<const bench::program_family*> programs;
  std::vector<int> workers;
  std::vector<peer> peers;
  input_size size = input_size::usual;
  std::int64_t chosen_size = -1;   ///< overrides `size`; -1: not chosen
  std::int64_t chosen_grain = -1;  ///< overrides the program's; -1: not chosen
  std::string matrix_file;         ///< in place of a random matrix; empty: none
  bool times_only = false;         ///< no runs that count pages and forks
  std::uint64_t seed = 1;
  int repeats = 5;
  std::chrono::seconds time_limit{600};  ///< for each run
};

/// The runs of one variant on one number of workers: one column of times.
struct series {
  std::string variant;
  int workers = 0;                ///< 0 for the serial variants
  const peer* of_peer = nullptr;  ///< null: this program's own
  std::vector<run_record> runs{};

  [[nodiscard]] std::string label() const;
  /// Taken to count pages; its times mean nothing.
  [[nodiscard]] bool is_space() const { return variant == "space"; }
  [[nodiscard]] std::vector<double> seconds() const;
  [[nodiscard]] double median_seconds() const;
  [[nodiscard]] double least_seconds() const;
  /// Half the distance between the quartiles of the seconds, as a fraction of the median.
  [[nodiscard]] double spread() const;
  /// The largest of one count over the runs.
  [[nodiscard]] std::uint64_t largest(std::uint64_t run_record::* count) const;
};

/// The q-quantile of the values, between neighbours in proportion; 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double q);

/// Everything measured of one program.
struct program_measurement {
  const bench::program_family* family = nullptr;
  bench::input input;
  std::vector<series> columns;
  std::uint64_t serial_stack_pages = 0;  ///< S1
  std::int64_t fork_depth = 0;           ///< D

  /// How many rounds were taken.
  [[nodiscard]] std::size_t rounds() const { return columns.front().runs.size(); }
  /// This program's own column of that variant and number of workers, or null.
  [[nodiscard]] const series* find(const std::string& variant, int workers = 0) const;
  /// A peer's column, or null where the peer has no such program.
  [[nodiscard]] const series* find(const peer& of_peer, int workers) const;
  /// The serial time that ratios are taken against, a median: the plain function's where there is one.
  [[nodiscard]] double serial_seconds() const;
  /// S_P: the most stack pages that were resident at once in any run on `workers`.
  [[nodiscard]] std::uint64_t most_stack_pages(int workers) const;
  /// Pages that the space bound allows `workers`: P (S1 + D).
  [[nodiscard]] std::uint64_t page_bound(int workers) const;
};

/// A program computed something wrong, or a run did not end well.
class failed_run : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What each step of an unstolen fork costs, as `nopal bench-steps` prints it.
[[nodiscard]] nlohmann::json measure_fork_steps(const bench_options& options);

/// What was measured of all programs, or of those that had a finished round when a signal came.
struct program_measurements {
  std::vector<program_measurement> programs;
  int interrupted_by = 0;  ///< a signal's number, or 0: all was measured
};

/// Takes all runs, round by round, each in a process of its own.
[[nodiscard]] program_measurements measure_programs(const bench_options& options);

/// The same for what needs all of them: throws `interrupted` when a signal came.
[[nodiscard]] std::vector<program_measurement> measure_all_programs(const bench_options& options);

}  // namespace tool

#endif

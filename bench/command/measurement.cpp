#include "measurement.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "child_process.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

namespace tool {
namespace {

std::int64_t size_of(const bench::program& program, const bench_options& options) {
  if (options.chosen_size >= 0) return options.chosen_size;
  switch (options.size) {
  case input_size::quick: return program.size.quick;
  case input_size::paper: return program.size.paper;
  case input_size::suite: return program.size.suite;
  case input_size::usual: break;
  }
  return program.size.usual;
}

std::int64_t grain_of(const bench::program& program, const bench_options& options) {
  if (options.chosen_grain >= 0) return options.chosen_grain;
  return program.grain.calibrate == nullptr ? program.grain.usual : program.grain.calibrate();
}

program_measurement plan(const bench::program_family& family, const bench_options& options) {
  program_measurement planned;
  planned.family = &family;
  planned.input = {size_of(*family.elided, options), grain_of(*family.elided, options), options.seed,
                   options.matrix_file};
  planned.columns.push_back({"elided"});
  if (family.plain != nullptr) planned.columns.push_back({"plain"});
  for (const int workers : options.workers) planned.columns.push_back({"parallel", workers});
  if (!options.times_only)
    planned.columns.push_back({"space", *std::max_element(options.workers.begin(), options.workers.end())});
  for (const peer& other : options.peers) {
    if (!other.has(family.name())) continue;
    for (const int workers : options.workers) planned.columns.push_back({"peer", workers, &other});
  }
  return planned;
}

/// Takes runs one at a time, telling the progress.
class run_taker {
public:
  run_taker(const bench_options& options, std::size_t total_runs)
      : options_(options), progress_(total_runs) {}

  run_record take(const program_measurement& of, const series& column) {
    const std::string label = fmt::format("{}, {}", of.family->name(), column.label());
    progress_.begin_run(label);
    std::optional<run_record> record;
    try {
      const std::string output =
          output_of(column.of_peer == nullptr ? this_program : column.of_peer->path, arguments(of, column),
                    watch_, {options_.time_limit, [this] { progress_.tick(); }});
      record = bench::read_run_record(output);
    } catch (const interrupted&) {
      throw;
    } catch (const std::exception& e) {
      throw failed_run(fmt::format("{}: the run {}", label, e.what()));
    }
    if (!record) throw failed_run(fmt::format("{}: the run printed no result", label));
    if (!record->verified) throw failed_run(fmt::format("{}: the result is wrong", label));
    progress_.end_run();
    return *record;
  }

  void note(const std::string& line) { progress_.note(line); }

private:
  static std::vector<std::string> arguments(const program_measurement& of, const series& column) {
    std::vector<std::string> words = {"bench-one",
                                      std::string(of.family->name()),
                                      "--variant=" + column.variant,
                                      fmt::format("--workers={}", std::max(1, column.workers)),
                                      fmt::format("--size={}", of.input.size),
                                      fmt::format("--grain={}", of.input.grain),
                                      fmt::format("--seed={}", of.input.seed),
                                      fmt::format("--parent={}", getpid())};
    if (!of.input.matrix_file.empty()) words.push_back("--matrix=" + of.input.matrix_file);
    return words;
  }

  const bench_options& options_;
  interrupt_watch watch_;
  progress progress_;
};

// Space needs a run of its own, as counting pages takes time. A few show it.
constexpr int most_space_rounds = 3;

// One run of each column, so that what disturbs the machine for a while disturbs all columns alike.
void take_round(program_measurement& of, run_taker& taker, int round, int repeats) {
  std::string times;
  for (series& column : of.columns) {
    if (column.is_space() && round > most_space_rounds) continue;
    column.runs.push_back(taker.take(of, column));
    if (column.is_space()) continue;
    times += fmt::format("{}{} {}", times.empty() ? "" : ", ", column.label(),
                         format_seconds(column.runs.back().seconds));
  }
  taker.note(fmt::format("{}: round {} of {}: {}", of.family->name(), round, repeats, times));
}

// Rounds that a signal cuts short are dropped.
void take_rounds(program_measurement& of, run_taker& taker, const bench_options& options) {
  if (!options.times_only) of.fork_depth = taker.take(of, {"depth"}).fork_depth;
  for (int round = 1; round <= options.repeats; ++round) {
    program_measurement longer = of;
    take_round(longer, taker, round, options.repeats);
    of = std::move(longer);
    of.serial_stack_pages = of.find("elided")->largest(&run_record::serial_stack_pages);
  }
}

}  // namespace

std::string series::label() const {
  if (of_peer != nullptr) return fmt::format("{} {}", of_peer->name, workers);
  if (variant == "elided") return "serial";
  if (variant != "parallel") return variant;
  return format_count(static_cast<std::uint64_t>(workers), "worker");
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

std::vector<double> series::seconds() const {
  std::vector<double> all;
  all.reserve(runs.size());
  for (const run_record& run : runs) all.push_back(run.seconds);
  return all;
}

double series::median_seconds() const { return quantile(seconds(), 0.5); }

double series::least_seconds() const { return quantile(seconds(), 0); }

double series::spread() const {
  const double between = quantile(seconds(), 0.75) - quantile(seconds(), 0.25);
  return between / 2 / std::max(median_seconds(), 1e-9);
}

std::uint64_t series::largest(std::uint64_t run_record::* count) const {
  std::uint64_t largest = 0;
  for (const run_record& run : runs) largest = std::max(largest, run.*count);
  return largest;
}

const series* program_measurement::find(const std::string& variant, int workers) const {
  for (const series& column : columns) {
    if (column.of_peer == nullptr && column.variant == variant && column.workers == workers) return &column;
  }
  return nullptr;
}

const series* program_measurement::find(const peer& of_peer, int workers) const {
  for (const series& column : columns) {
    if (column.of_peer == &of_peer && column.workers == workers) return &column;
  }
  return nullptr;
}

double program_measurement::serial_seconds() const {
  const series* const plain = find("plain");
  return (plain != nullptr ? plain : find("elided"))->median_seconds();
}

std::uint64_t program_measurement::most_stack_pages(int workers) const {
  const series* const space = find("space", workers);
  return space == nullptr ? 0 : space->largest(&run_record::stack_pages_most);
}

std::uint64_t program_measurement::page_bound(int workers) const {
  return static_cast<std::uint64_t>(workers) * (serial_stack_pages + static_cast<std::uint64_t>(fork_depth));
}

nlohmann::json measure_fork_steps(const bench_options& options) {
  const interrupt_watch watch;
  const std::vector<std::string> arguments = {"bench-steps", fmt::format("--parent={}", getpid())};
  return nlohmann::json::parse(output_of(this_program, arguments, watch, {options.time_limit, [] {}}));
}

program_measurements measure_programs(const bench_options& options) {
  program_measurements result;
  std::vector<program_measurement>& measurements = result.programs;
  std::size_t total_runs = 0;
  for (const bench::program_family* family : options.programs) {
    measurements.push_back(plan(*family, options));
    const auto repeats = static_cast<std::size_t>(options.repeats);
    const std::size_t columns = measurements.back().columns.size();
    total_runs += options.times_only
                      ? columns * repeats
                      : 1 + (columns - 1) * repeats + std::min<std::size_t>(most_space_rounds, repeats);
  }
  run_taker taker(options, total_runs);
  try {
    for (program_measurement& of : measurements) take_rounds(of, taker, options);
  } catch (const interrupted& e) {
    result.interrupted_by = e.signal_number();
    std::erase_if(measurements, [](const program_measurement& of) { return of.rounds() == 0; });
  }
  return result;
}

std::vector<program_measurement> measure_all_programs(const bench_options& options) {
  program_measurements measured = measure_programs(options);
  if (measured.interrupted_by != 0) throw interrupted(measured.interrupted_by);
  return std::move(measured.programs);
}

}  // namespace tool

// `nopal simulate-one`: records one program's fork-join graph and simulates it, in a process of its own, since both take
// memory and time. `nopal simulate-costs`: measures what the scheduler's steps cost.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command_line.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "measure/costs.hpp"
#include "record/recorder.hpp"
#include "runner/end_with_parent.hpp"
#include "simulate/simulator.hpp"
#include "simulation.hpp"

namespace {

using recording::graph;
using recording::picoseconds;
using recording::recorder;

constexpr double ps_per_second = 1e12;

struct order {
  std::string program;
  std::string workers = "1,2";
  std::string costs = "{}";
  std::int64_t size = -1;
  bench::input input;
  std::int64_t seed = 1;
  std::int64_t seeds = 1;
  std::int64_t most_events = 1;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The shortest of several runs. Of short ones many, as others may use the machine.
double serial_seconds_of(const bench::program& program, const bench::input& input) {
  constexpr int fewest = 3;
  constexpr int most = 100;
  constexpr double enough_seconds = 1;
  double shortest = 1e9;
  double total = 0;
  for (int i = 0; i < fewest || (i < most && total < enough_seconds); ++i) {
    const std::unique_ptr<bench::instance> instance = program.prepare(input);
    const auto start = std::chrono::steady_clock::now();
    instance->run();
    const double seconds = seconds_since(start);
    shortest = std::min(shortest, seconds);
    total += seconds;
  }
  return shortest;
}

void record_run(recorder& notes, const bench::program& program, const bench::input& input) {
  const std::unique_ptr<bench::instance> instance = program.prepare(input);
  notes.begin_run();
  instance->run();
  notes.finish_run();
  if (!instance->verify()) throw std::runtime_error("the recorded run's result is wrong");
}

/// Events of a run, or `most` + 1 if there are more than `most`.
std::size_t count_events(const bench::program& program, const bench::input& input, std::size_t most) {
  recorder notes(most, recorder::keep::count_only);
  const std::unique_ptr<bench::instance> instance = program.prepare(input);
  try {
    notes.begin_run();
    instance->run();
    notes.finish_run();
  } catch (const recording::too_many_events&) {
    return most + 1;
  }
  return notes.events();
}

/// The largest size up to the usual one that fits.
std::int64_t choose_size(const bench::program& program, bench::input input, std::size_t most) {
  const auto fits = [&](std::int64_t size) {
    input.size = size;
    return count_events(program, input, most) <= most;
  };
  if (fits(program.size.usual)) return program.size.usual;
  const bool quick_fits = fits(program.size.quick);
  std::int64_t fitting = quick_fits ? program.size.quick : 0;
  std::int64_t too_large = quick_fits ? program.size.usual : program.size.quick;
  // Near enough, where sizes are large numbers.
  while (too_large - fitting > std::max<std::int64_t>(1, fitting / 64)) {
    const std::int64_t middle = fitting + (too_large - fitting) / 2;
    (fits(middle) ? fitting : too_large) = middle;
  }
  return fitting;
}

double ticks_per_second() {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t first = recording::ticks();
  while (seconds_since(start) < 0.02) {
  }
  return static_cast<double>(recording::ticks() - first) / seconds_since(start);
}

graph record_graph(const bench::program_family& family, const bench::input& input, std::size_t most_events,
                   tool::simulated_program& into) {
  constexpr int runs = 5;
  const std::size_t events = count_events(*family.record, input, most_events);
  if (events > most_events) {
    throw recording::too_many_events(fmt::format(
        "{} of size {} has more than {} forks, ends of children and joins, which is what --events "
        "allows; take a smaller --size",
        family.name(), input.size, most_events));
  }
  recorder notes(events);
  for (int run = 0; run < runs; ++run) record_run(notes, *family.record, input);
  // As in the benchmark: compilers take much of fib's elision apart, and its graph has a call for each fork.
  const double serial_seconds =
      serial_seconds_of(family.plain != nullptr ? *family.plain : *family.elided, input);
  const double rate = ticks_per_second();
  const double overhead = recorder::least_note_ticks();
  into.work_seconds = serial_seconds;
  into.scaled_by = notes.net_ticks(overhead) / (serial_seconds * rate);
  return notes.make_graph(overhead, std::llround(serial_seconds * ps_per_second));
}

/// A simulated run may not be faster than work and span allow.
void check_lower_bounds(const graph& of, picoseconds fork_cost, picoseconds span, int workers,
                        picoseconds time) {
  const picoseconds work = recording::work_of(of, fork_cost);
  if (time < work / workers || time < span) {
    throw std::logic_error(fmt::format("the simulation is wrong: {} ps on {} workers, with {} ps of work "
                                       "and {} ps of span",
                                       time, workers, work, span));
  }
}

void simulate_runs(const graph& of, const simulate::costs& costs, const std::vector<int>& worker_counts,
                   std::int64_t seeds, tool::simulated_program& into) {
  const picoseconds fork_cost = std::llround(costs.fork * 1000);
  const double burden = costs.publish + costs.visible + costs.steal + costs.leave + costs.resume;
  const picoseconds span = recording::span_of(of);
  const picoseconds span_with_forks = recording::span_of(of, {.fork = fork_cost});
  const picoseconds burdened =
      recording::span_of(of, {.fork = fork_cost, .continuation = std::llround(burden * 1000)});
  into.span_seconds = static_cast<double>(span) / ps_per_second;
  into.burdened_span_seconds = static_cast<double>(burdened) / ps_per_second;
  const auto work_with_forks = static_cast<double>(recording::work_of(of, fork_cost));

  constexpr double enough_seconds = 1;
  std::vector<simulate::time_point> to_span;
  std::vector<simulate::time_point> to_burdened_span;
  for (const int workers : worker_counts) {
    std::vector<double> seconds;
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t seed = 1; seed <= seeds; ++seed) {
      // One worker has no luck; and where hundreds look for work in vain, one run takes long and tells enough.
      if (seed > 1 && (workers == 1 || seconds_since(start) > enough_seconds)) break;
      const picoseconds time = simulate::run(of, costs, workers, static_cast<std::uint64_t>(seed)).time;
      check_lower_bounds(of, fork_cost, span_with_forks, workers, time);
      seconds.push_back(static_cast<double>(time) / ps_per_second);
      const double share = work_with_forks / workers;
      to_span.push_back({share, static_cast<double>(span), static_cast<double>(time)});
      to_burdened_span.push_back({share, static_cast<double>(burdened), static_cast<double>(time)});
    }
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    into.predictions.push_back({into.program, workers, into.work_seconds / seconds.back(),
                                into.work_seconds / median, into.work_seconds / seconds.front(), median});
  }
  into.fit = simulate::fit_times(to_span);
  into.greatest_span_constant = simulate::greatest_span_constant(to_burdened_span);
}

tool::simulated_program run(const order& given) {
  const bench::program_family* const family = bench::find_program(given.program);
  if (family == nullptr) throw tool::usage_error(fmt::format("unknown program '{}'", given.program));
  const auto most_events = static_cast<std::size_t>(given.most_events);
  bench::input input = given.input;
  input.size = given.size >= 0 ? given.size : choose_size(*family->record, input, most_events);
  tool::simulated_program result;
  result.program = given.program;
  result.size = input.size;
  result.grain = input.grain;
  const graph recorded = record_graph(*family, input, most_events, result);
  result.events = recorded.events.size();
  result.forks = recorded.forks;
  simulate_runs(recorded, nlohmann::json::parse(given.costs).get<simulate::costs>(),
                tool::parse_worker_list(given.workers), given.seeds, result);
  return result;
}

}  // namespace

int simulate_one_command(int argc, char** argv) {
  order given;
  std::int64_t parent = 0;
  CLI::App app("Records and simulates one program, reported as JSON", "nopal simulate-one");
  app.add_option("program", given.program)->required();
  app.add_option("--workers", given.workers, "numbers of workers");
  app.add_option("--costs", given.costs, "what simulate-costs printed")->required();
  tool::add_whole_number(app, "--size", given.size, {0}, "size of the input; else the largest that fits");
  tool::add_whole_number(app, "--grain", given.input.grain, {0}, "serial work at the leaves");
  tool::add_whole_number(app, "--seed", given.seed, {0}, "start of the program's random numbers");
  tool::add_whole_number(app, "--seeds", given.seeds, {1, 1000}, "simulated runs of each");
  tool::add_whole_number(app, "--events", given.most_events,
                         {1, static_cast<std::int64_t>(tool::most_recorded_events)}, "most events recorded");
  tool::add_whole_number(app, "--parent", parent, {0}, "process that ordered the run");
  if (!tool::parse(app, argc, argv)) return tool::exit_success;
  given.input.seed = static_cast<std::uint64_t>(given.seed);
  bench::end_with_parent(parent);
  fmt::print("{}\n", nlohmann::json(run(given)).dump());
  return tool::exit_success;
}

int simulate_costs_command(int argc, char** argv) {
  std::int64_t parent = 0;
  CLI::App app("Measures what the scheduler's steps cost, reported as JSON", "nopal simulate-costs");
  tool::add_whole_number(app, "--parent", parent, {0}, "process that ordered the run");
  if (!tool::parse(app, argc, argv)) return tool::exit_success;
  bench::end_with_parent(parent);
  fmt::print("{}\n", nlohmann::json(measure::scheduler_costs()).dump());
  return tool::exit_success;
}

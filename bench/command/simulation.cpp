#include "simulation.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "child_process.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "measurement.hpp"

namespace tool {
namespace {

template <class Result>
Result result_of(const std::string& what, std::vector<std::string> arguments,
                 std::chrono::seconds time_limit) {
  const interrupt_watch watch;
  arguments.push_back(fmt::format("--parent={}", getpid()));
  try {
    const std::string output = output_of(this_program, arguments, watch, {time_limit, [] {}});
    return nlohmann::json::parse(output).get<Result>();
  } catch (const interrupted&) {
    throw;
  } catch (const nlohmann::json::exception&) {
    throw failed_run(fmt::format("{}: printed no result", what));
  } catch (const std::exception& e) {
    throw failed_run(fmt::format("{}: {}", what, e.what()));
  }
}

std::int64_t grain_of(const bench::program& program, std::int64_t chosen) {
  if (chosen >= 0) return chosen;
  return program.grain.calibrate == nullptr ? program.grain.usual : program.grain.calibrate();
}

std::string ratio_cell(double ratio) {
  return ratio < 100 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.0f}", ratio);
}

std::vector<validation> validate(const simulated_program& of, const program_measurement& measured,
                                 const std::vector<int>& workers) {
  std::vector<validation> rows;
  for (const int count : workers) {
    for (const prediction& each : of.predictions) {
      if (each.workers != count) continue;
      const series* const column = measured.find("parallel", count);
      rows.push_back({of.program, count, each.seconds, column->least_seconds()});
    }
  }
  return rows;
}

}  // namespace

simulate::costs measure_costs(std::chrono::seconds time_limit) {
  return result_of<simulate::costs>("costs of the scheduler", {"simulate-costs"}, time_limit);
}

simulated_program simulate_program(const bench::program_family& family, const simulation_options& options,
                                   const simulate::costs& costs) {
  std::vector<std::string> arguments = {
      "simulate-one",
      std::string(family.name()),
      fmt::format("--workers={}", fmt::join(options.workers, ",")),
      fmt::format("--costs={}", nlohmann::json(costs).dump()),
      fmt::format("--grain={}", grain_of(*family.elided, options.grain)),
      fmt::format("--seed={}", options.seed),
      fmt::format("--seeds={}", options.seeds),
      fmt::format("--events={}", options.most_events),
  };
  if (options.size >= 0) arguments.push_back(fmt::format("--size={}", options.size));
  return result_of<simulated_program>(fmt::format("{}, simulated", family.name()), std::move(arguments),
                                      options.time_limit);
}

simulation simulate_programs(const simulation_options& options) {
  simulation result;
  result.costs = measure_costs(options.time_limit);
  for (const bench::program_family* family : options.programs) {
    try {
      result.programs.push_back(simulate_program(*family, options, result.costs));
    } catch (const failed_run&) {
      // The child said why; the other programs can be simulated nevertheless.
      if (options.programs.size() == 1) throw;
      result.left_out.emplace_back(family->name());
      continue;
    }
    const simulated_program& simulated = result.programs.back();
    bench_options runs;
    runs.programs = {family};
    runs.workers = options.measured_workers;
    runs.chosen_size = simulated.size;
    runs.chosen_grain = simulated.grain;
    runs.seed = options.seed;
    runs.repeats = options.repeats;
    runs.time_limit = options.time_limit;
    if (runs.workers.empty()) continue;
    const std::vector<program_measurement> measured = measure_all_programs(runs);
    for (const validation& row : validate(simulated, measured.front(), options.measured_workers)) {
      result.validations.push_back(row);
    }
  }
  if (result.programs.empty()) throw failed_run("no program could be simulated");
  return result;
}

void to_json(nlohmann::json& json, const simulation& from) {
  json = {{"costs_ns", from.costs}, {"left_out", from.left_out}};
  json["programs"] = nlohmann::json::array();
  for (const simulated_program& each : from.programs) {
    nlohmann::json program = each;
    program["parallelism"] = each.parallelism();
    for (nlohmann::json& point : program["predictions"]) point["predicted"] = true;
    json["programs"].push_back(std::move(program));
  }
  json["validations"] = nlohmann::json::array();
  for (const validation& each : from.validations) {
    json["validations"].push_back({{"program", each.program},
                                   {"workers", each.workers},
                                   {"predicted_seconds", each.predicted_seconds},
                                   {"measured_seconds", each.measured_seconds},
                                   {"error", each.error()}});
  }
}

std::string table_report(const simulation& of) {
  std::vector<std::string> cells = {"predicted", "size", "T1", "Tinf", "T1/Tinf"};
  for (const prediction& each : of.programs.front().predictions) {
    cells.push_back(fmt::format("Ts/T{}", each.workers));
  }
  cells.emplace_back("c");
  text_table predictions(cells);
  for (const simulated_program& program : of.programs) {
    cells = {program.program, std::to_string(program.size), format_seconds(program.work_seconds),
             format_seconds(program.span_seconds), ratio_cell(program.parallelism())};
    for (const prediction& each : program.predictions) cells.push_back(ratio_cell(each.speedup_median));
    cells.push_back(fmt::format("{:.1f}", program.greatest_span_constant));
    predictions.add_row(cells);
  }
  std::string text = predictions.str();
  text +=
      "\nSpeedups against the serial elision, simulated: predictions, not measurements; medians over the "
      "seeds.\nT1: the elision. Tinf: the longest path of its recorded graph. c: the least for which every "
      "simulated\nrun kept to T1/P + c Tinf, forks counted in both and a steal's cost at every continuation "
      "in Tinf.\n";
  if (!of.validations.empty()) {
    text_table checked({"program", "workers", "predicted", "measured", "error"});
    for (const validation& each : of.validations) {
      checked.add_row({each.program, std::to_string(each.workers), format_seconds(each.predicted_seconds),
                       format_seconds(each.measured_seconds), fmt::format("{:+.0f}%", each.error() * 100)});
    }
    text += '\n';
    text += checked.str();
  }
  const nlohmann::json costs = of.costs;
  text += "\nCosts, in nanoseconds:";
  for (const auto& [name, ns] : costs.items()) text += fmt::format(" {} {:.4g}", name, ns.get<double>());
  text += '\n';
  for (const std::string& name : of.left_out) text += fmt::format("\n{} was not simulated.\n", name);
  return text;
}

}  // namespace tool

#include "knary_curve.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "command_line.hpp"
#include "format.hpp"
#include "measurement.hpp"

namespace tool {
namespace {

/// As the program takes it.
std::int64_t size_of(const knary_shape& shape) {
  return 100 * std::int64_t{shape.depth} + 10 * shape.children + shape.serial;
}

simulate::time_fit fit_of(const std::vector<knary_point>& points, bool predicted) {
  std::vector<simulate::time_point> times;
  for (const knary_point& each : points) {
    if (each.predicted != predicted) continue;
    times.push_back({each.work_seconds / each.workers, each.span_seconds, each.seconds});
  }
  return simulate::fit_times(times);
}

std::string fit_line(const char* what, const simulate::time_fit& fit) {
  if (fit.work_constant == 0) return fmt::format("{}: no fit.\n", what);
  return fmt::format("{}: T_P = {:.3f} T1/P + {:.2f} Tinf, R^2 {:.4f}, mean relative error {:.1f}%, {}\n",
                     what, fit.work_constant, fit.span_constant, fit.r_squared, fit.mean_relative_error * 100,
                     format_count(fit.points, "point"));
}

void add_measured(const bench::program_family& family, const simulation_options& with,
                  const simulated_program& recorded, const knary_shape& shape,
                  std::vector<knary_point>& points) {
  if (with.measured_workers.empty()) return;
  bench_options runs;
  runs.programs = {&family};
  runs.workers = with.measured_workers;
  runs.chosen_size = recorded.size;
  runs.chosen_grain = recorded.grain;
  runs.repeats = with.repeats;
  runs.time_limit = with.time_limit;
  const std::vector<program_measurement> measured = measure_all_programs(runs);
  for (const int workers : with.measured_workers) {
    const series* const column = measured.front().find("parallel", workers);
    points.push_back(
        {shape, workers, recorded.work_seconds, recorded.span_seconds, column->least_seconds(), false});
  }
}

}  // namespace

std::vector<knary_shape> usual_knary_shapes() {
  return {{15, 2, 1}, {8, 5, 3}, {9, 4, 2},  {9, 5, 2}, {11, 3, 1}, {12, 3, 1},
          {9, 4, 1},  {7, 6, 1}, {10, 4, 1}, {9, 5, 1}, {7, 9, 1},  {17, 2, 0}};
}

std::vector<knary_shape> quick_knary_shapes() { return {{10, 2, 1}, {7, 4, 2}, {6, 5, 1}, {11, 2, 0}}; }

knary_curve take_knary_curve(const std::vector<knary_shape>& shapes, simulation_options with,
                             const simulate::costs& costs) {
  const bench::program_family* const family = bench::find_program("knary");
  if (family == nullptr) throw usage_error("this build has no program knary");
  knary_curve curve;
  for (const knary_shape& shape : shapes) {
    with.size = size_of(shape);
    const simulated_program recorded = simulate_program(*family, with, costs);
    for (const prediction& each : recorded.predictions) {
      curve.points.push_back(
          {shape, each.workers, recorded.work_seconds, recorded.span_seconds, each.seconds, true});
    }
    add_measured(*family, with, recorded, shape, curve.points);
  }
  curve.measured = fit_of(curve.points, false);
  curve.predicted = fit_of(curve.points, true);
  return curve;
}

void to_json(nlohmann::json& json, const knary_curve& from) {
  json = {{"fit_measured", from.measured}, {"fit_predicted", from.predicted}};
  json["points"] = nlohmann::json::array();
  for (const knary_point& each : from.points) {
    json["points"].push_back({{"depth", each.shape.depth},
                              {"children", each.shape.children},
                              {"serial", each.shape.serial},
                              {"workers", each.workers},
                              {"work_seconds", each.work_seconds},
                              {"span_seconds", each.span_seconds},
                              {"seconds", each.seconds},
                              {"machine_size", each.machine_size()},
                              {"speedup", each.speedup()},
                              {"predicted", each.predicted}});
  }
}

std::string table_report(const knary_curve& of) {
  text_table table(
      {"knary(n,k,r)", "T1", "T1/Tinf", "workers", "T_P", "P/(T1/Tinf)", "(T1/T_P)/(T1/Tinf)", ""});
  for (const knary_point& each : of.points) {
    table.add_row({fmt::format("({},{},{})", each.shape.depth, each.shape.children, each.shape.serial),
                   format_seconds(each.work_seconds), fmt::format("{:.1f}", each.parallelism()),
                   std::to_string(each.workers), format_seconds(each.seconds),
                   fmt::format("{:.4g}", each.machine_size()), fmt::format("{:.4g}", each.speedup()),
                   each.predicted ? "predicted" : "measured"});
  }
  return table.str() + "\n" + fit_line("Measured", of.measured) + fit_line("Predicted", of.predicted);
}

}  // namespace tool

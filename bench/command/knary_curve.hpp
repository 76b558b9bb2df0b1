// The normalized speedup curve of knary, a synthetic tree with chosen work and span: measured runs, the law of work
// stealing fitted to them, and simulated runs on more workers beside it.
#ifndef NOPAL_TOOLS_BENCH_KNARY_CURVE_HPP
#define NOPAL_TOOLS_BENCH_KNARY_CURVE_HPP

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "simulation.hpp"

namespace tool {

/// A tree of `depth` levels whose inner nodes have `children`, the first `serial` of them visited one after another.
struct knary_shape {
  int depth;
  int children;
  int serial;
};

/// One run, or the median of simulated ones. With p = T1/Tinf: P/p across, (T1/T_P)/p up.
struct knary_point {
  knary_shape shape{};
  int workers = 0;
  double work_seconds = 0;
  double span_seconds = 0;
  double seconds = 0;
  bool predicted = false;

  [[nodiscard]] double parallelism() const { return work_seconds / span_seconds; }
  [[nodiscard]] double machine_size() const { return workers / parallelism(); }
  [[nodiscard]] double speedup() const { return span_seconds / seconds; }
};

struct knary_curve {
  std::vector<knary_point> points;
  simulate::time_fit measured;   ///< of the points that are not predicted
  simulate::time_fit predicted;  ///< of those that are
};

/// With each point's place in the plot.
void to_json(nlohmann::json& json, const knary_curve& from);

/// Shapes with parallelism from 1 to about 10,000.
[[nodiscard]] std::vector<knary_shape> usual_knary_shapes();
/// The same, smaller, to see that all works.
[[nodiscard]] std::vector<knary_shape> quick_knary_shapes();

/// Runs and simulates each shape: `with.measured_workers` and `with.workers`. Throws usage_error where this build has no
/// program knary.
[[nodiscard]] knary_curve take_knary_curve(const std::vector<knary_shape>& shapes, simulation_options with,
                                           const simulate::costs& costs);

[[nodiscard]] std::string table_report(const knary_curve& of);

}  // namespace tool

#endif

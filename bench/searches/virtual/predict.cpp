#include "predict.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "counts.hpp"

namespace searches {
namespace elided {
library make_library();
}
namespace simulated {
std::vector<search> queens_searches(bool quick);
std::vector<search> knapsack_searches(bool quick);
std::vector<search> fifteen_searches(bool quick);
std::vector<search> sat_searches(bool quick);
std::vector<search> connect4_searches(bool quick);
}  // namespace simulated
}  // namespace searches

namespace virtual_time {
namespace {

using searches::outcome;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

template <class Get>
std::vector<double> values_of(const std::vector<outcome>& runs, Get get) {
  std::vector<double> values;
  std::transform(runs.begin(), runs.end(), std::back_inserter(values), get);
  return values;
}

}  // namespace

std::vector<problem> all_problems(bool quick) {
  std::vector<searches::search> simulated;
  for (const auto& made :
       {searches::simulated::queens_searches(quick), searches::simulated::knapsack_searches(quick),
        searches::simulated::fifteen_searches(quick), searches::simulated::sat_searches(quick),
        searches::simulated::connect4_searches(quick)})
    simulated.insert(simulated.end(), made.begin(), made.end());
  const std::vector<searches::search> serial = searches::elided::make_library().searches(quick);
  std::vector<problem> all;
  for (const searches::search& one : simulated) {
    const auto same = std::find_if(serial.begin(), serial.end(),
                                   [&one](const searches::search& other) { return other.name == one.name; });
    if (same != serial.end()) all.push_back({*same, one});
  }
  return all;
}

outcome run_serially(const problem& of, int runs) {
  outcome best = of.serial.run();
  for (int i = 1; i < runs; ++i) {
    const outcome next = of.serial.run();
    if (next.processor_seconds < best.processor_seconds) best = next;
  }
  return best;
}

std::vector<outcome> run_simulated(const problem& of, const settings& with, int seeds) {
  std::vector<outcome> runs;
  for (int i = 0; i < seeds; ++i) {
    current_settings() = with;
    current_settings().seed += static_cast<std::uint64_t>(i);
    runs.push_back(of.simulated.run());
  }
  return runs;
}

prediction summarize(int workers, const outcome& serial, double serial_seconds,
                     const std::vector<outcome>& runs) {
  const auto speedups =
      values_of(runs, [serial_seconds](const outcome& one) { return serial_seconds / one.seconds; });
  const auto [least, most] = std::minmax_element(speedups.begin(), speedups.end());
  prediction all{
      .workers = workers, .speedup = median(speedups), .least_speedup = *least, .most_speedup = *most};
  all.nodes = median(values_of(runs, [&serial](const outcome& one) {
    return static_cast<double>(one.nodes) / static_cast<double>(serial.nodes);
  }));
  all.stops = median(values_of(runs, [](const outcome& one) { return static_cast<double>(one.stops); }));
  all.stop_us = median(values_of(runs, [](const outcome& one) { return one.stop_us; }));
  for (const outcome& one : runs) all.worst_stop_us = std::max(all.worst_stop_us, one.worst_stop_us);
  return all;
}

std::string head_of_table() {
  return fmt::format("{:<30} {:>3} {:>7} {:>7} {:>7} {:>6} {:>6} {:>9} {:>9}", "search, predicted", "w",
                     "speedup", "least", "most", "nodes", "stops", "us", "most us");
}

std::string row_of(const std::string& search, const prediction& of) {
  std::string row = fmt::format("{:<30} {:>3} {:>7.2f} {:>7.2f} {:>7.2f} {:>6.2f}", search, of.workers,
                                of.speedup, of.least_speedup, of.most_speedup, of.nodes);
  if (of.worst_stop_us != 0)
    row += fmt::format(" {:>6.0f} {:>9.1f} {:>9.1f}", of.stops, of.stop_us, of.worst_stop_us);
  return row;
}

}  // namespace virtual_time

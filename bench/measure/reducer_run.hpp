// One run of reducer_costs.hpp as a process of its own takes it: its command line and its report.
#ifndef NOPAL_BENCH_MEASURE_REDUCER_RUN_HPP
#define NOPAL_BENCH_MEASURE_REDUCER_RUN_HPP

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "measure/reducer_costs.hpp"

namespace measure {

struct reducer_run {
  update_order updates;
  int workers = 1;
  std::int64_t parent = 0;
};

/// --kind, --places, --updates, --passes, --workers, --parent.
void add_options(CLI::App& app, reducer_run& into);

/// Starts the runtime, warms it up, and runs. One line of JSON: seconds, verified, steals; in a library with NOPAL_VIEW_TIMES
/// also view_times, for each activity of src/view/times.hpp its name, seconds and count. Ends with the process `parent`.
[[nodiscard]] std::string report_of(const reducer_run& run);

}  // namespace measure

#endif

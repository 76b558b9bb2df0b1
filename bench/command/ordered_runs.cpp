#include "ordered_runs.hpp"

#include <exception>

#include <fmt/format.h>

#include "child_process.hpp"
#include "measurement.hpp"

namespace tool {

nlohmann::json ordered_runs::take(const ordered_run& run) {
  progress_.begin_run(run.label);
  nlohmann::json result;
  try {
    result = nlohmann::json::parse(
        output_of(run.program, run.arguments, watch_, {time_limit_, [this] { progress_.tick(); }}));
  } catch (const interrupted&) {
    throw;
  } catch (const std::exception& e) {
    throw failed_run(fmt::format("{}: the run {}", run.label, e.what()));
  }
  progress_.end_run();
  return result;
}

}  // namespace tool

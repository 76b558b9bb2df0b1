// Runs in processes of their own that print one JSON object each, one after the other, telling the progress.
#ifndef NOPAL_TOOLS_BENCH_ORDERED_RUNS_HPP
#define NOPAL_TOOLS_BENCH_ORDERED_RUNS_HPP

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "interrupt.hpp"
#include "progress.hpp"

namespace tool {

/// One kind of run: which program takes it, and with what.
struct ordered_run {
  std::string label;
  std::string program;
  std::vector<std::string> arguments;
};

class ordered_runs {
public:
  ordered_runs(std::chrono::seconds time_limit, std::size_t total)
      : time_limit_(time_limit), progress_(total) {}

  /// Throws failed_run that says which run, and `interrupted`.
  nlohmann::json take(const ordered_run& run);
  void note(const std::string& line) { progress_.note(line); }

private:
  std::chrono::seconds time_limit_;
  interrupt_watch watch_;
  progress progress_;
};

}  // namespace tool

#endif

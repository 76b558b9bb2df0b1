// Two reports of `nopal bench --json` against each other.
#ifndef NOPAL_TOOLS_BENCH_COMPARE_HPP
#define NOPAL_TOOLS_BENCH_COMPARE_HPP

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tool {

/// One column of times that both reports have.
struct change {
  std::string program;
  std::string column;
  double old_seconds = 0;  ///< medians
  double new_seconds = 0;
  double noise = 0;  ///< both sets' half distance between quartiles, added, as a fraction of the old median
  bool is_certain = false;  ///< the middle halves of the two sets of samples do not overlap

  [[nodiscard]] double fraction() const { return new_seconds / std::max(old_seconds, 1e-9) - 1; }
};

/// What is in both; programs whose size, grain or seed differs are left out and named in `left_out`.
[[nodiscard]] std::vector<change> compare(const nlohmann::json& old_report, const nlohmann::json& new_report,
                                          std::vector<std::string>& left_out);

/// A table of the changes, and what differs between the machines and builds.
[[nodiscard]] std::string comparison_table(const nlohmann::json& old_report,
                                           const nlohmann::json& new_report);

/// Reads a report. Throws usage_error, in one line, if the file cannot be read or is none.
[[nodiscard]] nlohmann::json read_report(const std::string& file);

}  // namespace tool

#endif

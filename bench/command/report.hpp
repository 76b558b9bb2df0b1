// What was measured, as a table for people and as JSON for programs.
#ifndef NOPAL_TOOLS_BENCH_REPORT_HPP
#define NOPAL_TOOLS_BENCH_REPORT_HPP

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "measurement.hpp"

namespace tool {

[[nodiscard]] std::string table_report(const std::vector<program_measurement>& measurements,
                                       const std::vector<int>& workers);

/// Every peer's times as multiples of the serial program's, or those of this library's variants; empty if there are none.
[[nodiscard]] std::string peer_table(const std::vector<program_measurement>& measurements,
                                     const bench_options& options, bool variants);

[[nodiscard]] nlohmann::json json_report(const std::vector<program_measurement>& measurements,
                                         const bench_options& options);

}  // namespace tool

#endif

// The report as one page of HTML that needs nothing else: data, tables, plots.
#ifndef NOPAL_TOOLS_BENCH_PAGE_HPP
#define NOPAL_TOOLS_BENCH_PAGE_HPP

#include <string>

#include <nlohmann/json.hpp>

namespace tool {

/// The page for a report of json_report.
[[nodiscard]] std::string page_of(const nlohmann::json& report);

}  // namespace tool

#endif

// What a trace says in a few lines.
#ifndef NOPAL_TOOLS_TRACE_SUMMARY_HPP
#define NOPAL_TOOLS_TRACE_SUMMARY_HPP

#include <string>
#include <vector>

#include "trace/timeline.hpp"

namespace tool::tracing {

/// How the workers of a process spent their time, and what was stolen; a line without an end.
[[nodiscard]] std::string summary_line(const timeline& process);

/// What to look at next, for what takes the most of the time; a line without an end.
[[nodiscard]] std::string advice_for(const timeline& process);

/// What is missing of the process; none if nothing is.
[[nodiscard]] std::vector<std::string> gaps_of(const timeline& process);

}  // namespace tool::tracing

#endif

// The trace as one page of HTML that needs nothing else, for who has no viewer at hand.
#ifndef NOPAL_TOOLS_TRACE_PAGE_HPP
#define NOPAL_TOOLS_TRACE_PAGE_HPP

#include <string>
#include <vector>

#include "trace/timeline.hpp"

namespace tool::tracing {

[[nodiscard]] std::string page_of(const std::vector<timeline>& processes);

}  // namespace tool::tracing

#endif

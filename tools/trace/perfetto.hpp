// A timeline in the format of Perfetto (https://perfetto.dev): track events in protocol buffers.
#ifndef NOPAL_TOOLS_TRACE_PERFETTO_HPP
#define NOPAL_TOOLS_TRACE_PERFETTO_HPP

#include <string>
#include <vector>

#include "trace/timeline.hpp"

namespace tool::tracing {

/// The whole file, for any viewer that reads Perfetto's traces.
[[nodiscard]] std::string perfetto_trace(const std::vector<timeline>& processes);

/// What a slice is called, in every form of output; `function` is empty if it is not known.
[[nodiscard]] std::string name_of(const slice& one, const std::string& function);

/// The same of a moment.
[[nodiscard]] std::string name_of(const moment& one, const std::string& function);

}  // namespace tool::tracing

#endif

// What a traced process left in its file (src/trace/format.hpp), read and checked: a damaged file is an
// error or fewer records, never more than was there.
#ifndef NOPAL_TOOLS_TRACE_RAW_FILE_HPP
#define NOPAL_TOOLS_TRACE_RAW_FILE_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "trace/format.hpp"

namespace tool::tracing {

using nopal::internal::trace::what;

struct raw_event {
  std::uint64_t ns;  ///< by CLOCK_MONOTONIC
  what kind;
  std::uint64_t argument;
};

/// One ring.
struct raw_worker {
  std::vector<raw_event> events;  ///< in the order of time
  std::uint64_t lost = 0;         ///< records before these that were overwritten
};

struct raw_process {
  int number = 0;
  std::string program;
  std::uint64_t program_headers = 0;
  std::uint64_t began_ns = 0;
  std::uint64_t before_ns = 0;  ///< from the library's loading to there; 0: not known
  std::uint64_t ended_ns = 0;   ///< what is known of its end, at least
  bool was_ended = false;       ///< it was killed, or goes on: the file has no end
  std::uint64_t parts_cut = 0;  ///< workers that the file had, and are not in it whole: it was cut
  std::vector<raw_worker> workers;
};

/// Throws std::runtime_error, with one line that names the file, for anything that is no such file.
[[nodiscard]] raw_process read_raw(const std::string& path);

/// Whether it begins as such a file.
[[nodiscard]] bool is_raw(const std::string& path);

}  // namespace tool::tracing

#endif

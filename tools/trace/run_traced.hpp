// Running a program so that it leaves traces.
#ifndef NOPAL_TOOLS_TRACE_RUN_TRACED_HPP
#define NOPAL_TOOLS_TRACE_RUN_TRACED_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tool::tracing {

/// A directory for the traces of a run, removed with all that is in it.
class raw_directory {
public:
  raw_directory();
  raw_directory(const raw_directory&) = delete;
  raw_directory& operator=(const raw_directory&) = delete;
  ~raw_directory();

  /// What NOPAL_TRACE is to be. Each process of the run has a file of its own.
  [[nodiscard]] std::string setting(std::int64_t ring_bytes) const;
  [[nodiscard]] std::vector<std::string> files() const;

private:
  std::filesystem::path path_;
};

/// How a program ended.
struct program_end {
  int exit_code;  ///< 128 and the signal's number if that ended it
  int signal;     ///< 0: none
};

/// Runs the command to its end, with NOPAL_TRACE as given. What would interrupt this command meanwhile goes to the program. Throws
/// usage_error if there is no such program.
program_end run_traced(const std::vector<std::string>& command, const std::string& setting);

}  // namespace tool::tracing

#endif

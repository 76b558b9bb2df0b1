// What one run reports to the process that ordered it, as one JSON object.
#ifndef NOPAL_TOOLS_BENCH_RUN_RECORD_HPP
#define NOPAL_TOOLS_BENCH_RUN_RECORD_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace tool {

struct run_record {
  double seconds = 0;
  bool verified = false;
  std::uint64_t serial_stack_pages = 0;  ///< S1: stack pages the serial variants touched
  std::int64_t fork_depth = 0;           ///< D: how deeply forks nest; `depth` variant only
  std::uint64_t steals = 0;
  std::uint64_t failed_steals = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t publishes = 0;
  std::uint64_t forced_publishes = 0;
  std::uint64_t parks = 0;
  std::uint64_t pages_reclaimed = 0;
  std::uint64_t stacks_peak = 0;
  std::uint64_t stack_pages_peak = 0;
  std::int64_t page_faults = 0;        ///< minor faults during the run
  std::int64_t peak_resident_kib = 0;  ///< of the whole process
};

/// An object with a member for each of ours, of the same name.
void to_json(nlohmann::json& into, const run_record& record);

/// That object on one line.
[[nodiscard]] std::string text_of(const run_record& record);

/// Nothing unless the text is an object with every member, each of its type and none negative.
[[nodiscard]] std::optional<run_record> read_run_record(const std::string& text);

}  // namespace tool

#endif

// What one run reports to the process that ordered it, as one JSON object. A peer's process leaves the
// runtime's counts at zero; those written in other languages may leave them out.
#ifndef NOPAL_BENCH_RUNNER_RUN_RECORD_HPP
#define NOPAL_BENCH_RUNNER_RUN_RECORD_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <nopal/detail/counters.h>

// Of a line of the table, what is for counters that are recorded.
#define BENCH_IF_recorded(...) __VA_ARGS__
#define BENCH_IF_unrecorded(...)

namespace bench {

struct run_record {
  double seconds = 0;
  bool verified = false;
  std::uint64_t serial_stack_pages = 0;  ///< S1: stack pages the serial variants touched
  std::uint64_t stack_pages_most = 0;    ///< S_P: the most stack pages at once; `space` variant only
  std::int64_t fork_depth = 0;           ///< D: how deeply forks nest; `depth` variant only
  // Those of the runtime's counters that the table says are recorded: `steals`, `stacks_peak` and others.
#define BENCH_COUNTER(name, which, ...) BENCH_IF_##which(std::uint64_t name = 0;)
  NOPAL_DETAIL_WORKER_COUNTERS(BENCH_COUNTER)
  NOPAL_DETAIL_RUNTIME_COUNTERS(BENCH_COUNTER)
#undef BENCH_COUNTER
  std::int64_t page_faults = 0;          ///< minor faults during the run
  std::int64_t peak_resident_kib = 0;    ///< of the whole process
  std::int64_t resident_growth_kib = 0;  ///< most resident during the run, less what was before it
};

/// An object with a member for each of ours, of the same name.
void to_json(nlohmann::json& into, const run_record& record);

/// That object on one line.
[[nodiscard]] std::string text_of(const run_record& record);

/// Nothing unless the text is an object with `seconds` and `verified`, and each member that it has of its type and not
/// negative; those that it lacks are 0.
[[nodiscard]] std::optional<run_record> read_run_record(const std::string& text);

}  // namespace bench

#endif

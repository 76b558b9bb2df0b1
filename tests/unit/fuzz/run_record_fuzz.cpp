// What a run of the benchmark hands to the process that ordered it.
#include "runner/run_record.hpp"

#include <cmath>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const std::optional<bench::run_record> record = bench::read_run_record(text);
  if (!record) return 0;
  FUZZ_CHECK(std::isfinite(record->seconds) && record->seconds >= 0);
  FUZZ_CHECK(record->fork_depth >= 0 && record->page_faults >= 0 && record->peak_resident_kib >= 0);
  // What is printed reads back as the same, and takes no more room than a pipe's first chunk.
  const std::string printed = bench::text_of(*record);
  FUZZ_CHECK(printed.size() < 4096 && printed.find('\n') == std::string::npos);
  const std::optional<bench::run_record> again = bench::read_run_record(printed + "\n");
  FUZZ_CHECK(again.has_value() && bench::text_of(*again) == printed);
  FUZZ_CHECK(again->seconds == record->seconds && again->verified == record->verified);
  FUZZ_CHECK(again->steals == record->steals && again->peak_resident_kib == record->peak_resident_kib);
  return 0;
}

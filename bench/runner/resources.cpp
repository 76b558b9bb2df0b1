#include "runner/resources.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace bench {
namespace {

// A line such as "VmHWM:     1234 kB" of this process's status; 0 where there is none.
std::int64_t status_kib(std::string_view name) {
  std::ifstream lines("/proc/self/status");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name)) return std::strtoll(line.c_str() + name.size(), nullptr, 10);
  }
  return 0;
}

// Lets the high-water mark start anew. Where the system forbids it the mark is that of the whole life.
void reset_high_water_mark() { std::ofstream("/proc/self/clear_refs") << '5'; }

std::int64_t minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

}  // namespace

resource_watch::resource_watch() {
  reset_high_water_mark();
  resident_before_kib_ = status_kib("VmRSS:");
  faults_before_ = minor_faults();
}

void resource_watch::finish(run_record& record) const {
  record.page_faults = minor_faults() - faults_before_;
  record.peak_resident_kib = status_kib("VmHWM:");
  record.resident_growth_kib = std::max<std::int64_t>(0, record.peak_resident_kib - resident_before_kib_);
}

}  // namespace bench

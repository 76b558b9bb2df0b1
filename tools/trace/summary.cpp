#include "trace/summary.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "format.hpp"

namespace tool::tracing {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e3; }

}  // namespace

std::string summary_line(const timeline& process) {
  const auto seconds = [](std::uint64_t ns) { return format_seconds(static_cast<double>(ns) / 1e9); };
  const std::string before =
      process.before_ns == 0 ? "" : fmt::format(", {} after the program's start", seconds(process.before_ns));
  const totals& sum = process.sum;
  return fmt::format("{} ({}), {} from its first fork{}: {} for {}: strands {:.0f}%, looking for work "
                     "{:.0f}%, asleep {:.0f}%; {}, {}",
                     process.program.substr(process.program.rfind('/') + 1), process.process,
                     seconds(process.ended_ns - process.began_ns), before,
                     format_count(process.lanes.size(), "worker"), seconds(sum.life_ns()),
                     share(sum.strand_ns, sum.life_ns()), share(sum.search_ns, sum.life_ns()),
                     share(sum.sleep_ns, sum.life_ns()), format_count(sum.steals, "steal"),
                     format_count(sum.suspensions, "suspended strand"));
}

std::string advice_for(const timeline& process) {
  const totals& sum = process.sum;
  const double idle = share(sum.search_ns + sum.sleep_ns, sum.life_ns());
  if (process.lanes.size() < 2) {
    return "there was one worker: run it on more (NOPAL_WORKERS) to see steals";
  }
  if (sum.steals == 0) {
    return "nothing was stolen: the parallel parts are too short for a thief to come, or nothing was forked";
  }
  const double strand_us =
      microseconds(sum.strand_ns) / static_cast<double>(std::max<std::uint64_t>(sum.steals, 1));
  if (idle >= 20) {
    return fmt::format(
        "workers were idle {:.0f}% of the time: the parallelism does not suffice for so many; look for "
        "long stretches with one busy worker, and see nopal profile for the parallelism",
        idle);
  }
  if (strand_us < 20) {
    return fmt::format(
        "a steal came with {:.0f} us of work: make leaves larger, or divide in halves rather than by a "
        "chain of forks",
        strand_us);
  }
  return fmt::format(
      "workers were busy {:.0f}% of the time: what is left to gain is in the strands themselves; see a "
      "sampling profiler",
      100 - idle);
}

std::vector<std::string> gaps_of(const timeline& process) {
  std::vector<std::string> lines;
  if (process.lost != 0) {
    lines.push_back(
        fmt::format("{} of its beginning were overwritten: give --size more bytes for each worker",
                    format_count(process.lost, "record")));
  }
  if (process.was_ended)
    lines.emplace_back("it did not come to its end: the trace has what was there by then");
  return lines;
}

}  // namespace tool::tracing

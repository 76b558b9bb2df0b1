// One run of promotion_costs.hpp as a process of its own takes it: its command line and its report.
#ifndef NOPAL_BENCH_MEASURE_PROMOTION_RUN_HPP
#define NOPAL_BENCH_MEASURE_PROMOTION_RUN_HPP

#include <array>
#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace measure {

inline constexpr std::array promotion_kinds = {"walk", "wish", "demand", "quiet", "quiet-cut"};
/// How thieves come by forks: latent ones by polls and signals, latent ones by polls alone, eager ones.
inline constexpr std::array promotion_ways = {"signal", "poll", "eager"};

struct promotion_run {
  std::string kind;
  std::string way = "signal";
  int depth = 10;
  int times = 10;         ///< samples of a walk, of a wish; steals
  std::int64_t ms = 100;  ///< of quiet work, or of rest before a wish
  std::int64_t parent = 0;
};

/// --kind, --way, --depth, --times, --ms, --parent.
void add_options(CLI::App& app, promotion_run& into);

/// Starts the runtime and runs. One line of JSON: of `walk` ns and fewest_promoted; of `wish` first_ns, all_ns and stolen; of
/// `demand` fork_ns and steal_ns; of the others seconds, lost_seconds and signals. All but these are lists, a number for each
/// time. Ends with the process `parent`.
[[nodiscard]] std::string report_of(const promotion_run& run);

}  // namespace measure

#endif

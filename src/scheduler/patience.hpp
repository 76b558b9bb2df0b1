// How long a thief looks at work that force alone gets it, and keeps away after it got little.
#ifndef NOPAL_SCHEDULER_PATIENCE_HPP
#define NOPAL_SCHEDULER_PATIENCE_HPP

#include <cstdint>

#include <nopal/version.hpp>

#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Fewer looks are no sign of anything.
inline constexpr int looks_before_force = NOPAL_BOUND(24, 1);

/// A thief uses force once it has looked for as long as force costs. Until then the owner may fork, or publish
/// by itself. Whoever waits just so long never loses more than twice what the better choice would have cost.
struct patience {
  bool by_time;         ///< else it is the looks alone that count
  int looks;            ///< since force was last used
  std::uint64_t since;  ///< the first of them, in ticks
};

/// Counts a look; true if force is to be used now, which costs that many ticks.
[[nodiscard]] inline bool is_worth_force(patience& spent, std::uint64_t now, std::uint64_t price) noexcept {
  if (spent.looks++ == 0) {
    spent.since = now;
  }
  if (spent.looks < looks_before_force || (spent.by_time && now - spent.since < price)) {
    return false;
  }
  spent.looks = 0;
  return true;
}

/// How long a thief keeps away from all others once what it stole was little, several times in a row. Each steal costs
/// its victim a microsecond or more; where there is nothing larger to take, forks that take some nanoseconds would all pay that,
/// and a loop of them be several times as slow as alone. All in ticks.
struct restraint {
  std::uint64_t stole_at;  ///< 0: not since it was asked last
  std::uint32_t little;    ///< how many little strands there were; a larger one takes two off
};

/// The thief is back: for how long it is to keep away. No longer than 64,000, beside which the next steal costs little.
[[nodiscard]] inline std::uint64_t keeps_away_for(restraint& shy, std::uint64_t now) noexcept {
  constexpr std::uint64_t little_ticks = 2500;
  constexpr std::uint64_t shortest = 4000;
  constexpr std::uint32_t free = 2;
  constexpr std::uint32_t most = free + 5;
  if (shy.stole_at == 0) {
    return 0;
  }
  const std::uint64_t took = now - shy.stole_at;
  shy.stole_at = 0;
  if (took > little_ticks) {
    shy.little -= shy.little < 2 ? shy.little : 2;
    return 0;
  }
  shy.little += shy.little < most ? 1 : 0;
  return shy.little > free ? shortest << (shy.little - free - 1) : 0;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// How long a thief looks at work that force alone gets it.
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

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

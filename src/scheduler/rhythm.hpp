// Regions that come at a regular rhythm: a sleeper wakes by itself shortly before the next one.
//
// A sleeper that is woken works some tens of microseconds after a region began, and the waker pays
// for it. Where the regions of a root follow one another regularly, one sleeper, the keeper of the
// beat, expects the next one: it wakes by a timer, looks for work as any thief that is awake, and
// sleeps again if nothing comes. It uses no more than a twentieth of the time between regions for
// that. docs/sleep.md has the argument.
#ifndef NOPAL_SCHEDULER_RHYTHM_HPP
#define NOPAL_SCHEDULER_RHYTHM_HPP

#include <cstdint>

#include "scheduler/runtime.hpp"
#include "scheduler/short_regions.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Whether all regions are over, and none is expected soon: a thief that finds nothing need not look for long.
[[nodiscard]] bool is_next_far(worker* self) noexcept;
/// How long this sleeper sleeps before it expects a region, in ns; 0: it expects none.
std::uint64_t sleep_until_beat(worker* self) noexcept;
/// Before it announces its sleep: a keeper that wakes on the CPU where a root's thread sleeps would be in its way.
void sleep_elsewhere(worker* self) noexcept;
/// Whether some root with a rhythm has a region that is not over: when the next one begins will be known soon.
[[nodiscard]] bool may_know_beat_soon(worker* self) noexcept;
/// It slept so long, is awake, and looks for work.
void expect_region(worker* self) noexcept;
/// Whether it still expects one.
[[nodiscard]] bool goes_on_expecting(worker* self) noexcept;
/// By a worker that does not sleep any more, or goes to work: others may keep the beat. If it expected a
/// region, wakes those who may take what pushes woke nobody for.
void give_beat_up(worker* self) noexcept;

/// After a publication, and before it as a hint: somebody is awake and looks for it, or will look before it sleeps.
[[nodiscard]] [[gnu::always_inline]] inline bool is_expected() noexcept {
  // Sequentially consistent, after the publication; pairs with the store in give_beat_up. That comes before
  // the announcement of a worker that goes to sleep, and its last look; and before the look of one that
  // goes to work.
  const std::uint64_t until = the_runtime().expects_region.load(std::memory_order_seq_cst);
  return until != 0 && ticks_now() < until;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// What a thief learns of its steals from the workers, and whether it may keep away.

#include "scheduler/restraint.hpp"

#include "scheduler/runtime.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// How many strands the victim has resumed; one that is gone has resumed none since.
std::uint64_t resumed_by_victim(const restraint& shy) noexcept {
  // Acquire pairs with the release in enter_table.
  const worker* const victim = the_runtime().table[shy.victim].load(std::memory_order_acquire);
  return victim == nullptr ? shy.resumed : victim->counts.resumptions.get();
}

void judge_if_due(restraint& shy) noexcept {
  if (shy.is_unjudged) {
    judge_by_victim(shy, ticks_now(), resumed_by_victim(shy));
  }
}

}  // namespace

void note_steal(worker* self, const worker* victim, std::uint64_t began) noexcept {
  restraint& shy = self->shy;
  judge_if_due(shy);
  shy.is_unjudged = false;
  shy.began = began;
  shy.victim = victim->index;
}

std::uint64_t keeps_away_for(worker* self) noexcept {
  judge_if_due(self->shy);
  return keeps_away_for(self->shy);
}

// Relaxed, both: hints, the first looked at again in find_work.
bool may_keep_away(const runtime& all) noexcept {
  return all.have_own_cpus && !all.chosen.steals_always &&
         all.stopping.load(std::memory_order_relaxed) == goes_on &&
         all.blocked.load(std::memory_order_relaxed) == 0;
}

bool judge_arrival(worker* self) noexcept { return judge_strand(self->shy, ticks_now(), true); }

void judge_later(worker* self) noexcept {
  restraint& shy = self->shy;
  shy.resumed = resumed_by_victim(shy);
  shy.is_unjudged = true;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

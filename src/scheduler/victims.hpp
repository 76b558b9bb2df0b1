// Whose work a thief looks at.
#ifndef NOPAL_SCHEDULER_VICTIMS_HPP
#define NOPAL_SCHEDULER_VICTIMS_HPP

#include "scheduler/seats.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// A round of looks, after which the thief gives up its processor.
inline constexpr int looks_before_yield = NOPAL_BOUND(64, 1);

/// Another worker, at random, with a hierarchy the near ones first; null where the table has none.
worker* choose_victim(worker* self, int attempt) noexcept;

/// Ranks of arenas that a thief looks at: all of them; else those of up to `most_rank`.
inline constexpr std::uint32_t lowest_rank = ~std::uint32_t{0};
/// Of code in no arena, and of priority::normal.
inline constexpr std::uint32_t ordinary_rank = 1;

/// A call in an arena of that rank begins or ends.
void count_call_of_rank(std::uint32_t rank, int amount) noexcept;

/// The thief's next round: one in a while is for all ranks.
inline void begin_round(worker* self) noexcept { ++self->rounds; }
/// At each look of a round: a quarter of the looks is for the highest rank alone, a quarter for all but the
/// lowest, if there are calls of these.
void choose_ranks_of_look(worker* self, int attempt) noexcept;
inline void choose_ranks(worker* self, int attempt) noexcept {
  if (arenas_used != 0) {
    choose_ranks_of_look(self, attempt);
  }
}

/// Whether the thief would find a seat for strands of the root, whose rank it looks at now.
[[nodiscard]] inline bool may_look_at(const worker* self, const worker* root) noexcept {
  if (arenas_used == 0) {
    return true;
  }
  const nopal_arena* const arena = arena_of(root);
  const std::uint32_t rank = arena == nullptr ? ordinary_rank : arena->rank;
  return (!self->of_pool || rank <= self->most_rank) &&
         (arena == nullptr ? may_be_outside(self) : may_sit(self, arena));
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

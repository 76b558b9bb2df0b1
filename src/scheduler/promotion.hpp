// Promotion of latent forks: the owner walks its own stack and makes of each what an eager fork
// would have been. docs/latent-forks.md has the argument.
#ifndef NOPAL_SCHEDULER_PROMOTION_HPP
#define NOPAL_SCHEDULER_PROMOTION_HPP

#include <cstdint>

#include "arch/arch.hpp"
#include "deque/deque.hpp"
#include "deque/latent_mode.hpp"
#include "scheduler/worker.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Why a promotion ended where it did.
enum class promotion_end : std::uint8_t {
  complete,       ///< no latent fork is left
  cut,            ///< by code without tables: older ones are left
  no_room,        ///< the deque has none for the youngest
  not_looked_up,  ///< only what was kept was to be used; nothing was done
  between,        ///< the thread is at a fork, between its look at the limit and its call, or its copies
  off_strand,     ///< the thread is not on its strand's stack
};

struct promotion {
  std::int32_t forks;
  promotion_end end;
};

/// How a walk is done. `exact`: the registers are those of an interrupted instruction. `looks_up`:
/// steps may be worked out, which uses vector registers. `grows`: the deque may.
struct promotion_rules {
  bool exact;
  bool looks_up;
  bool grows;
};

/// Pushes every latent fork of the strand that `self` runs, the oldest first, and those of workers
/// outside of `self` onto theirs. Takes time in proportion to the frames of the stack that are
/// younger than the youngest fork in the deque. Called by the thread of `self`, or in its handler.
promotion promote(worker* self, const arch::registers& at, promotion_rules rules) noexcept;

/// Whether a handler that interrupted `self` may. Not in the middle of a walk; and not where latent
/// forks are older than some in the deque: the thread may be taking the youngest of those back, or
/// waiting at its join.
[[nodiscard]] bool may_promote_now(const worker* self) noexcept;

/// By the thread of `self`, where an entry was taken back: once the strand has taken all of its own back, nothing
/// lies above latent forks. A child whose continuation was stolen does, though the deque be empty.
inline void note_taken_back(worker* self) noexcept {
  if (deque::size(self->deque) == 0 &&
      (self->deque.bottom == self->first_entry || NOPAL_FAULT("stolen taken for taken back"))) {
    self->buries_latent = false;
  }
}

/// Before a call that stops the caller's strand for a time: its latent forks may be taken meanwhile.
void promote_for_thieves(worker* self) noexcept;
/// The same whether or not there are thieves, for what looks at the deque: who asks whether it is in a
/// strand, or makes a child process, which keeps what is in the deque.
void promote_own() noexcept;

/// Whether forks of this worker's strand may be latent. A snapshot for thieves. A nested worker has none
/// between its calls, and pushes the first one of the next.
[[nodiscard]] inline bool may_have_latent_forks(const worker& one) noexcept {
  return nopal_latent_forks_used != 0 && get(one.deque.strand.stack) != nullptr &&
         (one.outer == nullptr || get(one.is_called));
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// The index of a thread in an arena.
#ifndef NOPAL_COMPAT_TBB_DETAIL_INDICES_H
#define NOPAL_COMPAT_TBB_DETAIL_INDICES_H

#include <atomic>

#include "arena_state.h"
#include "current.h"

#ifndef NOPAL_ELIDE
#include <nopal/detail/task.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

#ifndef NOPAL_ELIDE
inline constinit std::atomic<bool> asks_for_indices{false};

/// Before the first index outside of arenas that the program gets: what has it there is the thread's, also in a wait.
inline void keep_indices() noexcept {
  // Relaxed: a flag alone.
  if (!asks_for_indices.load(std::memory_order_relaxed)) {
    asks_for_indices.store(true, std::memory_order_relaxed);
    nopal_keep_places();
  }
}
#endif

/// The calling thread's index in the arena of its innermost call, which must be in one.
inline int index_in_arena(const presence& now) noexcept {
  const void* const self = this_thread_key();
  arena_state* const arena = now.where->arena;
  const presence* outermost = nullptr;
  const int wanted = now.thread == self ? now.wanted : -1;
  for (const presence* call = &now; call != nullptr; call = call->outer) {
    if (call->thread == self && call->where != nullptr && call->where->arena == arena) {
      if (call->slot != -1) {
        return call->slot >= 0 ? call->slot : arena_state::index_of_shared(call->slot);
      }
      outermost = call;
    }
  }
  const int kept = arena->kept_slot(self);
  if (kept >= 0) {
    return kept;
  }
  if (outermost == nullptr) {
    return -1;  // a strand that the user's code forked
  }
  // The thread may be in a call that waits, and that has nothing to do with what this body is part of. It lasts
  // longer: it stays on its thread.
  const int held = arena->held_slot(self);
  if (held >= 0) {
    return held;
  }
  const int slot = arena->take_slot(self, wanted);
  outermost->slot = slot;
  return slot >= 0 ? slot : arena_state::index_of_shared(slot);
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

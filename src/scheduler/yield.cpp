// How a strand gives way: it is suspended at a join that its own worker resumes.
#include "scheduler/yield.hpp"

#include <nopal/detail/fast_path.h>
#include <nopal/detail/pinned.h>

#include "scheduler/join.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Rounds that only yield the processor: usually the wait is over before they are.
constexpr int yields_before_leaving = 64;

/// A function of its own: its frame is that of a scope.
[[gnu::noinline]] void leave_for_others(worker* self) noexcept {
  yielded_strand here{};
  nopal_make_frame(&here.frame);
  here.frame.unfinished = 1;  // as if of a child, which ends in resume_yielded
  here.frame.last_ticket = get(self->deque.strand.latest_ticket) + 1;  // none of an old process
  here.root = get(self->deque.setting.root);
  here.local = nopal_local();
  yielded_strand** last = &self->yielded;
  // unreached below: yields
  while (*last != nullptr) {
    last = &(*last)->next;
  }
  *last = &here;
  [[maybe_unused]] void* exception;  // there is no child that could throw
  NOPAL_JOIN_STOLEN(&here.frame, exception);
}

}  // namespace

void yield_strand(int round) noexcept {
  worker* const self = this_worker();
  // A worker that calls the scheduler would not come by again, and no strand that it could go on
  // with instead is suspended here.
  // unreached: yields
  const bool may_leave = self != nullptr && self->waits_for.load(std::memory_order_relaxed) == nullptr;
  if (round < yields_before_leaving || !may_leave) {  // unreached: yields
    os::yield();
    return;
  }
  leave_for_others(self);
}

void resume_yielded(worker* self) noexcept {
  yielded_strand* const first = self->yielded;
  if (first == nullptr) {
    return;
  }
  nopal_arena* const arena = arena_of(static_cast<const worker*>(first->root));
  come_back_from_elsewhere(self, arena);
  // Seen again in the next round: the worker does not sleep meanwhile.
  if (arenas_used != 0 && !try_to_sit(self, static_cast<const worker*>(first->root))) {
    return;
  }
  be_present(self, arena);
  self->yielded = first->next;
  set_if_changed(self->deque.setting.root, first->root);
  set_this_local(first->local);
  // Relaxed: this worker alone knows the frame.
  __atomic_store_n(&first->frame.unfinished, 0, __ATOMIC_RELAXED);
  resume_at_home(self, &first->frame);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

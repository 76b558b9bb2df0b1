#include "scheduler/giving_way.hpp"

#include <nopal/detail/fast_path.h>
#include <nopal/detail/pinned.h>

#include "scheduler/join.hpp"
#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// As a rule the wait is over before.
constexpr int yields_before_leaving = 64;

/// A function of its own: its frame is that of a scope.
[[gnu::noinline]] void leave_for_others(worker* self) noexcept {
  strand_aside here{};
  nopal_make_frame(&here.frame);
  here.frame.unfinished = 1;  // as if of a child, which ends in go_on_with_aside
  here.frame.last_steal = get(self->deque.strand.clock) + 1;  // none of an old process
  here.root = get(self->deque.setting.root);
  here.local = nopal_local();
  strand_aside** last = &self->asides;
  // unreached below: gives-way
  while (*last != nullptr) {
    last = &(*last)->next;
  }
  *last = &here;
  [[maybe_unused]] void* exception;  // there is no child that could throw
  NOPAL_JOIN_STOLEN(&here.frame, exception);
}

}  // namespace

void give_way(int round) noexcept {
  worker* const self = this_worker();
  // A worker that visits the scheduler would not come by again, and no strand that it could go on with instead is suspended here.
  // unreached: gives-way
  const bool may_leave = self != nullptr && self->waits_for.load(std::memory_order_relaxed) == nullptr;
  if (round < yields_before_leaving || !may_leave) {  // unreached: gives-way
    os::yield();
    return;
  }
  leave_for_others(self);
}

void go_on_with_aside(worker* self) noexcept {
  strand_aside* const first = self->asides;
  if (first == nullptr) {
    return;
  }
  self->asides = first->next;
  set_if_changed(self->deque.setting.root, first->root);
  set_this_local(first->local);
  // Relaxed: this worker alone knows the frame.
  __atomic_store_n(&first->frame.unfinished, 0, __ATOMIC_RELAXED);
  go_home(self, &first->frame);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

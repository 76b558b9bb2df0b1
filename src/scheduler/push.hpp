// What the two slow pushes have in common.
#ifndef NOPAL_SCHEDULER_PUSH_HPP
#define NOPAL_SCHEDULER_PUSH_HPP

#include <nopal/detail/noise.h>

#include <cstdint>

#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// What nopal_push_and_publish leaves for nopal_push_slow_path to do.
enum push_remainder : int {
  nothing_left = 0,
  whole_push = 1,
  only_to_wake = 2,
};

/// Whether a fork that is pushed now may be taken before it is popped. With a single worker nobody
/// takes it, but for a fork of a task: a thread that begins to wait for the task's group becomes a
/// worker and takes it, and needs the floating-point mode of a region that began before.
[[gnu::always_inline]] inline bool may_be_taken(const runtime& all, const worker* self) noexcept {
  return all.table_used.load(std::memory_order_relaxed) > 1 || self->outer != nullptr;
}

/// Tells thieves the floating-point mode of the fork that is about to be pushed. Before the push: a
/// thief that forces a publish may take the entry as soon as it is there.
[[gnu::always_inline]] inline void tell_float_control(worker* self) noexcept {
  set_float_control_of(self->deque.setting, arch::float_control());
}

/// A root may change its floating-point mode while no scope of it is outstanding, and thieves are
/// told of the mode at slow pushes. So the first push onto the empty deque of a root's own strand
/// must be one: its entry becomes public, hence its pop is slow and, if that leaves the deque
/// empty, poisons the limit again (nopal_pop_slow). If a push cannot publish, the next is slow too:
/// what looks public then may be so only until the thief that raises the split has settled it.
/// Strands away from their root's stack are inside of a scope of it.
[[gnu::always_inline]] inline void keep_oldest_public(worker* self, std::int32_t published) noexcept {
  NOPAL_FAULT_DOES("oldest private", return);
  NOPAL_FAULT_DOES("raised taken for public", if (deque::has_public(self->deque)) return);
  if (published == 0 && is_root_stack(get(self->deque.strand.stack))) {
    deque::poison(self->deque);
  }
}

/// The push itself. The limit goes back into its place where private entries may stay private.
[[gnu::always_inline]] inline void append_fork(worker* self, nopal_frame* frame,
                                               bool may_stay_private) noexcept {
  NOPAL_FAULT_OMITS("mode told late", tell_float_control(self));
  deque::append(self->deque, frame);
  NOPAL_DISTURB();
  if (may_stay_private) {
    deque::unpoison(self->deque);
    NOPAL_FAULT_DOES("mode told late", tell_float_control(self));
  }
}

enum class how_much : std::uint8_t { some, all };

/// By the owner, after a push: makes some entries public, or all, where thieves can be told of
/// exceptions, and wakes a sleeper. All of them also while a thief forces some: each pop comes to
/// pop_slow.
void offer(worker* self, how_much much) noexcept;
/// By the owner, whose strand is about to stand still: makes all entries public that may be.
void offer_all(worker* self) noexcept;
/// By the thread of `self`, of forks that were promoted onto the deque of a worker outside, which stands still: its code
/// may have forked them in a handler that lasts.
void offer_of_outer(worker* outer, worker* self) noexcept;

/// After a publication of so many entries.
[[gnu::always_inline]] inline void note_published(worker* self, std::int32_t published) noexcept {
  if (published > 0) {
    self->counts.publishes.add();
  }
  NOPAL_DISTURB();
  keep_oldest_public(self, published);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

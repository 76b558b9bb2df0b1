// What the two slow pushes have in common.
#ifndef NOPAL_SCHEDULER_PUSH_HPP
#define NOPAL_SCHEDULER_PUSH_HPP

#include "deque/deque.hpp"
#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// A root may change its floating-point mode while no scope of it is outstanding, and thieves are told of the mode at slow pushes. So
/// the first push onto the empty deque of a root's own strand must be one: its entry becomes public, hence its pop is slow
/// and, if that leaves the deque empty, poisons the limit again (nopal_pop_slow). If the entry cannot be published now, all
/// pushes stay slow. Strands away from their root's stack are inside of a scope of it.
[[gnu::always_inline]] inline void keep_oldest_public(worker* self) noexcept {
  if (is_root_stack(get(self->deque.strand.stack)) && !deque::has_public(self->deque)) {
    deque::poison(self->deque);
  }
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

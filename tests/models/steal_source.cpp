// scheduler/steal.cpp, and parts of a steal that models ask for.
#include "scheduler/steal.cpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// For second_scope_model: the steal of what the model says is there. Says when it is taken.
void explored_steal(worker* self, worker* victim, nopal_frame* frame, void (*taken)(worker*)) {
  const known_roots known{};
  observation seen{self, victim, {}, 0, 0, nullptr, false, known};
  observe(&seen);
  taken(self);
  start_stolen(self, stack_below(self, frame->frame_pointer), frame, seen);
}

/// For root_model: a look at one victim, up to the steal.
nopal_frame* explored_look(worker* self, worker* victim, known_roots& known) {
  observation seen{self, victim, {}, 0, 0, nullptr, false, known};
  nopal_frame* slot = nullptr;
  const bool taken = may_run(self, root_of(*victim), known) &&
                     deque::steal(victim->deque, slot, observe, &seen) == deque::steal_outcome::taken;
  return taken ? slot : nullptr;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// What the scheduler tells observers and bound arenas: where threads take part. docs/arenas.md has the
// argument.
//
// A worker knows two presences of its thread: `called`, of a call in another arena than the code
// around it, and `away`, of strands that its scheduler runs and that are not of the arena of the code
// around. A thread of the program is outside of arenas, as `called` of its first worker.
#ifndef NOPAL_SCHEDULER_OBSERVERS_HPP
#define NOPAL_SCHEDULER_OBSERVERS_HPP

#include <nopal/detail/observer.h>

#include "scheduler/seats.hpp"
#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// How many observe, and how many arenas are bound. Read by anyone, written by atomic steps.
extern int observing;

/// Relaxed: who is there when an observer begins may see it later. Models have no observers, and do not
/// explore this load, which is why it is not written as others are.
[[nodiscard]] inline bool anyone_observes() noexcept {
  int count = 0;
  __atomic_load(&observing, &count, __ATOMIC_RELAXED);
  return count != 0;
}

/// The thread goes on with code in `arena`, or in none: ends what it was away for, if that is not
/// there, and calls entries that it has not called.
void change_presence(worker* self, nopal_arena* arena) noexcept;
inline void be_present(worker* self, nopal_arena* arena) noexcept {
  if (anyone_observes() || self->away.is_there) {
    change_presence(self, arena);
  }
}

/// Ends what the thread was away for: calls exits, then gives up the seat there.
void leave_away(worker* self) noexcept;
inline void come_back(worker* self) noexcept {
  if (self->away.is_there) {
    leave_away(self);
  }
}
/// The same before the thread's next seat, unless that is in the same arena.
inline void come_back_from_elsewhere(worker* self, const nopal_arena* next) noexcept {
  if (self->away.is_there && self->away.arena != next) {
    leave_away(self);
  }
}

/// Whether the worker looks for work without giving up its seat: those whom it has called would see
/// it come and go between any two strands.
[[nodiscard]] inline bool keeps_seat_while_it_looks(const worker* self) noexcept {
  return (self->away.notes != nullptr || self->away.before != nullptr) && self->seat == self->away.arena;
}
/// Whether it is not to keep it any longer: somebody waits for a seat, or there was nothing for a worker
/// that may run little.
[[nodiscard]] bool is_in_the_way(const worker* self, bool found_signs_of_work) noexcept;

/// Before a pinned call: the thread's code is at work, and may not have been when somebody began to
/// observe. Makes a worker of a thread that is none.
void be_present_before_call() noexcept;

/// The call of the nested worker is in another arena than the code around it, and has a seat.
void begin_presence_of_call(worker* nested, nopal_arena* arena, bool is_worker) noexcept;
/// The call is over.
void leave_call(worker* nested) noexcept;
inline void end_presence_of_call(worker* nested) noexcept {
  if (nested->called.is_there || nested->away.is_there) {
    leave_call(nested);
  }
}

/// At the end of a thread of the program: calls exits.
void end_presences(worker* first) noexcept;
/// Calls nobody: the process ends, or is a child of fork(2).
void forget_presences(worker* one) noexcept;

/// While the calling thread is in a function of an observer, its worker; null else. The thread is
/// taken for no worker meanwhile.
[[nodiscard]] worker* worker_of_observer_call() noexcept;
/// Ends the process there: what is to be done would need a worker. True elsewhere.
[[nodiscard]] bool may_be_adopted() noexcept;

void lock_observers() noexcept;
void unlock_observers() noexcept;
/// In a child of fork(2): calls of other threads are gone.
void forget_observer_calls() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Seats: how many threads run strands of an arena's roots at once. docs/arenas.md has the argument.
//
// Invariant: while a worker runs a strand of a root in an arena, its thread has a seat there: this
// worker's, or that of a worker outside. A thread has no seat while it looks for work or waits, but
// in arenas that keep seats.
#ifndef NOPAL_SCHEDULER_SEATS_HPP
#define NOPAL_SCHEDULER_SEATS_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Not 0 once there has been an arena. No atomic variable: it is written before the first arena's
/// first root pushes a fork, and who sees a fork of that sees this.
extern int arenas_used;

/// Workers of the pool with this index and above run nothing outside of arenas, but for substitutes, each of which may have the
/// place of another there: see nopal_configure_for_arenas. Relaxed: it changes while the pool has no threads.
extern int workers_outside;
/// Of so many workers; while the pool has no threads.
void keep_others_to_arenas(int most_outside, int workers) noexcept;
/// Of the threads that sleep in waits and keep their places, those whose places substitutes have for what is in arenas alone: see
/// place_of_sleeper. They count in `blocked`, later than here and no longer. Relaxed: whoever counts itself has no substitute yet, and
/// one that reads an older number is outside for one look more.
extern std::atomic<int> given_for_arenas;
/// Of a substitute.
[[nodiscard]] bool is_kept_to_arenas(const worker* self) noexcept;
[[nodiscard]] inline bool may_be_outside(const worker* self) noexcept {
  if (self->is_substitute) {
    return given_for_arenas.load(std::memory_order_relaxed) == 0 || !is_kept_to_arenas(self);
  }
  return !self->of_pool || self->index < __atomic_load_n(&workers_outside, __ATOMIC_RELAXED);
}
/// Whether it runs tasks outside of arenas while it has no strand.
[[nodiscard]] inline bool runs_tasks_outside(const worker* self) noexcept {
  return runs_tasks(self) && may_be_outside(self);
}

/// The arena of a root's strands; null: none.
[[nodiscard]] inline nopal_arena* arena_of(const worker* root) noexcept {
  return root == nullptr ? nullptr : get(root->arena);
}

/// Whether the thread of `self` has a seat in the arena. Takes the number of seats that its workers
/// have, whatever the depth of nesting.
bool is_seated(const worker* self, const nopal_arena* arena) noexcept;

/// Whether each thread that has a seat in the arena sleeps, in a wait of the library's; false where nobody is found there. A hint: it may
/// wake at once.
bool who_is_seated_sleeps(const nopal_arena* arena) noexcept;

/// Whether it has a seat or would get one now. Sequentially consistent, as the steps of `threads`
/// are: a sleeper asks after its announcement, and who gives a seat back looks for sleepers later.
bool may_sit(const worker* self, const nopal_arena* arena) noexcept;
[[nodiscard]] inline bool may_sit_for(const worker* self, const worker* root) noexcept {
  if (arenas_used == 0) {
    return true;
  }
  const nopal_arena* const arena = arena_of(root);
  return arena == nullptr ? may_be_outside(self) : may_sit(self, arena);
}

/// For a thief with an entry of this root in view: a seat, unless its thread has one or needs none.
/// False: the arena is full. The entry may be gone, and the arena; then the seat is one of whatever
/// has its memory now, until try_seat's caller gives it back.
bool try_seat(const worker* self, const worker* root, nopal_arena*& taken) noexcept;
void return_seat(worker* self, nopal_arena* taken) noexcept;
/// The thief has the entry: the seat that it took is its worker's, unless that is null.
void keep_seat(worker* self, nopal_arena* taken) noexcept;
/// The same for a worker of the pool that took a seat with a task.
void keep_worker_seat(worker* self, nopal_arena* arena) noexcept;

/// The worker has no strand any more: gives up its seat, and those of workers outside of it, whose
/// strands stand still, but where arenas keep them.
void give_up_seats(worker* self) noexcept;
/// The same without its own.
void give_up_outer_seats(worker* self) noexcept;
/// The same before a call in another arena begins.
void give_up_seats_for_call(worker* self) noexcept;
/// The same for this worker's alone.
void give_up_own_seat(worker* self) noexcept;
/// Before a strand of a root in `arena`, or null, goes on: waits until the thread has a seat, if that
/// needs one.
void sit_again(worker* self, nopal_arena* arena) noexcept;
/// The same for another root, without a wait: false if there is no seat.
bool try_to_sit(worker* self, const worker* root) noexcept;

/// Gives back what a worker has, and tells those who wait for a seat. True if no thief could have
/// got one before.
bool release_seat(worker* of) noexcept;
/// As this worker's. `amount`: what it is in `threads`.
void have_seat(worker* self, nopal_arena* arena, std::uint64_t amount) noexcept;

/// Room was made in the arena by a thread that goes on with something else now.
void tell_of_room_to_sleepers(worker* self, const nopal_arena* arena) noexcept;
/// The worker goes on with something in `next`, or null: where it made room before, somebody else
/// may be of use.
void tell_of_left(worker* self, const nopal_arena* next) noexcept;
inline void go_on_in(worker* self, const nopal_arena* next) noexcept {
  if (arenas_used != 0 && self->first->left != nullptr) {
    tell_of_left(self, next);
  }
}

/// Of this worker alone: its own, or its call's.
[[nodiscard]] inline bool has_any_seat(const worker* self) noexcept {
  return get(self->seat) != nullptr || get(self->home) != seat_at_home::none;
}

/// The nested worker's call begins in its outer worker's arena. Workers that stand still get no
/// seats, so those that have none now have none until the call is over.
inline void begin_in_same_arena(worker* nested) noexcept {
  nopal_arena* const arena = arena_of(root_of(*nested->outer));
  if (get(nested->arena) != arena) {
    set(nested->arena, arena);
  }
  if (arenas_used != 0) {
    worker* const outer = nested->outer;
    nested->next_seated = has_any_seat(outer) ? outer : outer->next_seated;
  }
}
/// The nested worker's call is over: its outer worker goes on.
void end_in_arena(worker* nested) noexcept;
/// The nested worker's call is a task, for which its thread has a seat.
void begin_task_in(worker* nested, nopal_arena* arena) noexcept;

/// A sleeper that may run strands of the arena's roots is woken, if there is one.
void wake_for_room(worker* self, const nopal_arena* arena) noexcept;

/// In a child of fork(2), on the thread of `first`: seats of threads of the parent are free.
void free_old_seats(const worker* first) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

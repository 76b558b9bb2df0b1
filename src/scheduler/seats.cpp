// Seats of arenas: taking and giving back, by thieves and by threads that come back to a strand.
//
// Who waits for a seat has none meanwhile but in arenas that keep them, so no circle of waits is
// made of seats. docs/arenas.md has the argument, and says who wakes whom.

#include "scheduler/seats.hpp"

#include <climits>

#include <nopal/detail/noise.h>

#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/traced.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

int arenas_used = 0;
int workers_outside = INT_MAX;

namespace {

/// What a seat is in `threads`: a call's, or a thief's. A thread that waits for what its own root
/// started comes back to its call's.
std::uint64_t seat_of(const worker* self, const nopal_arena* arena) noexcept {
  return get(self->arena) == arena ? 1 : one_worker;
}

/// The next worker outside that has one. Forgets those between, which have given theirs up.
worker* next_seated(const worker* self) noexcept {
  worker* next = self->next_seated;
  while (next != nullptr && !has_any_seat(next)) {
    next = next->next_seated;
  }
  self->next_seated = next;
  return next;
}

/// Room was made by a worker that looks for work next, and may come back to it.
void leave_for_now(worker* self, nopal_arena* arena) noexcept {
  worker* const first = thread_worker(self);
  if (first->left != arena) {
    go_on_in(self, arena);
    first->left = arena;
  }
}

}  // namespace

void keep_others_to_arenas(int most_outside, int workers) noexcept {
  if (most_outside < workers) {
    arenas_used = 1;  // so that thieves look at arenas, and at this
  }
  __atomic_store_n(&workers_outside, most_outside, __ATOMIC_RELAXED);
}

bool release_seat(worker* of) noexcept {
  nopal_arena* const arena = of->seat;
  set(of->seat, nullptr);
  trace::note(of, trace::what::gets_up, arena);
  return give_seat_back(*arena, of->seat_amount);
}

void have_seat(worker* self, nopal_arena* arena, std::uint64_t amount) noexcept {
  set(self->seat, arena);
  self->seat_amount = amount;
  trace::note(self, trace::what::sits, arena);
}

void tell_of_room_to_sleepers(worker* self, const nopal_arena* arena) noexcept {
  NOPAL_DISTURB();
  if (anyone_sleeps() && !NOPAL_FAULT("room not told to sleepers")) {
    wake_for_room(self, arena);
  }
}

bool is_seated(const worker* self, const nopal_arena* arena) noexcept {
  for (const worker* one = self; one != nullptr; one = next_seated(one)) {
    if (get(one->seat) == arena || (get(one->home) != seat_at_home::none && get(one->arena) == arena)) {
      return true;
    }
  }
  return false;
}

bool who_is_seated_sleeps(const nopal_arena* arena) noexcept {
  bool anyone = false;
  bool all_sleep = true;
  for_each_first_worker(the_runtime(), [&](const worker* first) {
    bool sits = false;
    bool sleeps = get(first->is_suspended);
    // Acquire pairs with the release in make_nested: the worker is complete. The rest is relaxed.
    for (const worker* one = first; one != nullptr; one = one->nested.load(std::memory_order_acquire)) {
      sits = sits || get(one->seat) == arena ||
             (get(one->home) != seat_at_home::none && get(one->arena) == arena);
      sleeps = sleeps || one->park.load(std::memory_order_relaxed) == parked;
    }
    anyone = anyone || sits;
    all_sleep = all_sleep && (sleeps || !sits);
  });
  return anyone && all_sleep;
}

bool may_sit(const worker* self, const nopal_arena* arena) noexcept {
  return seat_of(self, arena) == 1 ? is_seated(self, arena) || has_seat_for_return(*arena)
                                   : has_seat_for_thief(*arena) || is_seated(self, arena);
}

bool try_seat(const worker* self, const worker* root, nopal_arena*& taken) noexcept {
  nopal_arena* const arena = arena_of(root);
  if (arena == nullptr) {
    return may_be_outside(self);
  }
  if (is_seated(self, arena) || NOPAL_FAULT("no seat taken")) {
    return true;
  }
  const bool got = seat_of(self, arena) == 1 ? try_seat_of_return(*arena) : try_seat_of_thief(*arena);
  taken = got ? arena : nullptr;
  return got;
}

void return_seat(worker* self, nopal_arena* taken) noexcept {
  if (give_seat_back(*taken, seat_of(self, taken))) {
    leave_for_now(self, taken);
  }
}

void keep_seat(worker* self, nopal_arena* taken) noexcept { have_seat(self, taken, seat_of(self, taken)); }
void keep_worker_seat(worker* self, nopal_arena* arena) noexcept { have_seat(self, arena, one_worker); }

void give_up_own_seat(worker* self) noexcept {
  nopal_arena* const arena = self->seat;
  if (arena != nullptr && release_seat(self)) {
    leave_for_now(self, arena);
  }
}

void give_up_seats(worker* self) noexcept {
  give_up_own_seat(self);
  give_up_outer_seats(self);
}

void give_up_outer_seats(worker* self) noexcept {
  for (worker* one = next_seated(self); one != nullptr; one = next_seated(one)) {
    nopal_arena* const arena = one->seat;
    if (arena != nullptr && arena->keeps == 0 && !NOPAL_FAULT("seat kept in a wait") && release_seat(one)) {
      leave_for_now(self, arena);
    }
  }
}

void give_up_seats_for_call(worker* self) noexcept {
  for (worker* one = self; one != nullptr; one = next_seated(one)) {
    nopal_arena* const arena = one->seat;
    if (arena != nullptr && arena->keeps == 0 && release_seat(one)) {
      tell_of_room_to_sleepers(self, arena);
    }
  }
}

void sit_again(worker* self, nopal_arena* arena) noexcept {
  if (arena != nullptr && !is_seated(self, arena)) {
    const std::uint64_t amount = seat_of(self, arena);
    wait_for_room(*arena, amount);
    have_seat(self, arena, amount);
  }
  go_on_in(self, arena);
}

bool try_to_sit(worker* self, const worker* root) noexcept {
  nopal_arena* const arena = arena_of(root);
  if (arena != nullptr && !is_seated(self, arena)) {
    if (!try_seat_of_call(*arena)) {
      return false;
    }
    have_seat(self, arena, 1);
  }
  go_on_in(self, arena);
  return true;
}

void tell_of_left(worker* self, const nopal_arena* next) noexcept {
  worker* const first = thread_worker(self);
  nopal_arena* const left = first->left;
  first->left = nullptr;
  if (left != next) {
    tell_of_room_to_sleepers(self, left);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

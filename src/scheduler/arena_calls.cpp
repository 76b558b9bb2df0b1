// Calls in arenas: their seats, and how they begin and end.

#include <climits>

#include <nopal/detail/pinned.h>

#include "scheduler/adoption.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/pinned.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/victims.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Of a strand, until then at most. Its latent forks are for others meanwhile. False: there was none.
bool wait_for_seat(worker* self, nopal_arena* arena, std::uint64_t until_ns = without_end) noexcept {
  if (try_seat_of_call(*arena)) {
    return true;
  }
  promote_for_thieves(self);
  return wait_for_room(*arena, 1, until_ns);
}

/// The calling thread's worker; one is made if need be. Null: there is no memory.
worker* worker_for_call() noexcept {
  worker* const self = this_worker();
  return self != nullptr ? self : adopt_this_thread();
}

void have_seat_at_home(worker* nested, std::uint8_t how, std::uint64_t amount) noexcept {
  set(nested->home, how);
  nested->home_amount = amount;
}

/// Who lends its seat has it back after so long at most.
constexpr std::uint64_t most_wait_for_lent_ns = 10'000'000;

/// What the thread's seat there is in `threads`: 0 where it is not counted. False: it has none.
bool find_seat(const worker* self, const nopal_arena* arena, std::uint64_t& amount) noexcept {
  for (const worker* one = self; one != nullptr; one = one->outer) {
    if (one->seat == arena) {
      amount = one->seat_amount;
      return true;
    }
    if (one->home != seat_at_home::none && one->arena == arena) {
      amount = one->home_amount;
      return true;
    }
  }
  return false;
}

void count_call(worker* nested, nopal_arena* arena) noexcept {
  count_call_of_rank(arena->rank, 1);
  nested->counts_call = true;
}

}  // namespace

void begin_task_in(worker* nested, nopal_arena* arena) noexcept {
  set(nested->arena, arena);
  if (!is_seated(nested, arena)) {
    have_seat_at_home(nested, seat_at_home::lent, 1);  // see enter_for_task
    begin_presence_of_call(nested, arena, false);
  }
}

void end_in_arena(worker* nested) noexcept {
  worker* const outer = nested->outer;
  nopal_arena* const arena = nested->arena;
  nopal_arena* const wanted = arena_of(root_of(*outer));
  const bool moves = nested->seat != nullptr && nested->seat == wanted && outer->seat == nullptr;
  if (moves) {
    // A wait gave up the seat that the thread had before, and came back to this one.
    have_seat(outer, wanted, nested->seat_amount);
    set(nested->seat, nullptr);
  }
  bool made_room = nested->seat != nullptr && release_seat(nested);
  if (nested->home == seat_at_home::entered) {
    made_room = give_seat_back(*arena, 1) || made_room;
  }
  set(nested->home, seat_at_home::none);
  set(nested->arena, nullptr);
  if (nested->counts_call) {
    nested->counts_call = false;
    count_call_of_rank(arena->rank, -1);
  }
  if (made_room && arena != nullptr) {
    tell_of_room_to_sleepers(nested, arena);
  }
  if (wanted != nullptr && !is_seated(outer, wanted)) {
    wait_for_seat(nested, wanted);
    have_seat(outer, wanted, 1);
  }
}

void free_old_seats(const worker* first) noexcept {
  free_all_seats();
  for (const worker* one = first; one != nullptr; one = one->nested.load(std::memory_order_relaxed)) {
    if (one->seat != nullptr) {
      __atomic_fetch_add(&one->seat->threads, one->seat_amount, __ATOMIC_RELAXED);
    }
    if (one->home != seat_at_home::none) {
      __atomic_fetch_add(&one->arena->threads, one->home_amount, __ATOMIC_RELAXED);
    }
  }
}

namespace {

/// How a call comes to its seat.
enum class seat_by : std::uint8_t { the_wait, the_patient_wait, whoever_lets_it_in };

/// See nopal_begin_in_arena_patiently.
bool wait_patiently(worker* self, nopal_arena* arena) noexcept {
  constexpr std::uint64_t longest_nap_ns = 16'000'000;
  constexpr std::uint64_t most_without_change_ns = 200'000'000;
  constexpr std::uint64_t most_ns = 5 * most_without_change_ns;  // others may change the same count of events
  const std::atomic<std::uint32_t>& events = events_of(arena);
  const std::uint64_t began = os::monotonic_ns();
  std::uint64_t changed = began;
  bool slept = false;
  for (std::uint64_t nap_ns = 1'000'000;; nap_ns = nap_ns < longest_nap_ns ? 2 * nap_ns : nap_ns) {
    // Relaxed, as below: whoever leaves while this waits counts that.
    const std::uint32_t seen = events.load(std::memory_order_relaxed);
    if (wait_for_seat(self, arena, os::monotonic_ns() + nap_ns)) {
      return true;
    }
    const std::uint64_t now = os::monotonic_ns();
    if (events.load(std::memory_order_relaxed) != seen) {
      changed = now;
    }
    const bool sleeps = who_is_seated_sleeps(arena);
    if ((sleeps && slept) || now - changed >= most_without_change_ns || now - began >= most_ns) {
      return false;
    }
    slept = sleeps;
  }
}

/// 1: there is no memory. 2: there was no seat.
int begin_call_in(nopal_pinned* call, nopal_arena* arena, seat_by which) noexcept {
  worker* const outer = worker_for_call();
  if (outer == nullptr || !has_nested(outer)) {
    return 1;
  }
  be_present(outer, arena_of(root_of(*outer)));
  const bool keeps = arena->keeps != 0;
  const bool is_inside = arena_of(root_of(*outer)) == arena || (keeps && is_seated(outer, arena));
  if (!is_inside) {
    give_up_seats_for_call(outer);
    if (which == seat_by::the_wait) {
      wait_for_seat(outer, arena);
    } else if (which == seat_by::the_patient_wait && !wait_patiently(outer, arena)) {
      return 2;
    }
  }
  begin_pinned(call, nopal_innermost_stop());  // which has what it needs
  worker* const nested = this_worker();
  nested->pinned_at = static_cast<const char*>(__builtin_frame_address(0));
  nested->isolation = not_isolated;
  set(nested->arena, arena);
  count_call(nested, arena);
  if (is_inside) {
    return 0;
  }
  if (which == seat_by::whoever_lets_it_in) {
    have_seat_at_home(nested, seat_at_home::lent, 0);
  } else if (keeps) {
    have_seat_at_home(nested, seat_at_home::entered, 1);
  } else {
    have_seat(nested, arena, 1);
  }
  begin_presence_of_call(nested, arena, false);
  return 0;
}

}  // namespace

extern "C" NOPAL_EXPORT int nopal_begin_in_arena(nopal_pinned* call, nopal_arena* arena) {
  return begin_call_in(call, arena, seat_by::the_wait);
}

extern "C" NOPAL_EXPORT int nopal_begin_in_arena_patiently(nopal_pinned* call, nopal_arena* arena) {
  return begin_call_in(call, arena, seat_by::the_patient_wait);
}

extern "C" NOPAL_EXPORT int nopal_begin_beside_arena(nopal_pinned* call, nopal_arena* arena) {
  return begin_call_in(call, arena, seat_by::whoever_lets_it_in);
}

extern "C" NOPAL_EXPORT int nopal_begin_seated(nopal_pinned* call, nopal_arena* arena) {
  if (worker_for_call() == nullptr || begin_pinned(call, nullptr) != 0) {
    return 1;
  }
  worker* const nested = this_worker();
  nested->pinned_at = static_cast<const char*>(__builtin_frame_address(0));
  set(nested->arena, arena);
  // Where no worker may come, the one thread that serves the arena is not counted.
  have_seat_at_home(nested, seat_at_home::lent, arena->worker_limit != 0 ? one_worker : 0);
  begin_presence_of_call(nested, arena, true);  // a thread that serves calls that were enqueued
  return 0;
}

extern "C" NOPAL_EXPORT void nopal_arena_enter(nopal_arena* arena) { wait_for_room(*arena, 1); }

extern "C" NOPAL_EXPORT void nopal_arena_leave(nopal_arena* arena) {
  if (give_seat_back(*arena, 1) && anyone_sleeps()) {
    wake_for_room(this_worker(), arena);
  }
}

extern "C" NOPAL_EXPORT int nopal_arena_try_enter_worker(nopal_arena* arena) {
  return try_seat_of_thief(*arena) ? 1 : 0;
}

extern "C" NOPAL_EXPORT void nopal_arena_leave_worker(nopal_arena* arena) {
  if (give_seat_back(*arena, one_worker) && anyone_sleeps()) {
    wake_for_room(this_worker(), arena);
  }
}

extern "C" NOPAL_EXPORT int nopal_arena_lend(nopal_arena* arena) {
  worker* const self = this_worker();
  std::uint64_t amount = 0;
  if (self != nullptr) {
    set(self->first->is_suspended, true);
  }
  if (!find_seat(self, arena, amount)) {
    return 0;
  }
  // Relaxed: a flag alone.
  __atomic_store_n(&arena->suspends, 1, __ATOMIC_RELAXED);
  // A worker may come in place of all but a worker, and of one that came so. Relaxed, as a hint: who comes or leaves meanwhile may make
  // it one more or less, until this is taken back.
  const bool is_beyond_limit =
      amount != one_worker ||
      __atomic_load_n(&arena->threads, __ATOMIC_RELAXED) / one_worker > arena->worker_limit;
  if (is_beyond_limit) {
    // Relaxed: pairs with worker_limit by the seat's step or the look for sleepers, which come next.
    __atomic_fetch_add(&arena->lent, 1, __ATOMIC_RELAXED);
  }
  if (amount != 0) {
    give_seat_back(*arena, amount);
  } else {
    // As the seat's step, for sleepers: they announce themselves, then look for room.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
  // Also where a thief could have got one: workers may be more now.
  if (anyone_sleeps() && !NOPAL_FAULT("lent seat not told")) {
    wake_for_room(self, arena);
  }
  return is_beyond_limit ? 1 : 0;
}

extern "C" NOPAL_EXPORT void nopal_arena_take_back(nopal_arena* arena, int lent) {
  worker* const self = this_worker();
  std::uint64_t amount = 0;
  if (self != nullptr) {
    set(self->first->is_suspended, false);
  }
  if (find_seat(self, arena, amount) && amount != 0 &&
      !wait_for_room(*arena, amount, os::monotonic_ns() + most_wait_for_lent_ns)) {
    // As in try_add: pairs with the steps of those who left.
    __atomic_fetch_add(&arena->threads, amount, __ATOMIC_SEQ_CST);
  }
  if (lent != 0) {
    __atomic_fetch_sub(&arena->lent, 1, __ATOMIC_RELAXED);  // as above; nobody waits for less
  }
}

extern "C" NOPAL_EXPORT void nopal_limit_workers(int most) {
  // The calling thread is one of them, and the pool's begin with 1. Sequentially consistent: who goes to sleep announces that before its
  // last look, which reads the limit, and is found here or sees it.
  __atomic_store_n(&allowed_workers, most <= 0 ? INT_MAX : most, __ATOMIC_SEQ_CST);
  if (anyone_sleeps()) {
    wake_all();
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

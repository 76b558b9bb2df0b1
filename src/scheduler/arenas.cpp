// Arenas: how many threads are in each, and the tasks that were started there.
//
// A thread of the program waits until it may enter; workers enter only where there is room. One
// lock guards all lists of tasks and the list of arenas that have some. No wake-up is lost: a
// worker announces its sleep and then looks for arenas with tasks and room; a thread that starts a
// task or leaves an arena does so first and then looks for sleepers. So one of the two sees the
// other.

#include <new>

#include <nopal/detail/noise.h>

#include "scheduler/nodes.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/task_index.hpp"
#include "scheduler/tasks.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constinit task_list all_arenas;         // its lock alone
nopal_arena* first_with_tasks;          // by rank; under the lock
std::atomic<int> arenas_with_tasks{0};  // written under the lock, looked at without
int passed_over;                        // takes in a row that left a lower one waiting; under the lock
nopal_arena* first_made;                // under the lock, as the next
nopal_arena* first_free;

class arenas_guard {
public:
  arenas_guard() noexcept { all_arenas.lock(); }
  arenas_guard(const arenas_guard&) = delete;
  arenas_guard& operator=(const arenas_guard&) = delete;
  ~arenas_guard() { all_arenas.unlock(); }
};

std::uint32_t masters(std::uint64_t threads) noexcept { return static_cast<std::uint32_t>(threads); }
std::uint32_t workers(std::uint64_t threads) noexcept { return static_cast<std::uint32_t>(threads >> 32U); }

/// Relaxed: pairs with nopal_arena_lend, by the seat's step and by the look for sleepers there.
std::uint32_t worker_limit(const nopal_arena& arena) noexcept {
  return arena.worker_limit + __atomic_load_n(&arena.lent, __ATOMIC_RELAXED);
}
bool has_room(const nopal_arena& arena, std::uint64_t threads) noexcept {
  return masters(threads) + workers(threads) < arena.limit;
}
/// Whoever waits for a seat goes first: a thief is back at once, and would take each.
bool nobody_waits(const nopal_arena& arena) noexcept {
  return __atomic_load_n(&arena.entering, __ATOMIC_SEQ_CST) == 0;
}
bool has_room_for_return(const nopal_arena& arena, std::uint64_t threads) noexcept {
  return has_room(arena, threads) && nobody_waits(arena);
}
bool has_room_for_worker(const nopal_arena& arena, std::uint64_t threads) noexcept {
  return workers(threads) < worker_limit(arena) && has_room_for_return(arena, threads);
}
std::uint64_t threads_of(const nopal_arena& arena) noexcept {
  return __atomic_load_n(&arena.threads, __ATOMIC_SEQ_CST);
}

/// Adds `amount` if `allowed` at that moment.
template <class Allowed>
bool try_add(nopal_arena& arena, std::uint64_t amount, Allowed allowed) noexcept {
  std::uint64_t threads = __atomic_load_n(&arena.threads, __ATOMIC_RELAXED);
  while (allowed(arena, threads)) {
    // Acquire pairs with the release of who left: what it did in the arena comes before.
    if (__atomic_compare_exchange_n(&arena.threads, &threads, threads + amount, true, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}

std::atomic<std::uint32_t>& entering(nopal_arena& arena) noexcept {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(&arena.entering);
}

/// Room was made, for somebody that waits for a seat.
void tell_of_room(nopal_arena& arena) noexcept {
  if (entering(arena).load(std::memory_order_seq_cst) != 0) {
    // A count, so that no second one undoes what the first has told.
    std::atomic<std::uint32_t>& events = events_of(&arena);
    std::uint32_t more = 1;
    NOPAL_FAULT_DOES("room counted by one bit",
                     more = (events.load(std::memory_order_relaxed) & 1U) != 0 ? ~0U : 1);
    NOPAL_FAULT_OMITS("room not counted", events.fetch_add(more, std::memory_order_seq_cst));
    NOPAL_FAULT_OMITS("room not told", os::futex_wake(events, 1 << 30));
  }
}

// Under the lock.
void list_arena(nopal_arena& arena) noexcept {
  nopal_arena** at = &first_with_tasks;
  while (*at != nullptr && (*at)->rank <= arena.rank) {
    at = &(*at)->next;
  }
  arena.next = *at;
  *at = &arena;
  arenas_with_tasks.store(arenas_with_tasks.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
}

void sort_all(nopal_arena& arena) noexcept {
  while (arena.unsorted != nullptr) {
    nopal_task* const task = sort_next(arena);
    if (task->starter != nullptr) {
      sort_in<by_starter>(&arena.by_starter, task);
    }
  }
}

nopal_task* youngest_of(nopal_arena& arena, const wanted_tasks& wanted) noexcept {
  nopal_task* const youngest = arena.youngest;
  if (youngest == nullptr || (youngest->group == wanted.group && wanted(*youngest))) {
    return youngest;
  }
  sort_all(arena);
  return youngest_in_lot<by_group>(*lot_of<by_group>(&arena.by_group, wanted.group), wanted);
}

/// The oldest of some starter that was started for the group. Forgets whose starters are over.
// NOLINTNEXTLINE(misc-no-recursion): as deep as a key has bits
nopal_task* started_for(const nopal_task_group* group, nopal_task** place) noexcept {
  while (*place != nullptr && starter_is_over(*place)) {
    sort_out_oldest<by_starter>(place);
  }
  nopal_task* const task = *place;
  if (task == nullptr || was_started_for(group, task)) {
    return task;
  }
  nopal_task* const found = started_for(group, &task->of_starter.inner[0]);
  // unreached: places-of-starters
  return found != nullptr ? found : started_for(group, &task->of_starter.inner[1]);
}

nopal_task* started_for(const nopal_task_group* group, nopal_arena& arena) noexcept {
  sort_all(arena);
  return started_for(group, &arena.by_starter);
}

void remove(nopal_arena& arena, nopal_task* task) noexcept {
  if (is_sorted<by_starter>(task)) {
    sort_out<by_starter>(&arena.by_starter, task);
  }
  unlink_task(arena, task);
  if (arena.oldest != nullptr) {
    return;
  }
  nopal_arena** at = &first_with_tasks;
  // unreached below: race
  while (*at != &arena) {
    at = &(*at)->next;
  }
  *at = arena.next;
  arenas_with_tasks.store(arenas_with_tasks.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

/// The first with room; after a while of that the last of a lower rank, so that nothing waits for
/// ever.
nopal_arena* choose_arena() noexcept {
  constexpr int most_passed_over = 32;
  nopal_arena* chosen = nullptr;
  nopal_arena* lowest = nullptr;
  for (nopal_arena* arena = first_with_tasks; arena != nullptr; arena = arena->next) {
    if (has_room_for_worker(*arena, threads_of(*arena))) {
      chosen = chosen == nullptr ? arena : chosen;
      lowest = lowest == nullptr || arena->rank > lowest->rank ? arena : lowest;
    }
  }
  const bool is_lower_left = chosen != nullptr && chosen->rank != lowest->rank;
  passed_over = is_lower_left ? passed_over + 1 : 0;
  if (passed_over <= most_passed_over) {
    return chosen;
  }
  passed_over = 0;
  return lowest;
}

}  // namespace

bool arenas_have_tasks(bool where_seats_are_lent) noexcept {
  if (arenas_with_tasks.load(NOPAL_FAULT_ORDER("arenas read relaxed", std::memory_order_seq_cst)) == 0) {
    return false;
  }
  const arenas_guard guard;
  for (const nopal_arena* arena = first_with_tasks; arena != nullptr; arena = arena->next) {
    // Relaxed: of an arena that lends its first seat now, a sleeper learns after its nap.
    if (has_room_for_worker(*arena, threads_of(*arena)) &&
        (!where_seats_are_lent || __atomic_load_n(&arena->suspends, __ATOMIC_RELAXED) != 0)) {
      return true;
    }
  }
  return false;
}

nopal_task* take_from_arenas() noexcept {
  nopal_task* task = nullptr;
  {
    const arenas_guard guard;
    nopal_arena* const arena = choose_arena();
    // unreached: race
    if (arena == nullptr || !try_seat_of_thief(*arena)) {
      return nullptr;
    }
    task = arena->oldest;
    nopal_arena_refer(arena);  // it is there: its tasks refer to it
    remove(*task->arena, task);
  }
  // unreached below: race
  if (anyone_sleeps() && arenas_have_tasks()) {
    wake_for_task(this_worker(), task_is::in_arena);
  }
  return task;
}

nopal_task* take_out_of_arenas() noexcept {
  nopal_task* const task = first_with_tasks == nullptr ? nullptr : first_with_tasks->oldest;
  if (task != nullptr) {
    remove(*task->arena, task);
  }
  return task;
}

nopal_task* take_from_arena(nopal_arena& arena, const wanted_tasks& wanted, of_tasks which) noexcept {
  // Sequentially consistent: after the waiter's announcement; see push_to_arena.
  if (arenas_with_tasks.load(NOPAL_FAULT_ORDER("arenas read relaxed", std::memory_order_seq_cst)) == 0) {
    return nullptr;
  }
  const arenas_guard guard;
  nopal_task* task = youngest_of(arena, wanted);
  if (task == nullptr && which == of_tasks::and_what_they_start) {
    task = started_for(wanted.group, arena);
  }
  if (task != nullptr && wanted(*task)) {
    remove(arena, task);
    return task;
  }
  return nullptr;
}

nopal_task* enter_for_task(const wanted_tasks& wanted) noexcept {
  // Sequentially consistent as above.
  if (arenas_with_tasks.load(NOPAL_FAULT_ORDER("arenas read relaxed", std::memory_order_seq_cst)) == 0) {
    return nullptr;
  }
  const arenas_guard guard;
  for (nopal_arena* arena = first_with_tasks; arena != nullptr; arena = arena->next) {
    nopal_task* const task = youngest_of(*arena, wanted);
    if (task != nullptr && try_add(*arena, 1, has_room)) {
      nopal_arena_refer(arena);
      remove(*arena, task);
      return task;
    }
  }
  return nullptr;
}

bool push_to_arena(nopal_task* task) noexcept {
  nopal_arena& arena = *task->arena;
  bool waiters;
  {
    const arenas_guard guard;
    const bool was_empty = arena.oldest == nullptr;
    task->of_starter.younger = nullptr;
    link_task(arena, task);
    if (was_empty) {
      list_arena(arena);
    }
    // Sequentially consistent, after the task is there; under the lock nobody has taken it, so the
    // group is there.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    waiters = has_waiters(__atomic_load_n(&task->group->state, __ATOMIC_SEQ_CST));
  }
  NOPAL_DISTURB();
  if (anyone_sleeps()) {
    wake_for_task(this_worker(), task_is::in_arena);
  }
  return waiters;
}

void take_out_of_arena(nopal_task* task) noexcept { remove(*task->arena, task); }
nopal_arena* first_arena_with_tasks() noexcept { return first_with_tasks; }
void lock_arenas() noexcept { all_arenas.lock(); }
void unlock_arenas() noexcept { all_arenas.unlock(); }

bool has_seat_for_return(const nopal_arena& arena) noexcept {
  return has_room_for_return(arena, threads_of(arena));
}
bool has_seat_for_thief(const nopal_arena& arena) noexcept {
  return has_room_for_worker(arena, threads_of(arena));
}
bool try_seat_of_call(nopal_arena& arena) noexcept { return try_add(arena, 1, has_room); }
bool try_seat_of_return(nopal_arena& arena) noexcept { return try_add(arena, 1, has_room_for_return); }
bool try_seat_of_thief(nopal_arena& arena) noexcept {
  return try_add(arena, one_worker, has_room_for_worker);
}

bool give_seat_back(nopal_arena& arena, std::uint64_t amount) noexcept {
  NOPAL_FAULT_DOES("room told first", tell_of_room(arena));
  const std::uint64_t before = __atomic_fetch_sub(&arena.threads, amount, __ATOMIC_SEQ_CST);
  NOPAL_FAULT_OMITS("room told first", tell_of_room(arena));
  return workers(before) >= worker_limit(arena) || !has_room(arena, before);
}

bool wait_for_room(nopal_arena& arena, std::uint64_t amount, std::uint64_t until_ns) noexcept {
  // Not has_room_for_worker: who waits is not to wait for itself.
  const auto may_enter = [amount](const nopal_arena& into, std::uint64_t threads) {
    return has_room(into, threads) && (amount == 1 || workers(threads) < worker_limit(into));
  };
  if (try_add(arena, amount, may_enter)) {
    return true;
  }
  // Sequentially consistent: before the look for room; who leaves makes room before it looks for
  // this.
  entering(arena).fetch_add(1, std::memory_order_seq_cst);
  std::atomic<std::uint32_t>& events = events_of(&arena);
  bool got = false;
  do {
    // Before the look for room as well: what is told after it ends the sleep.
    const std::uint32_t seen = events.load(std::memory_order_seq_cst);
    NOPAL_DISTURB();
    // unreached: race
    if (NOPAL_FAULT("room not looked for") || !may_enter(arena, threads_of(arena))) {
      if (until_ns == without_end) {
        os::futex_wait(events, seen);
      } else if (const std::uint64_t now = os::monotonic_ns(); now < until_ns) {
        os::futex_wait_for(events, seen, until_ns - now);
      } else {
        break;
      }
    }
    got = try_add(arena, amount, may_enter);
  } while (!got);
  entering(arena).fetch_sub(1, std::memory_order_seq_cst);
  // Thieves that found no seat since it waited may find one now.
  if (has_seat_for_thief(arena) && anyone_sleeps()) {
    wake_for_room(this_worker(), &arena);
  }
  return got;
}

extern "C" NOPAL_EXPORT nopal_arena* nopal_arena_make() {
  const arenas_guard guard;
  nopal_arena* arena = first_free;
  if (arena != nullptr) {
    first_free = arena->next_free;
    sanitizers::after_at_any_time(arena);
  } else if ((arena = new (std::nothrow) made_arena{}) != nullptr) {
    arena->next_made = first_made;
    first_made = arena;
    arenas_used = 1;
  } else {
    return nullptr;
  }
  __atomic_store_n(&arena->references, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&arena->suspends, 0, __ATOMIC_RELAXED);
  return arena;
}

extern "C" NOPAL_EXPORT void nopal_arena_give_back(nopal_arena* arena) {
  unbind_arena(arena);
  const arenas_guard guard;
  sanitizers::before_at_any_time(arena);
  arena->next_free = first_free;
  first_free = arena;
}

void free_all_seats() noexcept {
  for (nopal_arena* arena = first_made; arena != nullptr; arena = arena->next_made) {
    __atomic_store_n(&arena->threads, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&arena->entering, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&arena->lent, 0, __ATOMIC_RELAXED);
  }
}

extern "C" NOPAL_EXPORT void nopal_arena_refer(nopal_arena* arena) {
  __atomic_fetch_add(&arena->references, 1, __ATOMIC_RELAXED);
}

extern "C" NOPAL_EXPORT void nopal_arena_forget(nopal_arena* arena) {
  // An arena may come and go before the runtime starts.
  sanitizers::before_at_any_time(&arena->references);
  // Release and acquire: everything that was done to it comes before its end.
  if (__atomic_fetch_sub(&arena->references, 1, __ATOMIC_ACQ_REL) == 1) {
    sanitizers::after_at_any_time(&arena->references);
    arena->destroy(arena);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

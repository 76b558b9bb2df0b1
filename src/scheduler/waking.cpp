// Waking: who wakes which sleeper, for what. See sleep.cpp and docs/sleep.md.

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/traced.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void wake_at(std::atomic<std::uint32_t>& word, int most) noexcept {
  constexpr int most_attempts = 1000;
  // Relaxed: one of those that give up says so and ends the program.
  static std::atomic<bool> told{false};
  for (int attempt = 0; os::futex_wake(word, most) < 0 && the_runtime().wakes_work; ++attempt) {
    // unreached below: refused-wakes
    if (attempt == most_attempts && !told.exchange(true, std::memory_order_relaxed)) {
      os::write_stderr("nopal: the system refuses to wake a sleeping worker: %s\n", std::strerror(errno));
      std::abort();
    }
    os::yield();
  }
}

void wake(worker* sleeper) noexcept { wake_at(sleeper->park, 1); }

bool end_parking(worker* sleeper, park_state next) noexcept {
  std::uint32_t expected = parked;
  // Sequentially consistent on both words: one unparker per parking, and `sleepers` counts exactly
  // those.
  // unreached below: race
  if (!sleeper->park.compare_exchange_strong(expected, next, std::memory_order_seq_cst)) {
    return false;
  }
  the_runtime().sleepers.fetch_sub(1, std::memory_order_seq_cst);
  return true;
}

namespace {

/// Linux often wakes a thread on its waker's CPU and leaves it there for tens of milliseconds
/// although other CPUs are idle. So a thief is woken on any other CPU. Threads of the program are
/// left alone, and substitutes, which outnumber the CPUs.
bool wakes_elsewhere(const worker* sleeper) {
  return the_runtime().spreads_woken && sleeper->of_pool && !sleeper->is_substitute;
}

/// By a waker that holds it, or itself before it sleeps. What the system refused to undo stands: the sleeper tries again.
void keep_off_cpu(worker* sleeper, int cpu) {
  if (sleeper->is_kept_off_cpu) {
    if (sleeper->kept_off_cpu == cpu) {
      return;
    }
    if (os::is_kept_off(sleeper->thread_id, sleeper->kept_off_cpu, sleeper->allowed_cpus)) {
      if (os::allow_cpus_but(sleeper->thread_id, cpu, sleeper->allowed_cpus)) {
        sleeper->kept_off_cpu = cpu;
      }
      return;
    }
  }
  sleeper->is_kept_off_cpu = os::forbid_cpu(sleeper->thread_id, cpu, sleeper->allowed_cpus);
  sleeper->kept_off_cpu = cpu;
}

/// False if the worker is not parked, or somebody else wakes it.
bool try_to_wake(worker* sleeper) {
  const std::uint64_t began = ticks_now();
  const bool elsewhere = wakes_elsewhere(sleeper);
  const int index = sleeper->index;
  // unreached below: race
  if (!end_parking(sleeper, elsewhere && !NOPAL_FAULT("sleeper not held") ? waking : awake)) {
    return false;
  }
  if (elsewhere) {
    NOPAL_DISTURB();
    sleeper->wakers_cpu = os::current_cpu();
    keep_off_cpu(sleeper, sleeper->wakers_cpu);
    sleeper->woken_at = began;
    // Release pairs with the acquire in wait_until_awake: the sleeper undoes what was done to it.
    sleeper->park.store(awake, NOPAL_FAULT_ORDER("end of waking relaxed", std::memory_order_release));
    NOPAL_DISTURB();
  }
  wake(sleeper);
  trace::note_waking_of(index);
  note_ticks(the_runtime().ticks_of_a_wake, ticks_now() - began);
  return true;
}

}  // namespace

void keep_off_wakers_cpu(worker* self) noexcept {
  // One that may look up for a thread that it shares its only CPU with must not wait until that one sleeps.
  if (wakes_elsewhere(self) && self->wakers_cpu >= 0 && !os::waits_for_equals()) {
    keep_off_cpu(self, self->wakers_cpu);
  }
}

void note_wake(const worker* self) noexcept {
  if (!left_out() && wakes_elsewhere(self)) {
    runtime& all = the_runtime();
    note_ticks(all.ticks_worth_a_wake,
               2 * all.ticks_of_a_wake.load(std::memory_order_relaxed) + ticks_now() - self->woken_at);
  }
}

void pass_wake_on(worker* self) noexcept {
  bool found = false;
  for_each_worker(the_runtime(),
                  [&found](const worker* other) { found = found || deque::has_public(other->deque); });
  if (found && anyone_sleeps()) {
    wake_pool_worker(self);
  }
}

void wake_waiters_of(const nopal_task_group* group) noexcept {
  for_each_worker(the_runtime(), [group](worker* other) {
    if (other->waits_for.load(std::memory_order_seq_cst) == group) {
      unpark(other);
    }
  });
}

bool wakes_work() noexcept {
  std::atomic<std::uint32_t> nobody_sleeps_here{0};
  return os::futex_wake(nobody_sleeps_here, 1) >= 0;
}

void unpark(worker* sleeper) noexcept {
  if (sleeper->park.load(std::memory_order_seq_cst) == parked) {
    try_to_wake(sleeper);
  }
}

bool wake_one(worker* self, const worker* root) noexcept {
  runtime& all = the_runtime();
  if (!anyone_sleeps()) {
    return false;
  }
  const int used = all.table_used.load(std::memory_order_acquire);
  for (int i = 0, index = self == nullptr ? 0 : self->index; i < used; ++i) {
    index = index + 1 < used ? index + 1 : 0;
    worker* other = all.table[index].load(std::memory_order_acquire);
    NOPAL_DISTURB();
    for (; other != nullptr; other = other->nested.load(std::memory_order_acquire)) {
      if (other->park.load(std::memory_order_seq_cst) == parked &&
          (NOPAL_FAULT("strangers woken") || (may_run(other, root) && may_sit_for(other, root))) &&
          try_to_wake(other)) {
        if (self != nullptr) {
          self->counts.wakes.add();
        }
        return true;
      }
    }
  }
  return false;
}

namespace {

/// Of those that run what is outside of arenas, or of the others.
bool wake_pool_worker_that(bool runs_outside, worker* self) noexcept {
  runtime& all = the_runtime();
  const int used = all.table_used.load(std::memory_order_acquire);
  for (int i = 0, index = self == nullptr ? 0 : self->index; i < used; ++i) {  // unreached: race
    index = index + 1 < used ? index + 1 : 0;
    worker* const other = all.table[index].load(std::memory_order_acquire);
    NOPAL_DISTURB();
    if (other != nullptr && runs_tasks(other) && may_be_outside(other) == runs_outside &&
        other->park.load(std::memory_order_seq_cst) == parked && try_to_wake(other)) {  // unreached: race
      if (self != nullptr) {                                                            // unreached: race
        self->counts.wakes.add();
      }
      return true;
    }
  }
  return false;
}

bool some_stay_in_arenas() noexcept {
  return __atomic_load_n(&workers_outside, __ATOMIC_RELAXED) < the_runtime().chosen.workers ||
         given_for_arenas.load(std::memory_order_relaxed) != 0;
}

}  // namespace

bool wake_pool_worker(worker* self) noexcept {
  return wake_pool_worker_that(true, self) || (some_stay_in_arenas() && wake_pool_worker_that(false, self));
}

void wake_for_task(worker* self, task_is where) noexcept {
  // For one in an arena first those that run no other.
  const bool in_arena = where == task_is::in_arena || NOPAL_FAULT("told to who may not take it");
  const bool is_woken =
      (in_arena && some_stay_in_arenas() && wake_pool_worker_that(false, self)) ||
      wake_pool_worker_that(true, self) ||
      (where == task_is::anywhere && some_stay_in_arenas() && wake_pool_worker_that(false, self));
  if (!is_woken && !NOPAL_FAULT("places not told")) {
    wake_keeper_of_place();
  }
}

void wake_keeper_of_place() noexcept {
  bool woken = false;
  for_each_worker(the_runtime(), [&woken](worker* other) {
    // Sequentially consistent: after the task is there. Relaxed: see place_of_sleeper.
    if (!woken && other->park.load(std::memory_order_seq_cst) == parked &&
        other->keeps_place.load(std::memory_order_relaxed)) {
      woken = try_to_wake(other);
    }
  });
}

void wake_for_room(worker* self, const nopal_arena* arena) noexcept {
  if (NOPAL_FAULT("pool not told") || (some_stay_in_arenas() && wake_pool_worker_that(false, self)) ||
      wake_pool_worker_that(true, self)) {
    return;
  }
  // Which of these may run what is there depends on whose it is.
  const bool for_tasks = arenas_have_tasks();
  for_each_worker(the_runtime(), [arena, for_tasks](worker* other) {
    if (get(other->arena) == arena || (for_tasks && other->keeps_place.load(std::memory_order_relaxed))) {
      unpark(other);
    }
  });
}

void wake_all() noexcept {
  for_each_worker(the_runtime(), [](worker* other) { unpark(other); });
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

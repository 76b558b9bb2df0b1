// Substitutes: who is sent to work in the place of a blocked strand's worker, and when it rests.
//
// A substitute is a worker of the pool as any other while it is in the table. There it sleeps and is
// woken as they are. One that has no strand, while more are in the table than strands block, leaves
// the table and rests: nobody looks at it, and it sleeps until it is sent again.
//
// Invariant: while more strands block than substitutes are in the table, and there may be more of
// these, some worker of the pool sleeps or looks for work. docs/waiting.md has the argument.

#include "scheduler/substitutes.hpp"

#include <cstring>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/traced.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Whether a push would wake a thread that runs any strand.
bool pool_worker_sleeps(const runtime& all) noexcept {
  if (!anyone_sleeps()) {
    return false;
  }
  const int used = all.table_used.load(std::memory_order_seq_cst);
  for (int i = 0; i < used; ++i) {
    const worker* const one = all.table[i].load(std::memory_order_acquire);
    // Sequentially consistent: after the caller counted what blocks. Who is woken later sees that
    // count as it begins to work.
    if (one != nullptr && one->of_pool && is_allowed(one) && may_be_outside(one) &&
        one->park.load(std::memory_order_seq_cst) == parked) {
      return true;
    }
  }
  return false;
}

bool is_needed(const runtime& all) noexcept {
  const int there = all.substituting.load(std::memory_order_seq_cst);
  return all.blocked.load(std::memory_order_seq_cst) > there &&
         there < all.most_substitutes.load(std::memory_order_relaxed);
}

/// The lowest free place behind the workers'. Negative if there is none.
int free_place(const runtime& all) noexcept {
  int index = all.chosen.workers;
  while (index < table_size && all.table[index].load(std::memory_order_relaxed) != nullptr) {
    ++index;
  }
  return index < table_size ? index : -1;  // unreached: full-table
}

/// Leaves no place behind that victims are looked for in.
void leave_table(runtime& all, const worker* self) noexcept {
  all.table[self->index].store(nullptr, std::memory_order_release);
  int used = all.table_used.load(std::memory_order_relaxed);
  while (used > all.chosen.workers && all.table[used - 1].load(std::memory_order_relaxed) == nullptr) {
    --used;
  }
  all.table_used.store(used, std::memory_order_seq_cst);
}

void count_substituting(runtime& all, int more) noexcept {
  // Sequentially consistent: pairs with the count of blocked strands, see rest and replace_blocked.
  all.substituting.store(all.substituting.load(std::memory_order_relaxed) + more, std::memory_order_seq_cst);
}

/// A thread that was not there before. Where the system refuses one, it is not asked again.
void start_substitute(runtime& all, int index) noexcept {
  if (all.substitute_threads >= all.most_substitutes.load(std::memory_order_relaxed)) {
    return;  // unreached: race
  }
  worker* const self = take_pool_worker(all);
  int refused = ENOMEM;
  if (self != nullptr) {
    self->of_pool = true;
    self->is_substitute = true;
    self->watches = false;
    self->looks_up = false;
    self->keeps_beat = false;
    self->expects = false;
    self->park.store(awake, std::memory_order_relaxed);
    enter_table(all, self, index);
    count_substituting(all, 1);
    self->starter_cpu = -1;
    refused = start_pool_thread(all, self);
  }
  if (refused == 0) {
    ++all.substitute_threads;
    self->next_substitute = all.substitutes;
    all.substitutes = self;
    return;
  }
  all.most_substitutes.store(all.substitute_threads, std::memory_order_relaxed);
  os::write_stderr("nopal: %d threads take the places of blocked strands, and no more: the system refused "
                   "another thread: %s\n",
                   all.substitute_threads, std::strerror(refused));
  if (self != nullptr) {
    count_substituting(all, -1);
    leave_table(all, self);
    self->is_substitute = false;
    // Not freed: a thief may be looking at it.
    self->next_idle = all.idle_pool_workers;
    all.idle_pool_workers = self;
  }
}

}  // namespace

void send_substitute() noexcept {
  runtime& all = the_runtime();
  if (!is_needed(all) || pool_worker_sleeps(all)) {
    return;
  }
  const locked guard(all);
  // Relaxed: written under the lock. A strand that blocks while a stop is asked for gets one once that is given up.
  if (!all.running.load(std::memory_order_relaxed) || is_being_stopped(all) ||
      all.stopping.load(std::memory_order_relaxed) != goes_on || !is_needed(all)) {
    return;
  }
  const int index = free_place(all);
  if (index < 0) {  // unreached: full-table
    return;         // unreached: full-table
  }
  worker* const self = all.resting_substitutes;
  if (self == nullptr) {
    start_substitute(all, index);
    return;
  }
  all.resting_substitutes = self->next_idle;
  enter_table(all, self, index);
  count_substituting(all, 1);
  // Release pairs with the acquire in wait_until_awake: it is in the table.
  self->park.store(awake, std::memory_order_release);
  wake(self);
}

bool is_surplus(const worker* self) noexcept {
  const runtime& all = the_runtime();
  return self->is_substitute && self->yielded == nullptr &&
         all.substituting.load(std::memory_order_relaxed) > all.blocked.load(std::memory_order_relaxed) &&
         !has_tasks(self->tasks);
}

void rest(worker* self, bool was_woken) noexcept {
  runtime& all = the_runtime();
  {
    const locked guard(all);
    const int there = all.substituting.load(std::memory_order_relaxed);
    if (all.stopping.load(std::memory_order_relaxed) != goes_on ||
        there <= all.blocked.load(std::memory_order_relaxed)) {
      return;
    }
    count_substituting(all, -1);
    NOPAL_DISTURB();
    // Sequentially consistent on both words: either a strand that blocks finds one substitute less,
    // or it is seen here.
    if (all.blocked.load(std::memory_order_seq_cst) >= there) {  // unreached: race
      count_substituting(all, 1);                                // unreached: race
      return;                                                    // unreached: race
    }
    leave_table(all, self);
    if (self->spare != nullptr) {
      all.stacks.give(self->spare);
      self->spare = nullptr;
    }
    self->park.store(resting, std::memory_order_relaxed);
    self->next_idle = all.resting_substitutes;
    all.resting_substitutes = self;
  }
  if (self->watches) {
    give_watch_up(self);
  } else if (was_woken && anyone_sleeps()) {
    wake_for_task(self, task_is::anywhere);
  }
  go_on_in(self, nullptr);  // it does not come back to where it made room
  trace::note(self, trace::what::sleeps);
  wait_until_awake(self);
  trace::note_life(self, trace::what::begins);  // with another index
  trace::note(self, trace::what::wakes_up);
}

void wake_substitutes(runtime& all) noexcept {
  for (worker* one = all.resting_substitutes; one != nullptr; one = one->next_idle) {
    one->park.store(awake, std::memory_order_release);
    wake(one);
  }
}

void join_substitutes(runtime& all) noexcept {
  for (worker* one = all.substitutes; one != nullptr; one = one->next_substitute) {
    os::join_thread(one->thread);
  }
}

void forget_substitutes(runtime& all, void (*leave)(runtime& all, worker* self)) noexcept {
  for (worker* one = all.substitutes; one != nullptr; one = one->next_substitute) {
    one->is_substitute = false;
    if (all.table[one->index].load(std::memory_order_relaxed) != one) {
      leave(all, one);
    }
  }
  all.substitutes = nullptr;
  all.resting_substitutes = nullptr;
  all.substitute_threads = 0;
  all.substituting.store(0, std::memory_order_relaxed);
}

namespace {
worker* all_left_substitutes;
}

void leave_old_substitutes(runtime& all) noexcept {
  while (worker* const one = all.substitutes) {
    all.substitutes = one->next_substitute;
    one->next_substitute = all_left_substitutes;
    all_left_substitutes = one;
    one->is_substitute = false;
  }
  all.resting_substitutes = nullptr;
  all.substitute_threads = 0;
  all.substituting.store(0, std::memory_order_relaxed);
  all.blocked.store(0, std::memory_order_relaxed);
  given_for_arenas.store(0, std::memory_order_relaxed);
  ++all.generation;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

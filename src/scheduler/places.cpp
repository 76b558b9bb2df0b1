// The place of a thread of the pool that sleeps where it runs no tasks. docs/waiting.md has the argument.

#include <nopal/detail/noise.h>
#include <nopal/detail/task.h>

#include "deque/deque.hpp"
#include "scheduler/ready.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/tasks.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Whether the threads of the program are all that there are beside substitutes. Sequentially consistent: see nopal_limit_workers.
bool is_pool_empty() noexcept {
  return the_runtime().chosen.workers == 1 || __atomic_load_n(&allowed_workers, __ATOMIC_SEQ_CST) == 1 ||
         __atomic_load_n(&workers_outside, __ATOMIC_RELAXED) == 1;
}

/// See nopal_keep_places. Relaxed: a flag alone, and substitutes that are there go on with what they have.
std::atomic<bool> are_kept{false};

/// Whether its thread may be one that others wait for, as it runs no tasks before the code around goes on.
bool is_of_use_elsewhere(const worker* self) noexcept {
  return waits_in_pool(self) || (!self->of_pool && is_pool_empty());
}

/// Whether tasks may wait for its thread.
bool keeps_from_tasks(const worker* self) noexcept {
  // Relaxed: raised by this thread.
  return thread_worker(self)->left_waiting.load(std::memory_order_relaxed) != 0 ||
         (!are_kept.load(std::memory_order_relaxed) && is_of_use_elsewhere(self));
}

}  // namespace

std::atomic<int> given_for_arenas{0};

bool is_kept_to_arenas(const worker* self) noexcept {
  const runtime& all = the_runtime();
  const int outside =
      all.blocked.load(std::memory_order_relaxed) - given_for_arenas.load(std::memory_order_relaxed);
  return self->index >= all.chosen.workers + outside;
}

bool strands_wait_in_sight() noexcept {
  runtime& all = the_runtime();
  bool found = any_ready();
  if (found || all.blocked.load(std::memory_order_seq_cst) == 0) {
    return found;
  }
  for_each_worker(all, [&found](const worker* one) { found = found || deque::has_public(one->deque); });
  return found;
}

extern "C" NOPAL_EXPORT void nopal_keep_places() { are_kept.store(true, std::memory_order_relaxed); }

bool places_are_kept() noexcept { return are_kept.load(std::memory_order_relaxed); }

place_of_sleeper::place_of_sleeper(worker* self) noexcept
    : self_(self), keeps_from_tasks_(self != nullptr && keeps_from_tasks(self)) {
  // Where places are kept, nobody else may be there for what is in an arena whose threads are suspended. Its indices are others than
  // those outside.
  is_given_for_arenas_ =
      self != nullptr && !keeps_from_tasks_ && is_of_use_elsewhere(self) && arenas_have_tasks(true);
  if (!keeps_from_tasks_ && !is_given_for_arenas_) {
    return;
  }
  if (is_given_for_arenas_) {
    given_for_arenas.fetch_add(1, std::memory_order_relaxed);
  }
  if (is_given_for_arenas_ || tasks_in_sight() || strands_wait_in_sight()) {
    is_given_ = true;
    // Sequentially consistent: as a strand that blocks.
    the_runtime().blocked.fetch_add(1, std::memory_order_seq_cst);
    NOPAL_DISTURB();
    replace_blocked();
    return;
  }
  // Relaxed, as below: whoever sees that it is parked sees this, which comes before.
  NOPAL_FAULT_OMITS("place kept in silence", self_->keeps_place.store(true, std::memory_order_relaxed));
}

bool place_of_sleeper::is_outdated() const noexcept {
  return !keeps_from_tasks_ && !is_given_ && keeps_from_tasks(self_);
}

place_of_sleeper::~place_of_sleeper() {
  if (is_given_) {
    the_runtime().blocked.fetch_sub(1, std::memory_order_seq_cst);
    given_for_arenas.fetch_sub(is_given_for_arenas_ ? 1 : 0, std::memory_order_relaxed);
  } else if (keeps_from_tasks_) {
    self_->keeps_place.store(false, std::memory_order_relaxed);
    // It may have been woken for a task and go on with what its wait was for: another one is told.
    if (anyone_sleeps() && !NOPAL_FAULT("place kept to itself") && tasks_in_sight()) {
      wake_for_task(self_, task_is::anywhere);
    }
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// The end of the process, or of a plug-in that holds the library: the last stop of the runtime, and what is freed after it.
//
// At the end of the process other threads of the program may go on: those that are workers look at others' as they put tasks in,
// wake, or ask parts to stop, without the lock and without a strand that counts as active. So no worker is freed while any of
// them is in the table.

#include "scheduler/unloading.hpp"

#include "scheduler/adoption.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/overflow.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/report.hpp"
#include "scheduler/samples.hpp"
#include "scheduler/scheduler_stack.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Under `lock`.
bool another_thread_is_worker(runtime& all) noexcept {
  bool found = false;
  for_each_first_worker(all, [&found](const worker* one) { found = found || one != this_worker(); });
  return found;
}

void free_adopted(runtime& all) noexcept {
  while (worker* const idle = all.idle_workers) {
    all.idle_workers = idle->next_idle;
    // None if a thread of the pool became the only one of a child of fork(2).
    if (idle->scheduler_memory != nullptr) {  // unreached: pool-thread-in-child
      unmap_scheduler_stack(idle);
    }
    free_worker(idle);
  }
}

void free_idle_pool_workers(runtime& all) noexcept {
  while (worker* const self = all.idle_pool_workers) {
    all.idle_pool_workers = self->next_idle;
    free_worker(self);
  }
}

}  // namespace

void stop_for_good(runtime& all) noexcept {
  check_end_of_main();
  finish_profile();
  stop_samples();
  const locked guard(all);
  if (all.chosen.print_stats) print_statistics();
  // From inside a strand, or while other threads run strands, the process simply ends. So it does
  // on a thread of the pool whose end somebody waits for.
  const bool is_stopped = stop_patiently(all) && !is_being_stopped(all);
  worker* const self = this_worker();
  if (is_stopped && self != nullptr) {
    set_this_worker(nullptr);
    stop_watching_for_overflow(self);
    make_idle(all, self);
  }
  all.unloaded = true;
  if (another_thread_is_worker(all) && !NOPAL_FAULT("freed beside workers")) {
    return;
  }
  if (is_stopped) {
    free_adopted(all);
  }
  free_idle_pool_workers(all);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// What a thread of the pool does from its beginning to its end, outside of the search for work.

#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"

#include <new>

#include "scheduler/adoption.hpp"
#include "scheduler/overflow.hpp"
#include "scheduler/traced.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Without memory for the mask the thread goes where the system puts it, as without a pin.
void pin(const worker* self, const os::topology& topology) noexcept {
  const auto& places = topology.places;
  try {
    os::pin_current_thread(places[static_cast<std::size_t>(self->index) % places.size()].cpu);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the comment above says why
  }
}

/// Moves this thread from the CPU of whoever started it: the system may leave it there for tens of
/// milliseconds though others idle.
void leave_starters_cpu(worker* self) noexcept {
  // unreached below: starters-cpu
  if (os::current_cpu() == self->starter_cpu) {
    leave_cpu(self, self->starter_cpu);
  }
}

void pool_thread(void* argument) {
  auto* const self = static_cast<worker*>(argument);
  runtime& all = the_runtime();
  set_thread_of_pool(true);
  char name[16] = "nopal-";
  for (int rest = self->index, place = 10; place >= 6; --place, rest /= 10) {
    name[place] = static_cast<char>('0' + rest % 10);
  }
  os::name_current_thread(name);
  // unreached: described-cpus
  if (all.chosen.pin && all.topology != nullptr && !all.topology->places.empty()) {
    pin(self, *all.topology);
  }
  self->thread_id = os::current_thread_id();
  if (all.spreads_woken) {
    leave_starters_cpu(self);
  }
  set_this_worker(self);
  trace::note_life(self, trace::what::begins);
  begin_visits(self);
  watch_for_overflow(self);
  set_told_of_end(self);  // A strand may end its thread. Where that is refused nobody says so.
  nopal_enter_scheduler(self);
  // Destructors of what strands left in thread-local objects come.
  sanitizers::after(&scheduler_record(self));
  end_visits(self);
  trace::note_life(self, trace::what::ends);
  stop_watching_for_overflow(self);
  set_this_worker(nullptr);
}

}  // namespace

worker* take_pool_worker(runtime& all) noexcept {
  worker* const self = all.idle_pool_workers;
  if (self == nullptr) {
    return make_worker();
  }
  all.idle_pool_workers = self->next_idle;
  new (&self->counts) worker_counters;
  self->is_kept_off_cpu = false;  // a thread that is gone was
  self->wakers_cpu = -1;
  return self;
}

int start_pool_thread(const runtime& all, worker* self) noexcept {
  trace::give_ring(self);
  const auto from = all.in_new_process ? os::stack_from::fresh_mapping : os::stack_from::library;
  self->scheduler_bytes = scheduler_stack_bytes(all.chosen.stack_bytes);
  int refused = os::start_thread(pool_thread, self, self->scheduler_bytes, self->thread, from);
  if (refused != 0 && self->scheduler_bytes != least_scheduler_stack_bytes) {
    self->scheduler_bytes = least_scheduler_stack_bytes;
    refused = os::start_thread(pool_thread, self, self->scheduler_bytes, self->thread, from);
  }
  return refused;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

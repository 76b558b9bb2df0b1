// The common slow push: a thief wants work, and nothing else is to be done. Compiled to use general
// registers only: to save the caller's vector registers would take hundreds of cycles.

#include "deque/deque.hpp"
#include "profile/profile.hpp"
#include "scheduler/push.hpp"
#include "scheduler/rhythm.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/traced.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Pushes `frame` and publishes, if that is enough: no adoption, no growth, nobody to wake, no
/// exception caught or in flight.
extern "C" int nopal_push_and_publish(nopal_frame* frame, worker* self) noexcept {
  runtime& all = the_runtime();
  // Acquire pairs with the release at the end of start_runtime.
  if (!all.running.load(std::memory_order_acquire) || !all.barrier_works.load(std::memory_order_relaxed) ||
      !deque::has_room(self->deque) || profile::is_on() || stops::any_requested()) {
    return whole_push;
  }
  if (self->exceptions != nullptr &&  // unreached: no-c++-state
      (self->exceptions->caught != nullptr || self->exceptions->uncaught != 0)) {
    return whole_push;
  }
  const bool expected = (!left_out() || NOPAL_FAULT("a beat is kept")) && arenas_used == 0 && is_expected();
  const bool wakes = !expected && anyone_sleeps();
  if (!wakes) {
    note_push(all, self, frame);
  } else if (!wakes_later(all, self, frame)) {
    return whole_push;
  }
  append_fork(self, frame, true);
  trace::note_fork(self, frame->resume_address);
  stops::poison_if_stopped(self);
  if (!may_be_taken(all, self)) {
    return nothing_left;  // unreached: alone
  }
  set_if_changed(self->deque.setting.uncaught, 0);
  const std::int32_t published = deque::publish(self->deque, deque::publish_batch(deque::size(self->deque)));
  note_published(self, published);
  if (wakes) {
    const bool later = may_wake_later(all, self, published);
    stops::poison_if_stopped(self);  // who owes a wake-up has changed the limit again
    return later ? nothing_left : only_to_wake;
  }
  // Who expects a region looks once more before it sleeps.
  return (expected && is_expected()) || !anyone_sleeps() ? nothing_left : only_to_wake;  // unreached: race
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

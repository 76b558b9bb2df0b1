// The slow path of a push: adoption, growth, publishing, waking. Whoever wants something of a
// running owner stops it here, through the poisoned limit.

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/adoption.hpp"
#include "scheduler/awaited_thieves.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/pinned.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/push.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/tags.hpp"
#include "scheduler/traced.hpp"
#include "strand/strand.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

int push_slowly(nopal_frame* frame, push_remainder rest, worker* self) {
  runtime& all = the_runtime();
  const bool is_adopted = self == nullptr;
  if (self != nullptr && rest == only_to_wake) {
    wake_one(self, root_of(*self));
    return 0;
  }
  if (self != nullptr && stops::any_requested() && stops::is_stopped_here(self)) {
    if (profile::is_on()) {
      end_push(self);
    }
    return 1;  // see nopal_push_refused
  }
  if (self == nullptr) {
    self = adopt_this_thread();
    if (self == nullptr) {
      return 1;
    }
    be_present(self, nullptr);
    if (stops::any_requested() && stops::is_stopped_here(self)) {
      return 1;  // in a call that was begun before
    }
  } else if (!all.running.load(std::memory_order_acquire) && !start_runtime(all)) {
    // Acquire pairs with the release at the end of start_runtime.
    return 1;
  }
  if (nopal_latent_forks_used != 0) {
    worker* const first = thread_worker(self);
    get_ready_to_answer(first);
    forks_again(first);
  }
  if (nopal_latent_forks_used != 0 && self->stopped_at != nullptr && may_be_taken(all, self)) {
    static_cast<void>(promote(self, *self->stopped_at, {false, true, true}));
  }
  if (!deque::reserve(self->deque)) {
    return 1;
  }
  hide_outer(self);
  // Without a process-wide barrier nothing may stay private: each push publishes here, each pop is
  // an exchange.
  const bool barrier_works = all.barrier_works.load(std::memory_order_relaxed);
  const bool is_profiled = profile::is_on();
  if (is_profiled) {
    note_push(self, frame, is_adopted);
  }
  append_fork(self, frame, barrier_works);
  if (nopal_latent_forks_used != 0) {
    // A thread that has just become a worker pushes on its own stack: a question that came since the look above was
    // answered by `nothing`, and the poison that goes with that is gone.
    forks_again(thread_worker(self));
  }
  trace::note_fork(self, frame->resume_address);
  if (!barrier_works || may_be_taken(all, self) || is_profiled) {
    // The profiler is to see each pop.
    offer(self, barrier_works && !is_profiled ? how_much::some : how_much::all);
    if (all.chosen.steals_always) {
      await_thief(self);
    }
  }
  if (is_profiled) {
    end_push(self);
  }
  stops::poison_if_stopped(self);
  return 0;
}

}  // namespace

/// The slow path of nopal_push, with all of the caller's registers saved. Non-zero: not pushed.
extern "C" NOPAL_UNINSTRUMENTED int nopal_push_slow_path(nopal_frame* frame, push_remainder rest) noexcept {
  worker* const self = this_worker();
  if (self == nullptr) {
    return push_slowly(frame, rest, self);  // on the thread's own stack
  }
  if (profile::is_on()) {
    profile::stop(self->profile);
  }
  nopal_stack* const stack = self->deque.strand.stack;
  sanitizers::call_scheduler(ground(stack)->record, scheduler_record(self));
  const int failed = push_slowly(frame, rest, self);
  sanitizers::end_scheduler_call(scheduler_record(self), ground(stack)->record);
  return failed;
}

extern "C" NOPAL_EXPORT int nopal_pop_slow(nopal_deque* deque) {
  worker* const self = reinterpret_cast<worker*>(deque);
  const bool is_profiled = profile::is_on();
  if (is_profiled) {
    profile::stop(self->profile);
  }
  if (!deque::pop_slow(*deque, no_exception_about, self, is_profiled)) {
    go_on_profiled(self, profile::after::child);  // an inlet follows, as a rule nothing
    return 0;
  }
  if (deque::size(*deque) == 0 && is_root_stack(get(deque->strand.stack)) &&
      !NOPAL_FAULT("emptied unpoisoned")) {
    deque::poison(*deque);  // see keep_oldest_public
    end_region(self, untagged(deque->owner_slots[deque->bottom]));
    self->none_latent = nopal_latent_forks_used != 0 && !self->buries_latent &&
                        (!self->left_latent || NOPAL_FAULT("left taken for none"));
    if (self->none_latent && self->outer == nullptr) {
      static_cast<void>(has_nothing_latent(self));
    }
  } else {
    owe_again(self);
  }
  note_taken_back(self);
  if (is_profiled) {
    note_pop(self, untagged(deque->owner_slots[deque->bottom]));
  }
  return 1;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

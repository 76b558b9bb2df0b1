// Calls that stay on their thread: for their time the thread has another worker, nested in the one
// that it had.
//
// A nested worker is a worker as any other, with a deque and a root of its own, but for three
// things: it shares the scheduler stack and the place in the table with its thread's first worker;
// the stack that it "came with" is wherever the call was made; and it begins and ends without a
// lock, since it is at rest in between: its deque empty and its limit poisoned. Thieves reach it by
// way of the worker outside, which stands still meanwhile, its entries being there to be stolen.
// docs/roots.md has the argument.

#include <nopal/detail/pinned.h>

#include "deque/deque.hpp"
#include "scheduler/adoption.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/pinned.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/stops.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// A worker to be nested in `outer`, or null without memory.
worker* make_nested(worker* outer) noexcept {
  worker* const self = make_worker();
  if (self == nullptr) {
    return nullptr;
  }
  self->outer = outer;
  self->index = outer->index;
  self->first = outer->first;
  self->exceptions = outer->exceptions;
  set_if_changed(self->deque.setting.root, self);
  set(self->deque.strand.stack, &self->native);
  self->cpu.store(outer->cpu.load(std::memory_order_relaxed), std::memory_order_relaxed);
  self->has_thread.store(true, std::memory_order_seq_cst);
  // Release pairs with the acquire of thieves that walk from worker to worker: this one is
  // complete.
  outer->nested.store(self, std::memory_order_release);
  return self;
}

/// Thieves may again look at the exceptions of the workers that `self` has hidden.
void show_outer(worker* self) noexcept {
  self->hides_outer = false;
  for (worker* one = self->outer; one != nullptr; one = one->hides_outer ? nullptr : one->outer) {
    one->has_thread.store(true, std::memory_order_seq_cst);
  }
}

}  // namespace

bool has_nested(worker* outer) noexcept {
  return outer->nested.load(std::memory_order_relaxed) != nullptr || make_nested(outer) != nullptr;
}

void hide_outer(worker* self) noexcept {
  if (self->hides_outer || self->exceptions == nullptr ||  // unreached: no-c++-state
      (self->exceptions->caught == nullptr && self->exceptions->uncaught == 0)) {
    return;
  }
  self->hides_outer = true;
  for (worker* one = self->outer; one != nullptr; one = one->outer) {
    end_visits_of(one);
  }
}

int begin_pinned(nopal_pinned* call, nopal_stop* part) noexcept {
  if (part != nullptr) {
    stops::use();
  }
  worker* const outer = this_worker();
  call->outer = outer;
  call->local = nopal_local();
  const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
  if (outer == nullptr) {
    call->outside = this_pinned_at();
    set_this_pinned_at(here);
    call->part = this_outside_part();
    set_this_outside_part(part);
    return 0;
  }
  worker* nested = outer->nested.load(std::memory_order_relaxed);  // made by this thread
  if (nested == nullptr && (nested = make_nested(outer)) == nullptr) {
    return 1;
  }
  // Anew each time: the pool that starts again has its workers on other threads, whose stacks lie
  // elsewhere.
  nested->scheduler_stack_pointer = outer->scheduler_stack_pointer;
  set(nested->local, call->local);
  nested->first_task = nested->first->tasks.next_number;
  nested->isolation = isolated_as_around;
  begin_in_same_arena(nested);
  nested->pinned_at = here;
  nested->pinned_by = reinterpret_cast<const char*>(call);
  nopal_stack* const stack = get(outer->deque.strand.stack);
  nested->below = stack != nullptr ? ground(stack) : nullptr;  // null: in models
  stops::begin(nested, part);
  begin_profiled_call(outer, nested);
  // Relaxed: read by may_have_latent_forks, as a hint, and by until_next_question, which the fences of the
  // first push order: that push sees the sleeper, or the sleeper's look this.
  set(nested->is_called, true);
  set_this_worker(nested);
  // Calls that stay on a thread come one after the other there, and may rely on it.
  sanitizers::after(thread_worker(nested));
  return 0;
}

extern "C" NOPAL_EXPORT int nopal_begin_pinned_in(nopal_pinned* call, nopal_stop* part) {
  if (anyone_observes()) {
    be_present_before_call();
  }
  return begin_pinned(call, part);
}

extern "C" NOPAL_EXPORT int nopal_begin_pinned(nopal_pinned* call) {
  return nopal_begin_pinned_in(call, nopal_innermost_stop());
}

extern "C" NOPAL_EXPORT void nopal_end_pinned(nopal_pinned* call) {
  if (auto* const outer = static_cast<worker*>(call->outer)) {
    worker* const nested = outer->nested.load(std::memory_order_relaxed);
    end_presence_of_call(nested);
    sanitizers::before(thread_worker(nested));
    if (nested->hides_outer) {
      show_outer(nested);
    }
    if (arenas_used != 0) {
      end_in_arena(nested);
    }
    end_profiled_call(outer, nested);
    set(nested->is_called, false);
    set_this_worker(outer);
    set_this_local(call->local);
  } else {
    // The thread may have become a worker meanwhile, whose root is that of the whole thread.
    nopal_set_local(call->local);
    set_this_pinned_at(call->outside);
    set_this_outside_part(call->part);
    if (worker* const self = this_worker()) {
      stops::begin(self, call->part);
      self->isolation = isolated_as_around;
    }
  }
}

extern "C" NOPAL_EXPORT void nopal_isolate() {
  // A thread that is no worker has pushed nothing; but what it then pushes counts as that of whoever had its place before.
  worker* const self = this_worker() != nullptr ? this_worker() : adopt_this_thread();
  if (self != nullptr) {  // unreached: refused-wait
    isolate(self);
  }
}

extern "C" NOPAL_EXPORT void nopal_set_local(const void* value) {
  worker* const self = this_worker();
  if (self != nullptr && get(self->deque.strand.stack) == &self->native) {  // unreached: local-in-pinned
    set(self->local, value);
  }
  set_this_local(value);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// What leave and enter do to the worker, its deque, the thread and the tools.
#include "strand/strand.hpp"
#include "scheduler/traced.hpp"

#include <nopal/detail/noise.h>
#include <nopal/detail/pinned.h>

#include "deque/deque.hpp"
#include "sanitizers/sanitizers.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/substitutes.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace strand {

state state_of(const worker* self) noexcept {
  return {root_of(*self), nopal_local(), exceptions_of(self), arch::float_control()};
}

void run_on(worker* self, nopal_stack* stack) noexcept {
  nopal_strand& told = self->deque.strand;
  self->none_latent = false;
  if (stack != nullptr) {
    set(told.origin_frame_pointer, stack->origin.frame_pointer);
    set(told.origin_scope, stack->origin.scope);
    set(told.origin_to_home, stack->origin.to_home);
    set(told.first_ticket, stack->origin.ticket);
    self->first_entry = self->deque.bottom;
  }
  set(told.stack, stack);
}

void have_none(worker* self) noexcept {
  run_on(self, nullptr);
  set_this_local(nullptr);
  if (self->exceptions != nullptr) {  // unreached: no-c++-state
    *self->exceptions = {nullptr, 0};
  }
}

NOPAL_UNINSTRUMENTED nopal_stack* leave(worker* self, reason why, const void* stack_pointer,
                                        void* order) noexcept {
  nopal_stack* const stack = self->deque.strand.stack;
  trace::note(self, trace::what::stops, static_cast<std::uint64_t>(why));
  if (why != reason::call) {
    check_end_of_thread(self, stack, why == reason::join);
  }
  if (why != reason::ended && is_root_stack(stack)) {
    // What its thread runs meanwhile; see nopal_begin_pinned.
    sanitizers::before(thread_worker(self));
  }
  sanitizers::leave_strand(ground(stack)->record, scheduler_record(self), stack_pointer, order);
  return stack;
}

NOPAL_UNINSTRUMENTED void enter(worker* self, const resume_point& to, const state& with) noexcept {
  hand_watch_on(self);
  replace_blocked();
  look_up_no_more(self);
  run_on(self, to.stack);
  // Relaxed: by the thread that cut the walk, or by one that came by its strand through a join.
  if (the_runtime().walks_were_cut.load(std::memory_order_relaxed)) {
    ask_again(self);
  }
  if (to.stack == &self->native) {
    deque::poison(self->deque);  // see keep_oldest_public
  }
  set_if_changed(self->deque.setting.root, with.root);
  set_this_local(with.local);
  set_if_changed(self->deque.setting.uncaught, with.exceptions.uncaught);
  if (self->exceptions != nullptr) {  // unreached: no-c++-state
    *self->exceptions = with.exceptions;
  }
  trace::note(self, trace::what::runs);
  set_float_control_of(self->deque.setting, with.float_control);
  arch::set_float_control(with.float_control);
  sanitizers::enter_strand(scheduler_record(self), self->scheduler_stack_pointer, ground(to.stack)->record,
                           to.stack_pointer, to.order, to.unwinding);
  if (is_root_stack(to.stack)) {
    sanitizers::after(thread_worker(self));
  }
}

void leave_behind(worker* self, nopal_stack* stack, const void* stack_pointer) noexcept {
  NOPAL_DISTURB();
  if (stack->native_owner == nullptr) {
    const std::uint64_t pages = the_runtime().stacks.retain(stack, stack_pointer);
    self->counts.pages_reclaimed.add(pages);
    if (pages != 0) {
      trace::note(self, trace::what::reclaims, pages);
    }
  }
  run_on(self, nullptr);
}

void leave_empty(worker* self, nopal_stack* stack) noexcept {
  NOPAL_PLAIN_WRITE(stack->origin);
  stack->origin = {};
  stack->forks.count = 0;
  stack->came_home.forget();
  sanitizers::stack_emptied(stack->record);
  run_on(self, nullptr);
  return_stack(self, stack);
}

/// What the child left on the stack comes before it is given back: acquire and release pair with
/// its step in end_on_second.
void leave_for_good(worker* self, nopal_stack* stack) noexcept {
  const bool is_child_over =
      (stack->second.fetch_or(stays_away, std::memory_order_acq_rel) & child_over) != 0;
  if ((is_child_over && !NOPAL_FAULT("strand does not look")) || NOPAL_FAULT("given back by both")) {
    drop_stack(self, stack);
  }
}

void end_on_second(worker* self, nopal_stack* stack) noexcept {
  // Acquire and release pair with the step in leave_for_good.
  if ((stack->second.fetch_or(child_over, std::memory_order_acq_rel) & stays_away) != 0 &&
      !NOPAL_FAULT("child does not look")) {
    drop_stack(self, stack);
  }
}

}  // namespace strand
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

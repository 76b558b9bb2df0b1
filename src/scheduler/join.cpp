// The end of a child whose continuation was stolen, and the join of a scope that was stolen from.
//
// `unfinished` starts at zero. A finished stolen child subtracts one; the join adds the number of steals. So it is
// negative or zero until the strand has arrived at the join, positive while that waits, and whoever's step makes it
// zero after the arrival resumes the strand: one atomic step each, nobody waits. docs/join.md has the argument.

#include <utility>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

namespace {

[[noreturn]] NOPAL_UNINSTRUMENTED void resume_at_join(worker* self, nopal_stack* stack, nopal_frame* frame) {
  if (self->deque.bottom != 0) {
    // Straight from a child's end: its entries are stolen, and their places would never be used again otherwise.
    deque::reset(self->deque);
  }
  NOPAL_DISTURB();
  run_on(self, stack);
  self->counts.resumptions.add();  // between the two: see any_strand_active
  the_runtime().waiting_joins.fetch_sub(1, std::memory_order_seq_cst);
  if (stack == &self->native) {
    // Back at its root; what this worker ran meanwhile may have been of a root below.
    set(self->deque.root, self);
    set_this_local(get(self->local));
    deque::poison(self->deque);  // see keep_oldest_public
  }
  nopal_strand& strand = self->deque.strand;
  if (frame->last_steal > get(strand.clock)) {
    set(strand.clock, frame->last_steal);
  }
  set(strand.uncaught, frame->uncaught);
  if (self->exceptions != nullptr) {
    *self->exceptions = {frame->caught, frame->uncaught};
  }
  // The assembly stores 16 bits of the x87 word.
  const auto x87 = static_cast<std::uint16_t>(frame->x87_control);
  const std::uint64_t control = frame->float_control | static_cast<std::uint64_t>(x87) << 32;
  set_float_control_of(strand, control);
  arch::set_float_control(control);
  if (!self->of_pool && stack == &self->native && self->spare != nullptr) {
    // The thread is back with the program and may not steal for long.
    the_runtime().stacks.give(self->spare);
    self->spare = nullptr;
  }
  void* const exception = take_exception(frame);
  view::piece* const pieces = views_used() ? take_views(stack, frame) : nullptr;
  checkers::enter_strand(scheduler_record(self), self->scheduler_stack_pointer, ground(stack)->record,
                         frame->home_stack_pointer, &frame->unfinished, frame->uncaught != 0);
  if (pieces != nullptr) {
    pieces->exception = exception;
    nopal_resume_and_merge(frame, frame->home_stack_pointer, pieces);
  }
  nopal_resume(frame, frame->home_stack_pointer, exception);
}

/// One step of the count of a frame's children: returns it as it is after `amount` was added.
///
/// Release publishes what this side did, acquire gets what the others did: the one that sees zero sees all of it.
std::int32_t step(nopal_frame* frame, std::int32_t amount) {
  NOPAL_DISTURB();
#ifdef NOPAL_JOIN_LOCKED
  // The lock-based join of the 2016 paper, for the evaluation; locks are shared by address.
  static pthread_mutex_t locks[64] = {};  // all zeroes is PTHREAD_MUTEX_INITIALIZER on Linux
  pthread_mutex_t& lock = locks[reinterpret_cast<std::uintptr_t>(frame) / sizeof(nopal_frame) % 64];
  pthread_mutex_lock(&lock);
  const std::int32_t result = frame->unfinished + amount;
  __atomic_store_n(&frame->unfinished, result, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return result;
#else
  return __atomic_add_fetch(&frame->unfinished, amount, __ATOMIC_ACQ_REL);
#endif
}

/// The stack keeps the frame of a strand that is elsewhere or suspended; this worker leaves it.
void leave_behind(worker* self, nopal_stack* stack, const void* stack_pointer) {
  NOPAL_DISTURB();
  if (stack->native_owner == nullptr) {
    self->counts.pages_reclaimed.add(the_runtime().stacks.retain(stack, stack_pointer));
  }
  run_on(self, nullptr);
}

/// The stack held nothing but a strand that is over or goes home.
void leave_empty(worker* self, nopal_stack* stack) {
  stack->base = {};
  checkers::stack_emptied(stack->record);
  run_on(self, nullptr);
  return_stack(self, stack);
}

void save_exceptions(worker* self, nopal_frame* frame) {
  const exception_state state = self->exceptions != nullptr ? *self->exceptions : exception_state{nullptr, 0};
  frame->caught = state.caught;
  frame->uncaught = state.uncaught;
}

}  // namespace

[[noreturn]] void go_home(worker* self, nopal_frame* frame) noexcept {
  if (views_used() && !has_all_views(frame)) {
    find_work(self);
  }
  nopal_stack* const home = frame->home;
  worker* const owner = home->native_owner;
  if (owner != nullptr && owner != self) {
    // The stack belongs to a thread of the program, which alone may run on it. Sequentially consistent: pairs with
    // the owner's announcement in park and its look at the inbox after it.
    owner->inbox.store(frame, std::memory_order_seq_cst);
    NOPAL_DISTURB();
    unpark(owner);
    find_work(self);
  }
  if (owner == nullptr) {
    the_runtime().stacks.reuse(home);
  }
  resume_at_join(self, home, frame);
}

/// nopal_suspend_at_join, on the scheduler stack: the strand of `frame` is where its children end.
extern "C" [[noreturn]] NOPAL_UNINSTRUMENTED void nopal_arrive_at_join(nopal_frame* frame,
                                                                       worker* self) noexcept {
  // Before the stack is left: see any_strand_active.
  the_runtime().waiting_joins.fetch_add(1, std::memory_order_seq_cst);
  nopal_stack* const stack = self->deque.strand.stack;
  checkers::leave_strand(ground(stack)->record, scheduler_record(self), arch::stack_pointer_of(frame),
                         &frame->unfinished);
  const auto children = static_cast<std::int32_t>(frame->steals);
  char* const pointer = arch::stack_pointer_of(frame);
  save_exceptions(self, frame);
  const std::uint32_t clock = self->deque.strand.clock;
  frame->last_steal = clock > frame->last_steal ? clock : frame->last_steal;
  self->counts.joined_children.add(static_cast<std::uint64_t>(children));
  if (frame->home == nullptr) {
    // The strand was away already when this scope was first stolen from, or has come home through another scope:
    // it stays where it is.
    frame->home = stack;
    frame->home_stack_pointer = pointer;
    // Acquire pairs with the children's release, for the case that all are done.
    if (__atomic_load_n(&frame->unfinished, __ATOMIC_ACQUIRE) != -children) {
      leave_behind(self, stack, pointer);
    }
  } else {
    frame->home_stack_pointer = pointer + stack->base.to_home;
    leave_empty(self, stack);
  }
  if (step(frame, children) == 0) {
    go_home(self, frame);
  }
  self->counts.suspensions.add();
  find_work(self);
}

/// nopal_child_done, on the scheduler stack: a child of `frame` ended on this worker's stack at `stack_pointer`.
extern "C" [[noreturn]] NOPAL_UNINSTRUMENTED void nopal_finish_child(nopal_frame* frame, worker* self,
                                                                     void* stack_pointer) noexcept {
  // As a rule the continuation has forked again: what follows it is likely the next to be stolen.
  const char* const near = reinterpret_cast<const char*>(frame);
  __builtin_prefetch(near, 1);
  __builtin_prefetch(near + 64, 1);
  __builtin_prefetch(near + 128, 1);
  __builtin_prefetch(near - 64, 1);
  nopal_stack* const stack = self->deque.strand.stack;
  checkers::leave_strand(ground(stack)->record, scheduler_record(self), stack_pointer, &frame->unfinished);
  if (stack->base.frame_pointer == frame->frame_pointer) {
    leave_empty(self,
                stack);  // The continuation was stolen from a strand away from home: nothing of it is here.
  } else if (__atomic_load_n(&frame->unfinished, __ATOMIC_RELAXED) != 1) {
    leave_behind(self, stack, stack_pointer);
  }
  // Of a join that waits for this child's views. Then no join of this child's scope can be waiting.
  nopal_frame* const ready = std::exchange(self->ready, nullptr);
  if (step(frame, -1) == 0) {
    go_home(self, frame);
  }
  if (ready != nullptr) {
    go_home(self, ready);
  }
  find_work(self);
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

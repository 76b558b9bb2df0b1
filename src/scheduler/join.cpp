// The end of a child whose continuation was stolen, and the join of a scope that was stolen from.
//
// `unfinished` starts at zero. A finished stolen child subtracts one; the join adds the number of
// steals. So it is negative or zero until the strand has arrived at the join, positive while that
// waits, and whoever's step makes it zero after the arrival resumes the strand: one atomic step
// each, nobody waits. docs/join.md has the argument.

#include <utility>

#include <nopal/detail/noise.h>
#include <nopal/detail/pinned.h>

#include "deque/deque.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/join.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/restraint.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/traced.hpp"
#include "strand/strand.hpp"
#include "testing/fault_points.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Steals of one frame before the children that have ended are taken off its counts; far from where
/// these would wrap.
constexpr std::uint32_t steals_to_settle = NOPAL_BOUND(1U << 30, 2);

/// The state of the strand that resumes at its join on `stack`. Its exceptions and floating-point
/// mode are those of its suspension. On a thread's stack its root is that thread's; elsewhere it is
/// that of the child that ended last.
strand::state state_at_join(const worker* self, const nopal_stack* stack, const nopal_frame* frame) {
  const bool is_root = stack == &self->native;
  // The assembly stores 16 bits of the x87 word.
  const auto x87 = static_cast<std::uint16_t>(frame->x87_control);
  return {is_root ? self : root_of(*self),
          is_root ? get(self->local) : nopal_local(),
          {frame->caught, frame->uncaught},
          frame->float_control | static_cast<std::uint64_t>(x87) << 32};
}

[[noreturn]] NOPAL_UNINSTRUMENTED void resume_at_join(worker* self, nopal_stack* stack, nopal_frame* frame) {
  if (self->deque.bottom != 0) {
    // The worker comes straight from a child's end. All entries are stolen; without a reset their
    // slots would never be used again.
    deque::reset(self->deque);
  }
  if (nopal_latent_forks_used != 0) {
    deque::poison(self->deque);  // The strand may have latent forks, and a push here take the fast path.
  }
  self->bottom_at_rest = self->deque.bottom;
  end_shared_region(self, frame);
  NOPAL_DISTURB();
  if (strand::is_away(stack->origin, frame)) {
    // The child that spoke there has been counted.
    NOPAL_FAULT_OMITS("not cleared at resume", stack->second.store(0, std::memory_order_relaxed));
  }
  auto* const pointer = static_cast<char*>(frame->home_stack_pointer);
  stack->came_home.note(frame->frame_pointer, pointer);
  if (!self->of_pool && stack == &self->native && self->spare != nullptr) {
    // The thread is back with the program and may not steal for long. It is at rest there, where nothing keeps the pool.
    the_runtime().stacks.give(self->spare);
    self->spare = nullptr;
  }
  strand::run_on(self, stack);
  self->counts.resumptions.add();  // between the two: see any_strand_active
  the_runtime().waiting_joins.fetch_sub(1, std::memory_order_seq_cst);
  if (frame->last_ticket > get(self->deque.strand.latest_ticket)) {
    set(self->deque.strand.latest_ticket, frame->last_ticket);
  }
  void* exception = take_exception(frame);
  trace::note(self, trace::what::goes_on, frame);
  if (profile::is_on()) {
    profile::note_resumption(self->profile, frame);
  }
  if (stops::used()) {
    stops::begin(self, stops::take(frame));
    // What a child threw counts for more.
    if (exception == nullptr && stops::throws_at_join(self, frame)) {
      exception = stopped_at_join();
    }
  }
  view::deposit* const deposits = view::views_used() ? view::take_views(stack, frame, exception) : nullptr;
  strand::enter(self, {stack, pointer, &frame->unfinished, frame->uncaught != 0},
                state_at_join(self, stack, frame));
  go_on_profiled(self, profile::after::other);
  if (deposits != nullptr) {
    nopal_resume_and_merge(frame, pointer, deposits);
  }
  nopal_resume(frame, pointer, exception);
}

/// One step of the count of a frame's children: returns it as it is after `amount` was added.
///
/// Release publishes what this side did, acquire gets what the others did: the one that sees zero
/// sees all of it.
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

/// The strand is away by the steals of another scope of its function, and joins `frame` first: it
/// goes home from there at once. The scopes between lose their home, and the stacks on which they
/// would have come back go to the pool as soon as the children there are over. Such scopes overlap,
/// so none has an array of variable length. Returns what to add to a stack pointer here.
std::ptrdiff_t leave_scopes_between(worker* self, const nopal_stack* stack, const nopal_frame* frame) {
  std::ptrdiff_t to_home = stack->origin.to_home;
  for (nopal_frame* scope = stack->origin.scope; scope != frame;) {
    nopal_stack* const between = scope->home;
    NOPAL_PLAIN_READ(between->origin);
    scope->home = nullptr;
    to_home += NOPAL_FAULT("one way home") ? 0 : between->origin.to_home;
    scope = between->origin.scope;
    strand::leave_for_good(self, between);
  }
  return to_home;
}

}  // namespace

void count_steal(worker* self, nopal_frame* frame) noexcept {
  ++frame->steals;
  if (frame->steals < steals_to_settle) {
    return;
  }
  // unreached below: settled-counts
  if (has_old_children(frame)) {
    --frame->steals;  // it is never joined
    return;
  }
  // Perhaps a server's loop, which forks without end and never joins. Besides this step only
  // children that end change `unfinished`, and they lower it: it stays zero or negative, and no
  // child takes itself for the last.
  // unreached: settled-counts
  const std::int32_t ended = -__atomic_load_n(&frame->unfinished, __ATOMIC_RELAXED);
  // unreached: settled-counts
  const auto others = static_cast<std::int32_t>(frame->steals - 1);  // one stays: `home` is valid
  // unreached: settled-counts
  const std::int32_t settled = ended < others && !NOPAL_FAULT("unfinished settled") ? ended : others;
  frame->steals -= static_cast<std::uint32_t>(settled);                   // unreached: settled-counts
  self->counts.joined_children.add(static_cast<std::uint64_t>(settled));  // unreached: settled-counts
  step(frame, settled);                                                   // unreached: settled-counts
}

[[noreturn]] void resume_at_home(worker* self, nopal_frame* frame) noexcept {
  if (view::views_used() && !view::has_all_views(frame)) {
    find_work(self);
  }
  nopal_stack* const home = frame->home;
  worker* const owner = home->native_owner;
  if (owner != nullptr && owner != self) {
    // The stack belongs to a thread of the program, which alone may run on it. Sequentially
    // consistent: pairs with the owner's announcement in park and its look at the inbox after it.
    owner->inbox.store(frame, std::memory_order_seq_cst);
    NOPAL_DISTURB();
    unpark(owner);
    find_work(self);
  }
  if (owner == nullptr) {
    the_runtime().stacks.reuse(home);
  } else {
    be_present(self, get(self->arena));
    if (arenas_used != 0) {
      sit_again(self, get(self->arena));
    }
  }
  resume_at_join(self, home, frame);
}

/// nopal_suspend_at_join, on the scheduler stack: the strand of `frame` has arrived at its join.
extern "C" [[noreturn]] NOPAL_UNINSTRUMENTED void nopal_arrive_at_join(nopal_frame* frame,
                                                                       worker* self) noexcept {
  // Before the stack is left: see any_strand_active.
  the_runtime().waiting_joins.fetch_add(1, std::memory_order_seq_cst);
  char* const pointer = arch::stack_pointer_of(frame);
  nopal_stack* const stack = strand::leave(self, strand::reason::join, pointer, &frame->unfinished);
  check_join_of_old_process(frame);
  if (profile::is_on()) {
    profile::note_arrival(self->profile, frame);
  }
  const bool is_judged = judge_arrival(self);
  const auto children = static_cast<std::int32_t>(frame->steals);
  const exception_state exceptions = strand::exceptions_of(self);
  frame->caught = exceptions.caught;
  frame->uncaught = exceptions.uncaught;
  if (stops::innermost(self) != nullptr) {
    stops::keep(frame, stops::innermost(self));
  }
  const std::uint64_t ticket = self->deque.strand.latest_ticket;
  frame->last_ticket = ticket > frame->last_ticket ? ticket : frame->last_ticket;
  self->counts.joined_children.add(static_cast<std::uint64_t>(children));
  if (frame->home == nullptr) {
    // The strand has come home through another scope: it stays where it is.
    frame->home = stack;
    frame->home_stack_pointer = pointer;
    leave_forks_noted(self, stack, self->deque.bottom);
    // Acquire pairs with the children's release, for the case that all are done.
    if (__atomic_load_n(&frame->unfinished, __ATOMIC_ACQUIRE) != -children) {
      strand::leave_behind(self, stack, pointer);
    }
  } else {
    frame->home_stack_pointer = pointer + leave_scopes_between(self, stack, frame);
    strand::leave_empty(self, stack);
  }
  // Before the step: whoever takes the last one goes on with the strand.
  trace::note(self, trace::what::arrives, frame);
  if (step(frame, children) == 0) {
    if (!is_judged) {
      note_useless(self->shy);
    }
    resume_at_home(self, frame);
  }
  if (!is_judged) {
    judge_later(self);
  }
  self->counts.suspensions.add();
  find_work(self);
}

/// nopal_child_done, on the scheduler stack: a child of `frame` ended on this worker's stack at
/// `stack_pointer`.
extern "C" [[noreturn]] NOPAL_UNINSTRUMENTED void nopal_finish_child(nopal_frame* frame, worker* self,
                                                                     void* stack_pointer) noexcept {
  // As a rule the continuation has forked again: what follows it is likely the next to be stolen.
  const char* const near = reinterpret_cast<const char*>(frame);
  __builtin_prefetch(near, 1);
  __builtin_prefetch(near + 64, 1);
  __builtin_prefetch(near + 128, 1);
  __builtin_prefetch(near - 64, 1);
  static_cast<void>(judge_strand(self->shy, ticks_now(), false));
  if (profile::is_on()) {
    profile::stop(self->profile);
  }
  nopal_stack* const stack = strand::leave(self, strand::reason::ended, stack_pointer, &frame->unfinished);
  check_child_of_old_process(self);
  if (profile::is_on()) {
    profile::note_stolen_child(self->profile, frame);
  }
  const bool away = strand::is_away(stack->origin, frame);
  if (away && stack->origin.scope == frame) {
    // The continuation was stolen from a strand away from home: nothing of it is here.
    strand::leave_empty(self, stack);
  } else {
    // The fork that is over is the worker's youngest, or from before it came here.
    if (self->deque.bottom > self->first_entry) {
      leave_forks_noted(self, stack, self->deque.bottom - 1);
    } else {
      stack->forks.remove();
    }
    if (away || __atomic_load_n(&frame->unfinished, __ATOMIC_RELAXED) != 1) {
      strand::leave_behind(self, stack, stack_pointer);
    }
    if (away) {
      strand::end_on_second(self, stack);
    }
  }
  // Of a join that waits for this child's views. Then no join of this child's scope can be waiting.
  nopal_frame* const ready = std::exchange(self->ready, nullptr);
  if (step(frame, -1) == 0) {
    resume_at_home(self, frame);
  }
  if (ready != nullptr) {
    resume_at_home(self, ready);
  }
  find_work(self);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

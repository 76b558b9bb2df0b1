// How a strand is suspended that waits for an event or a mutex, and its worker does other work.
//
// First its worker lists all forks of its deque as ready strands, as thieves would take them, so that the
// deque is empty and any worker may go on with them. Then the strand is left as at a join. It enters the
// list of what it waits for from the scheduler stack, when nothing is at work on its own stack any more.
// So whoever wakes it may have it resumed at once.

#include <nopal/detail/fast_path.h>
#include <nopal/detail/pinned.h>

#include "deque/deque.hpp"
#include "scheduler/join.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/push.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/stolen.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/traced.hpp"
#include "scheduler/waiters.hpp"
#include "strand/strand.hpp"
#include "testing/fault_points.hpp"
#include "view/views.hpp"

extern "C" void nopal_suspend_to_wait(nopal_frame* frame);

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// More forks than these are not listed, since each takes a stack: the strand keeps its thread.
constexpr std::int32_t most_forks = 64;

/// On the strand's stack. The frame comes first: the assembly knows it alone.
struct suspended_strand {
  nopal_frame frame;
  waiter* wait;
};

/// Whether the calling strand can be left here: not as the code of a call that stays on its thread, where an
/// exception is about, in a reduction, on a stack that is none of ours, or as its thread ends. What such a call's
/// own scopes have forked can be left: the call may go on at its join, and its thread alone may do that.
bool can_be_left(worker* self) noexcept {
  const nopal_stack* const stack = get(self->deque.strand.stack);
  if (stack == nullptr) {
    return false;
  }
  const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
  const bool is_on_stack = stack->native_owner != nullptr
                               // Of a thread of the program, which runs no tasks while it waits as a root.
                               ? self->outer == nullptr && (runs_tasks(self) || !has_tasks(self->tasks))
                               : here >= stack->low && here < stack->high;
  return is_on_stack && self->waits_for.load(std::memory_order_relaxed) == nullptr &&
         no_exception_about(self) && stack->merge == nullptr && !os::thread_is_ending();
}

/// While the strand waits, its thread gives its place away where it sleeps and tasks wait: in a call that stays on it,
/// or as one of the program, it runs none before it comes back to the code around. It is there until then: the strand
/// is of that code.
class left_where_no_tasks_run {
public:
  explicit left_where_no_tasks_run(const worker* self) noexcept
      : thread_(self->outer != nullptr || (!runs_tasks(self) && has_tasks(self->tasks)) ? thread_worker(self)
                                                                                        : nullptr) {
    if (thread_ != nullptr) {
      // Relaxed: read by its thread, which sleeps later.
      thread_->left_waiting.fetch_add(1, std::memory_order_relaxed);
    }
  }
  left_where_no_tasks_run(const left_where_no_tasks_run&) = delete;
  left_where_no_tasks_run& operator=(const left_where_no_tasks_run&) = delete;
  ~left_where_no_tasks_run() {
    if (thread_ != nullptr) {
      // Relaxed: where the thread still reads the older number it gives its place for nothing.
      thread_->left_waiting.fetch_sub(1, std::memory_order_relaxed);
    }
  }

private:
  worker* const thread_;
};

/// Whether nothing of the strand is left to take: its deque is empty, and it stays so. `held`: see hold_runtime.
bool give_all_away(worker* self, bool& held) noexcept {
  promote_own();
  if (deque::size(self->deque) > most_forks || is_at_rest(self)) {
    return false;
  }
  held = hold_runtime(self);
  answer_no_question(self);
  offer_all(self);
  return list_own_forks(self) && deque::size(self->deque) == 0;
}

/// A function of its own: its frame is that of a scope. Returns on any thread.
[[gnu::noinline]] void leave_to_wait(waiter& self) noexcept {
  suspended_strand here{};
  nopal_make_frame(&here.frame);
  here.wait = &self;
  self.strand.frame = &here.frame;
  self.strand.root = root_of(*this_worker());
  self.strand.local = nopal_local();
  nopal_suspend_to_wait(nopal_fresh_address(&here.frame));
  // Whoever woke the strand has read the frame's address, and nobody reads it again.
  // NOLINTNEXTLINE(clang-analyzer-core.StackAddressEscape)
  nopal_forget_stack_pointer();
}

}  // namespace

bool wait_suspended(waiter& self) noexcept {
  worker* const before = this_worker();
  bool held = false;
  const bool is_left = before != nullptr && can_be_left(before) && give_all_away(before, held);
  if (is_left) {
    const left_where_no_tasks_run left(before);
    // They stay the strand's, wherever it goes on.
    view::view_set* const views = view::this_views();
    view::set_this_views(nullptr);
    leave_to_wait(self);
    view::set_this_views(views);
  }
  if (held) {
    let_stacks_go(before);
  }
  return is_left;
}

/// nopal_suspend_to_wait, on the scheduler stack.
extern "C" [[noreturn]] NOPAL_UNINSTRUMENTED void nopal_enter_wait(nopal_frame* frame,
                                                                   worker* self) noexcept {
  // Before the stack is left: see any_strand_active.
  the_runtime().waiting_joins.fetch_add(1, std::memory_order_seq_cst);
  waiter& wait = *reinterpret_cast<suspended_strand*>(frame)->wait;
  char* const pointer = arch::stack_pointer_of(frame);
  nopal_stack* const stack = strand::leave(self, strand::reason::join, pointer, &frame->unfinished);
  if (profile::is_on()) {
    profile::stop(self->profile);
    profile::note_wait(self->profile, frame);
  }
  const exception_state exceptions = strand::exceptions_of(self);
  frame->caught = exceptions.caught;
  frame->uncaught = exceptions.uncaught;
  if (stops::innermost(self) != nullptr) {
    stops::keep(frame, stops::innermost(self));
  }
  frame->last_ticket = self->deque.strand.latest_ticket;
  frame->home = stack;
  frame->home_stack_pointer = pointer;
  leave_forks_noted(self, stack, self->deque.bottom);
  strand::leave_behind(self, stack, pointer);
  self->counts.suspensions.add();
  trace::note(self, trace::what::waits, frame);
  // The strand may be resumed elsewhere from here on, and its stack be in use.
  if (!wait.enter(wait, wait.object)) {
    resume_at_home(self, frame);
  }
  find_work(self);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

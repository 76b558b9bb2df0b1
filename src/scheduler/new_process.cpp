// A child of fork(2). It has the calling thread alone, and copies of what the parent's other
// threads were doing.
//
// A continuation in a deque is in both processes. In the child no thief may take it: what it does
// is the parent's work, and the thread that called fork(2) may never come to it, if it ends the
// process inside its strand. So the continuation leaves the deque and is kept for the child of its
// fork. That child resumes it when it ends, on whatever thread that is; the frame says so. What was
// stolen before fork(2) is in the parent alone. docs/adoption.md has the rule.

#include <cstdio>

#include "deque/deque.hpp"
#include "scheduler/join.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/ready.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/tags.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

// Bits of a frame's `steals`, above all counts.
constexpr std::uint32_t kept_for_child = 1U << 31;  // its sign, for nopal_child_done
constexpr std::uint32_t old_children = 1U << 30;    // and they are in the parent

std::uint64_t latest_ticket(runtime& all, const worker* first) noexcept {
  std::uint64_t latest = all.last_old_ticket;
  const auto look = [&latest](const worker* one) {
    const std::uint64_t ticket = get(one->deque.strand.latest_ticket);
    latest = ticket > latest ? ticket : latest;
  };
  for_each_worker(all, look);
  for (const worker* one = first; one != nullptr; one = one->nested.load(std::memory_order_relaxed)) {
    look(one);
  }
  return latest;
}

/// Keeps the deque's continuations from thieves, and records each fork in progress on its stack.
void keep_continuations(worker* self) noexcept {
  nopal_stack* const stack = self->deque.strand.stack;
  for (std::int32_t i = self->deque.top; i < self->deque.bottom; ++i) {
    untagged(self->deque.owner_slots[i])->steals |= kept_for_child;
  }
  if (stack != nullptr) {  // unreached: fork-in-signal
    leave_forks_noted(self, stack, self->deque.bottom);
    stack->forks.of_old_process = stack->forks.count;
  }
  deque::lose_all(self->deque);
  self->first_entry = self->deque.bottom;
  self->bottom_at_rest = self->deque.bottom;
}

/// Makes the worker its own root: its strand may have been part of another thread's.
void make_own_root(worker* self) noexcept {
  const worker* const root = root_of(*self);
  if (root != self && root != nullptr) {
    set(self->local, get(root->local));
  }
  set_if_changed(self->deque.setting.root, self);
}

/// Whether the worker's thread is in this process. The workers of other threads have left the
/// table.
bool has_thread_here(const worker* one) noexcept {
  const worker* const first = thread_worker(one);
  // Only the address is looked at.
  return the_runtime().table[first->index].load(std::memory_order_relaxed) == first;
}

[[noreturn]] void refuse(const char* where) noexcept {
  char line[256];
  std::snprintf(
      line, sizeof line,
      "nopal: a child of fork(2) came to %s, which other threads of its parent had a part in: let it end "
      "(_exit, exec) in the strand that called fork(2), or call fork(2) outside of all scopes",
      where);
  os::end_process(line);
}

}  // namespace

void leave_old_process(runtime& all, worker* first) noexcept {
  all.last_old_ticket = latest_ticket(all, first);
  for (worker* each = first; each != nullptr; each = each->nested.load(std::memory_order_relaxed)) {
    keep_continuations(each);
    make_own_root(each);
  }
  leave_old_tasks(all, first);
  if (first != nullptr) {
    first->left_waiting.store(0, std::memory_order_relaxed);  // those never go on here
  }
  forget_ready();
  if (stops::used()) {
    stops::forget_kept();
    stops::take_followers_along();
  }
  free_old_seats(first);
  forget_observer_calls();
}

extern "C" void nopal_take_kept(nopal_frame* frame) noexcept {
  frame->steals &= ~kept_for_child;
  nopal_stack::forks_below& forks = this_worker()->deque.strand.stack->forks;
  forks.remove();
  // unreached: old-forks
  forks.of_old_process = forks.count < forks.of_old_process ? forks.count : forks.of_old_process;
}

bool take_kept(nopal_frame* frame) noexcept {
  // Else a thief may be at it, which never sets the bit.
  if ((__atomic_load_n(&frame->steals, __ATOMIC_RELAXED) & kept_for_child) == 0) {
    return false;
  }
  nopal_take_kept(frame);
  return true;
}

void note_old_children(nopal_frame* frame) noexcept {
  if (frame->steals != 0 && frame->last_ticket <= the_runtime().last_old_ticket) {
    frame->steals |= old_children;
  }
}

bool has_old_children(const nopal_frame* frame) noexcept { return (frame->steals & old_children) != 0; }

void check_join_of_old_process(const nopal_frame* frame) noexcept {
  if (has_old_children(frame) || frame->last_ticket <= the_runtime().last_old_ticket) {
    refuse("the join of a scope");
  }
}

void check_child_of_old_process(const worker* self) noexcept {
  const nopal_stack::forks_below& forks = self->deque.strand.stack->forks;
  // unreached: old-forks
  if (self->deque.bottom <= self->first_entry && forks.count != 0 && forks.count <= forks.of_old_process) {
    refuse("the end of a child of a scope");
  }
}

void check_wait_of_old_process(const nopal_task_group* group) noexcept {
  if ((__atomic_load_n(&group->state, __ATOMIC_RELAXED) & has_old_tasks) != 0) {
    refuse("the wait for a group of tasks");
  }
}

/// A task that a wait runs on `stack` ends in the call that waits: ends the process if that call's
/// thread is in the parent alone.
void check_task_of_old_process(const nopal_stack* stack) noexcept {
  // unreached: moved-task
  const bool goes_on = stack->caller != nullptr && has_thread_here(stack->caller);
  if (!goes_on && !the_runtime().stacks.contains(stack->low)) {
    refuse("the end of a task");
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

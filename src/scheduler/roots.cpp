// Who may run whose strands, and how a call that waits for a group looks for strands of it.
//
// A root is the outermost code of a thread of the program, or a pinned call. docs/roots.md has the argument.

#include <utility>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/views.hpp"
#include "strand/strand.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

namespace {

/// Of a root that is over, an answer means nothing, and what changes meanwhile could be a circle: hence the bound.
constexpr int most_levels = 1 << 16;

/// The root that the call of `root` interrupts; null for that of a thread, and for a task that a scheduler runs.
const worker* root_outside(const worker* root) noexcept {
  return root->outer == nullptr ? nullptr : root_of(*root->outer);
}

/// Whether `self` would find a strand to take. Its own thread's are not: their code stands still.
bool strands_in_sight(worker* self) noexcept {
  bool found = false;
  for_each_worker(the_runtime(), [self, &found](worker* other) {
    found = found || (other->index != self->index && has_work_to_take(self, other));
  });
  return found;
}

/// Whether `root` runs a task of the group, or one that such a task started, over whatever groups. If it was the starter of a task, it
/// has to be at its task of that number still.
bool is_at_or_below(const nopal_task_group* group, const worker* root, bool was_starter,
                    std::uint64_t number) noexcept {
  for (int level = 0; root != nullptr && level < most_levels; ++level) {
    // Acquire pairs with the releases in begin_task_root and end_task_root: what is of a later task comes with its number.
    const nopal_task_group* const of = root->task_group.load(std::memory_order_acquire);
    const worker* const starter = root->starter.load(std::memory_order_acquire);
    const std::uint64_t starter_number = root->starter_number.load(std::memory_order_acquire);
    if (was_starter && root->task_number.load(std::memory_order_relaxed) != number) {
      return false;  // that task is over
    }
    if (of == group) {
      return true;  // one that has not ended, so the group is the one that is waited for
    }
    was_starter = of != nullptr;
    number = starter_number;
    root = was_starter ? starter : root_outside(root);
  }
  return false;
}

}  // namespace

/// The roots above a nested one are those of the strands that its calls interrupt; these stand still while it has entries.
bool may_run(const worker* self, const worker* root) noexcept {
  if (self->of_pool || root == self) {
    return true;
  }
  const nopal_task_group* const group = self->waits_for.load(std::memory_order_seq_cst);
  if (group != nullptr) {
    return is_of_wait(group, root);
  }
  for (int level = 0; root != nullptr && level < most_levels; ++level) {
    root = root_outside(root);
    if (root == self) {
      return true;
    }
  }
  return false;
}

bool is_of_wait(const nopal_task_group* group, const worker* root) noexcept {
  return is_at_or_below(group, root, false, 0);
}

bool was_started_for(const nopal_task_group* group, const nopal_task* task) noexcept {
  const auto* const starter = static_cast<const worker*>(task->starter);
  return starter != nullptr && is_at_or_below(group, starter, true, task->starter_number);
}

void begin_task_root(worker* root, const nopal_task* task) noexcept {
  if (root == nullptr) {
    return;
  }
  root->task_number.store(root->task_number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  // Release: with the number, for who reads one of these.
  root->starter.store(static_cast<const worker*>(task->starter), std::memory_order_release);
  root->starter_number.store(task->starter_number, std::memory_order_release);
  root->task_group.store(task->group, std::memory_order_release);
}

void end_task_root(worker* root) noexcept {
  if (root == nullptr) {
    return;
  }
  root->task_number.store(root->task_number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  root->task_group.store(nullptr, std::memory_order_release);  // with the number, as above
}

void note_starter(nopal_task* task) noexcept {
  const worker* const self = this_worker();
  const worker* root = self == nullptr ? nullptr : root_of(*self);
  while (root != nullptr && root->task_group.load(std::memory_order_relaxed) == nullptr) {
    root = root_outside(root);
  }
  task->starter = root;
  task->starter_number = root == nullptr ? 0 : root->task_number.load(std::memory_order_relaxed);
}

bool visit_scheduler(worker* self) noexcept {
  if (!strands_in_sight(self)) {
    return false;
  }
  hide_outer(self);
  view::view_set* const views = this_views();
  set_this_views(nullptr);
  nopal_visit_scheduler(self);
  set_this_views(views);
  return true;
}

/// The task's views are those of the code that waits, as on that one's stack.
bool visit_scheduler_with(worker* self, nopal_task* task) noexcept {
  self->task_of_visit = task;
  hide_outer(self);
  nopal_visit_scheduler(self);
  return std::exchange(self->task_of_visit, nullptr) == nullptr;
}

void begin_visit(worker* self) noexcept {
  strand::leave(self, strand::reason::visit, self->exit_stack_pointer, self);
  self->kept = strand::state_of(self);
  strand::have_none(self);  // at work before it looks: see any_strand_active
}

NOPAL_UNINSTRUMENTED void end_visit(worker* self) noexcept {
  if (self->spare != nullptr) {
    the_runtime().stacks.give(self->spare);  // the call may look for nothing for long
    self->spare = nullptr;
  }
  self->bottom_at_rest = self->deque.bottom;
  auto* const pointer = static_cast<char*>(self->exit_stack_pointer);
  strand::enter(self, {&self->native, pointer, self, self->kept.exceptions.uncaught != 0}, self->kept);
  nopal_leave_scheduler(self);
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// Who may run whose strands, and how a call that waits for a group looks for strands of it.
//
// A root is the outermost code of a thread of the program, or a pinned call. docs/roots.md has the
// argument.

#include <utility>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/pinned.hpp"
#include "scheduler/roots.hpp"

#include "scheduler/observers.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/ready.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/stops.hpp"
#include "strand/strand.hpp"
#include "testing/fault_points.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Bounds a walk outwards. For a root that is over the answer means nothing, but links that change
/// meanwhile could form a cycle.
constexpr int most_levels = 1 << 16;

/// How many workers one look visits. A wait's looks come to all workers in turn, since there may be
/// nobody else to take what it waits for.
constexpr int workers_of_a_look = 128;

/// The root that the call of `root` interrupts; null for that of a thread, and for a task that a
/// scheduler runs.
const worker* root_outside(const worker* root) noexcept {
  return root->outer == nullptr ? nullptr : root_of(*root->outer);
}

/// Whether the worker's forks are latent as far as is known, and its thread may be asked for them: where all others wait,
/// too, nobody else asks.
bool has_forks_to_ask_for(worker* self, worker* victim, known_roots& known) noexcept {
  return deque::size(victim->deque) == 0 && may_have_latent_forks(*victim) && may_be_asked(victim) &&
         may_run(self, root_of(*victim), known) && may_sit_for(self, root_of(*victim));
}

/// The next worker with a strand for `self` among those of this look; null if there is none. Skips
/// the workers of its own thread: their code stands still.
worker* strand_in_sight(worker* self, strand_search& search) noexcept {
  const runtime& all = the_runtime();
  const int used = all.table_used.load(std::memory_order_seq_cst);
  // Acquire pairs with the release in enter_table, and with that of whoever made a nested one: the
  // worker is complete.
  if (search.next != nullptr &&
      all.table[search.index].load(std::memory_order_acquire) != search.next->first) {
    search.next = nullptr;  // the thread has ended, or is in the parent of this process
  }
  int places = 0;
  for (int looks = 0; looks < workers_of_a_look; ++looks) {
    worker* const at = search.next;
    if (at == nullptr) {
      if (++places > used) {
        return nullptr;
      }
      search.index = search.index + 1 < used ? search.index + 1 : 0;
      search.known = {};
      search.next =
          search.index == self->index ? nullptr : all.table[search.index].load(std::memory_order_acquire);
      continue;
    }
    search.next = at->nested.load(std::memory_order_acquire);
    if (has_work_to_take(self, at, search.known) || has_forks_to_ask_for(self, at, search.known)) {
      return at;
    }
  }
  return nullptr;
}

/// Null: it is not known, or the root may be at another task by now.
const bool* known_of(const worker* root, const known_roots* known) noexcept {
  for (int i = 0; known != nullptr && i < 2; ++i) {
    if (root == known->roots[i] && root->task_number.load(std::memory_order_relaxed) == known->numbers[i]) {
      return &known->may_run[i];
    }
  }
  return nullptr;
}

/// Whether `root` runs a task of the group, or a task that such a task started, through whatever
/// groups. If it was the starter of a task, it must still be at its task of that number.
bool is_at_or_below(const nopal_task_group* group, const worker* root, bool was_starter, std::uint64_t number,
                    const known_roots* known) noexcept {
  for (int level = 0; root != nullptr && level < most_levels; ++level) {  // unreached: levels
    // Acquire pairs with the releases in begin_task_root and end_task_root: what is of a later task
    // comes with its number.
    const nopal_task_group* const of = root->task_group.load(std::memory_order_acquire);
    const worker* const starter = root->starter.load(std::memory_order_acquire);
    const std::uint64_t starter_number = root->starter_number.load(std::memory_order_acquire);
    // unreached below: race
    if (was_starter && !NOPAL_FAULT("number ignored") &&
        root->task_number.load(std::memory_order_relaxed) != number) {
      return false;  // that task is over
    }
    if (of == group) {
      return true;  // one that has not ended, so the group is the one that is waited for
    }
    if (const bool* const answer = known_of(root, known)) {
      return *answer;
    }
    was_starter = of != nullptr;
    number = starter_number;
    root = was_starter ? starter : root_outside(root);
  }
  return false;
}

/// Whether the call of `root`, or one that this interrupts, was made by a strand of `self`.
bool is_inside(const worker* self, const worker* root, const known_roots* known) noexcept {
  for (int level = 0; root != nullptr && level < most_levels; ++level) {  // unreached: levels
    if (root == self) {
      return true;
    }
    if (const bool* const answer = known_of(root, known)) {
      return *answer;
    }
    root = root_outside(root);
  }
  return false;
}

/// The root begins a task, or ends it.
void raise_number(worker& root, std::memory_order order) noexcept {
  root.task_number.store(root.task_number.load(std::memory_order_relaxed) + 1, order);
}

bool walk_outwards(const worker* self, const worker* root, const known_roots* known) noexcept {
  const nopal_task_group* const group = self->waits_for.load(std::memory_order_seq_cst);
  return group != nullptr ? is_at_or_below(group, root, false, 0, known) : is_inside(self, root, known);
}

}  // namespace

/// The roots above a nested one are those of the strands that its calls interrupt; these stand
/// still while it has entries.
bool may_run(const worker* self, const worker* root) noexcept {
  return runs_tasks(self) || root == self || walk_outwards(self, root, nullptr);
}

bool may_run(const worker* self, const worker* root, known_roots& known) noexcept {
  if (self->of_pool || root == self || root == nullptr) {
    return runs_tasks(self) || root == self;
  }
  // Before the walk; acquire pairs with the releases in begin_task_root. Odd while the root is at a
  // task: a group that the walk finds is then that task's, or the number has changed.
  const std::uint64_t number = root->task_number.load(std::memory_order_acquire);
  const bool is_task = root->task_group.load(std::memory_order_acquire) != nullptr;
  const bool answer = walk_outwards(self, root, &known);
  if (is_task == (number % 2 != 0)) {
    const int which = is_task ? 1 : 0;
    known.roots[which] = root;
    known.numbers[which] = number;
    known.may_run[which] = answer;
  }
  return answer;
}

/// For a wait, the walk from a task leads from starter to starter, all of them tasks, so a known
/// answer does not depend on how calls were nested. A join asks anew.
bool may_take(const worker* self, const worker* root, const known_roots& known) noexcept {
  // Relaxed: who sees the entry of a later task sees its number.
  const bool is_known = self->waits_for.load(std::memory_order_relaxed) != nullptr && root != nullptr &&
                        root == known.roots[1] &&
                        root->task_number.load(std::memory_order_relaxed) == known.numbers[1];
  return (is_known && known.may_run[1]) || may_run(self, root);
}

bool was_started_for(const nopal_task_group* group, const nopal_task* task) noexcept {
  return is_at_or_below(group, static_cast<const worker*>(task->starter), true, task->starter_number,
                        nullptr);
}

bool starter_is_over(const nopal_task* task) noexcept {
  // Relaxed: the number only rises, and a walk looks at it again.
  return static_cast<const worker*>(task->starter)->task_number.load(std::memory_order_relaxed) !=
         task->starter_number;
}

namespace {

// Of tasks that share. Relaxed throughout: whoever waits for what it has started has counted it itself, or looks again
// after a nap. In a child of fork(2) those of its parent count on, and cost looks.
std::atomic<std::uint64_t> last_shared{0};
std::atomic<std::uint64_t> shared_tasks{0};

// The last number of a call that isolates. Relaxed: numbers differ, and whoever is in such a call has counted it, or has what
// it does from there.
std::atomic<std::uint64_t> last_isolation{not_isolated};

void begin_sharing(worker& root, const nopal_task& task) noexcept {
  const bool shares = shares_starter(task);
  if (shares != root.shares_starter.load(std::memory_order_relaxed)) {
    root.shares_starter.store(shares, std::memory_order_relaxed);
  }
  if (shares) {
    root.first_shared = last_shared.load(std::memory_order_relaxed) + 1;
  }
}

}  // namespace

void count_shared(nopal_task* task) noexcept {
  task->number = last_shared.fetch_add(1, std::memory_order_relaxed) + 1;
  shared_tasks.fetch_add(1, std::memory_order_relaxed);
}
void uncount_shared() noexcept { shared_tasks.fetch_sub(1, std::memory_order_relaxed); }
bool any_shared() noexcept { return shared_tasks.load(std::memory_order_relaxed) != 0; }

void begin_task_root(worker* root, const nopal_task* task) noexcept {
  if (root == nullptr) {
    return;
  }
  // Release pairs with the acquire before a walk whose answer is kept: what was of the last task is
  // gone.
  NOPAL_FAULT_OMITS("number last", raise_number(*root, std::memory_order_release));
  // Release: with the number, for who reads one of these.
  root->starter.store(static_cast<const worker*>(task->starter), std::memory_order_release);
  root->starter_number.store(task->starter_number, std::memory_order_release);
  root->task_group.store(task->group, std::memory_order_release);
  begin_sharing(*root, *task);
  root->isolation = isolation_of(*task) != 0 ? isolation_of(*task) : not_isolated;
  NOPAL_FAULT_DOES("number last", raise_number(*root, std::memory_order_relaxed));
  set_if_changed(root->handled_outside, strand::exceptions_of(root).caught);
}

void end_task_root(worker* root) noexcept {
  if (root == nullptr) {
    return;
  }
  NOPAL_FAULT_OMITS("number last", raise_number(*root, std::memory_order_relaxed));
  root->task_group.store(nullptr, std::memory_order_release);  // with the number, as above
  root->isolation = isolated_as_around;
  NOPAL_FAULT_DOES("number last", raise_number(*root, std::memory_order_relaxed));
  set_if_changed(root->handled_outside, nullptr);
}

const worker* root_of_own_task() noexcept {
  const worker* const self = this_worker();
  const worker* root = self == nullptr ? nullptr : root_of(*self);
  while (root != nullptr && root->task_group.load(std::memory_order_relaxed) == nullptr) {
    root = root_outside(root);
  }
  return root;
}

std::uint64_t isolation_of_caller() noexcept {
  const worker* const self = this_worker();
  if (self == nullptr || last_isolation.load(std::memory_order_relaxed) == not_isolated) {
    return 0;
  }
  const worker* root = root_of(*self);
  while (root != nullptr && root->isolation == isolated_as_around) {
    root = root_outside(root);
  }
  return root == nullptr || root->isolation == not_isolated ? 0 : root->isolation;
}

extern "C" NOPAL_EXPORT std::uint64_t nopal_isolation() { return isolation_of_caller(); }

void isolate(worker* root) noexcept {
  root->isolation = last_isolation.fetch_add(1, std::memory_order_relaxed) + 1;
}

void note_starter(nopal_task* task) noexcept {
  task->shares = (task->shares & 1U) | isolation_of_caller() << 1U;
  const worker* const self = this_worker();
  const worker* const root = root_of_own_task();
  if (root == nullptr) {
    // A number of the thread.
    task->starter = nullptr;
    task->starter_number = self == nullptr ? 0 : static_cast<std::uint64_t>(self->first->index) + 1;
    return;
  }
  // Relaxed, as what follows: the root's strands stand below its task, which has begun.
  if (root->shares_starter.load(std::memory_order_relaxed)) {
    task->starter = root->starter.load(std::memory_order_relaxed);
    task->starter_number = root->starter_number.load(std::memory_order_relaxed);
    return;
  }
  task->starter = root;
  task->starter_number = root->task_number.load(std::memory_order_relaxed);
}

extern "C" NOPAL_EXPORT int nopal_is_in_task_of(const nopal_task_group* group) {
  const worker* const self = this_worker();
  const worker* root = self == nullptr ? nullptr : root_of(*self);
  // Relaxed: the roots that the caller's strand lies in stand still.
  while (root != nullptr && root->task_group.load(std::memory_order_relaxed) != group) {
    root = root_outside(root);
  }
  return root != nullptr ? 1 : 0;
}

bool call_scheduler(worker* self, strand_search& search) noexcept {
  self->victim_of_call = strand_in_sight(self, search);
  if ((self->victim_of_call == nullptr && !has_ready(self)) || !hold_stacks(self)) {
    return false;
  }
  self->search = &search;
  promote_for_thieves(self);
  hide_outer(self);
  view::view_set* const views = view::this_views();
  view::set_this_views(nullptr);
  nopal_call_scheduler(self);
  let_stacks_go(self);
  view::set_this_views(views);
  return self->search != nullptr;
}

/// The task has the views of the code that waits, as if it ran on that code's stack.
bool call_scheduler_with(worker* self, nopal_task* task) noexcept {
  if (!hold_stacks(self)) {
    return false;  // unreached: refused-wait
  }
  self->task_of_call = task;
  promote_for_thieves(self);
  hide_outer(self);
  nopal_call_scheduler(self);
  let_stacks_go(self);
  return std::exchange(self->task_of_call, nullptr) == nullptr;
}

void begin_scheduler_call(worker* self) noexcept {
  leave_profiled(self);
  strand::leave(self, strand::reason::call, self->exit_stack_pointer, self);
  self->kept = strand::state_of(self);
  stops::begin_call(self);
  strand::have_none(self);  // at work before it looks: see any_strand_active
}

NOPAL_UNINSTRUMENTED void end_scheduler_call(worker* self) noexcept {
  if (self->spare != nullptr) {
    // The call may look for nothing for long.
    NOPAL_FAULT_OMITS("stack not given back", the_runtime().stacks.give(self->spare));
    self->spare = nullptr;
  }
  come_back(self);
  if (arenas_used != 0) {
    sit_again(self, get(self->arena));
  }
  self->bottom_at_rest = self->deque.bottom;
  auto* const pointer = static_cast<char*>(self->exit_stack_pointer);
  stops::end_call(self);
  strand::enter(self, {&self->native, pointer, self, self->kept.exceptions.uncaught != 0}, self->kept);
  come_back_profiled(self);
  nopal_leave_scheduler(self);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

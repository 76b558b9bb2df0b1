// Which worker may run the strands of which root, and what a call that waits for a group does in
// the scheduler. docs/roots.md has the argument.
#ifndef NOPAL_SCHEDULER_ROOTS_HPP
#define NOPAL_SCHEDULER_ROOTS_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Whether `self` may run strands of the root of `root`. A worker of the pool may run any; a thread
/// may run its own root's and those of roots below it. The answer is reliable only if an entry of
/// such a strand was in a deque meanwhile. Takes the depth of nesting.
bool may_run(const worker* self, const worker* root) noexcept;

/// The same within one pass, which begins with no known answers. A known answer is as good as a
/// walk for an entry of that root that has been there since the pass began: the calls around it
/// have stood still.
bool may_run(const worker* self, const worker* root, known_roots& known) noexcept;

/// The same, to be relied on: of the known answers it uses only that the task which `root` is at
/// may still be run. The caller began to wait before.
bool may_take(const worker* self, const worker* root, const known_roots& known) noexcept;

/// What may_run says to a worker that waits for `group`, of a task that has not begun and is of
/// another group: whether a task of the group started it, directly or not. There is a starter.
bool was_started_for(const nopal_task_group* group, const nopal_task* task) noexcept;
/// Whether what started this task is over: then it was started for no wait, for good. There is a
/// starter.
bool starter_is_over(const nopal_task* task) noexcept;

/// For the root of a task that begins or ends; null where the thread is no worker.
void begin_task_root(worker* root, const nopal_task* task) noexcept;
void end_task_root(worker* root) noexcept;
/// The root of the innermost task that the caller is code of; null: it is of none.
const worker* root_of_own_task() noexcept;
/// For a task that shares its starter: before it is pushed; when it runs; whether there are some that do not.
void count_shared(nopal_task* task) noexcept;
void uncount_shared() noexcept;
[[nodiscard]] bool any_shared() noexcept;
/// Which call isolates what the caller pushes, and so what its waits may run beside what they wait for: a number of its own;
/// 0: none. A root has the number, or one of these.
constexpr std::uint64_t isolated_as_around = 0;
constexpr std::uint64_t not_isolated = 1;
std::uint64_t isolation_of_caller() noexcept;
/// Gives the root a number of its own, before it has strands.
void isolate(worker* root) noexcept;
/// Notes in the task what isolates it, and which task's code the caller is; where it shares its starter, which code that is. Outside of tasks, which
/// thread.
void note_starter(nopal_task* task) noexcept;

/// For a call that waits for a group: looks for strands of the group once, at a bounded number of
/// workers, from where the last look ended. Runs what it finds from its nested worker's scheduler
/// stack, and returns as soon as that strand is over or suspended. The call is pinned, with
/// `waits_for` set. False if it found nothing.
bool call_scheduler(worker* self, strand_search& search) noexcept;
/// The same to run this task on a stack of the pool. False: there is no memory for one, and nothing
/// has happened.
bool call_scheduler_with(worker* self, nopal_task* task) noexcept;
/// On the scheduler stack.
void begin_scheduler_call(worker* self) noexcept;
[[noreturn]] void end_scheduler_call(worker* self) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

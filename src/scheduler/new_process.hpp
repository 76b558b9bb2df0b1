// A child of fork(2), whose strands have left children in the parent. docs/adoption.md has the
// argument.
#ifndef NOPAL_SCHEDULER_NEW_PROCESS_HPP
#define NOPAL_SCHEDULER_NEW_PROCESS_HPP

#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// In a child of fork(2), with the table as it was: what the strands of this thread have left in
/// the parent. Null: no worker.
void leave_old_process(runtime& all, worker* first) noexcept;

/// Where a pop failed: true if fork(2) kept the continuation of `frame` for its child, which has it
/// back now.
bool take_kept(nopal_frame* frame) noexcept;

/// The thief continues `frame`: notes it if children are in the parent of this process.
void note_old_children(nopal_frame* frame) noexcept;
bool has_old_children(const nopal_frame* frame) noexcept;

// These end a child of fork(2) that needs what is in its parent alone: at the join of `frame`; at
// the end of a child on the stack of `self`; at the end of a task on a stack.
void check_join_of_old_process(const nopal_frame* frame) noexcept;
void check_child_of_old_process(const worker* self) noexcept;
void check_task_of_old_process(const nopal_stack* stack) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// What src/view asks of the scheduler: of the calling strand, its thread and its joins. The answers
// are in src/scheduler/view_host.cpp, so that src/view includes nothing of the scheduler.
#ifndef NOPAL_VIEW_HOST_HPP
#define NOPAL_VIEW_HOST_HPP

#include <atomic>
#include <cstdint>

#include <nopal/version.hpp>

struct nopal_frame;
struct nopal_stack;
struct nopal_task_group;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {
namespace host {

/// The stack that the calling strand runs on; null on a thread that is no worker.
[[nodiscard]] nopal_stack* this_stack() noexcept;

/// Whether the strand on `stack` began its thread's work. Such a strand is on the stack that the
/// thread came with, and a strand that left it is back there only after the join that merged all.
/// During a merge it is none: what reductions do comes after what they reduce. A pinned call's
/// strand is part of the one outside; so is a task that a wait runs on a stack of the pool. Only
/// its thread runs such a strand. Null, of a thread that is no worker: it did.
[[nodiscard]] bool began_thread(const nopal_stack* stack) noexcept;

/// What is asked of a stack about reducer `id`.
using stack_test = bool (*)(const nopal_stack* stack, std::uint32_t id) noexcept;
/// Whether it holds for a stack of the calling strand: where it runs, or, in a call that stays on
/// its thread, where the strand is that made the call.
[[nodiscard]] bool holds_for_this_strand(stack_test holds, std::uint32_t id) noexcept;
/// Whether the calling strand is in a call that stays on its thread, and it holds for a stack whose
/// strand can go on after the call, on this thread alone.
[[nodiscard]] bool holds_for_one_kept_waiting(stack_test holds, std::uint32_t id) noexcept;

/// Keeps the exception being handled for the join of `frame`, or for the wait for `group`.
void keep_thrown(nopal_frame* frame, bool of_stolen_child) noexcept;
void keep_thrown(const nopal_task_group* group) noexcept;
/// Takes what was kept; null: nothing.
[[nodiscard]] void* take_exception(nopal_frame* frame) noexcept;
[[nodiscard]] void* take_exception(const nopal_task_group* group) noexcept;
/// What a join returns that has both, each of which may be null.
[[nodiscard]] void* one_of_exceptions(void* first, void* second) noexcept;

/// The calling worker resumes `frame` once the child that ends here has been counted; null: none.
void resume_after_child(nopal_frame* frame) noexcept;

/// One wait of the calling strand, after `round` others for the same. What it waits for may need
/// this thread.
void yield_strand(int round) noexcept;
/// Changes, and is a futex, when somebody tells those who wait for the group.
[[nodiscard]] std::atomic<std::uint32_t>& events_of(const nopal_task_group* group) noexcept;

/// Whether the names of this copy of the library are bound to another's.
[[nodiscard]] bool is_stand_in() noexcept;

}  // namespace host
}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Reducers' views as the scheduler sees them: what a strand's set does when the strand forks no more, suspends or resumes.
#ifndef NOPAL_SCHEDULER_VIEWS_HPP
#define NOPAL_SCHEDULER_VIEWS_HPP

#include <cstdint>

#include <nopal/detail/view.h>
#include <nopal/version.hpp>

#include "scheduler/worker.hpp"
#include "view/pieces.hpp"

/// Whether the program ever made a reducer. Read by the assembly; stays set.
extern "C" __attribute__((visibility("hidden"))) unsigned char nopal_views_used;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// Relaxed: a strand that has views has seen it, and what one that has none leaves behind matters to nobody. A child whose
/// continuation was taken by a thief that had seen it sees it too, since it has learned of the steal.
inline bool views_used() noexcept { return __atomic_load_n(&nopal_views_used, __ATOMIC_RELAXED) != 0; }

/// The set of the calling thread's strand; null if it has no view. As this_worker, not to be kept.
view::view_set* this_views() noexcept;
void set_this_views(view::view_set* set) noexcept;

/// Whether the strand of `frame`, all of whose children are done, can have its views. If scopes of its function overlap, some of
/// them may be with children of another scope; then the last of these to end finds `frame` in its worker's `ready`.
bool has_all_views(nopal_frame* frame) noexcept;

/// What the outermost code of a thread has of reducers: their own values, which are its views. Tasks that it runs while it waits are
/// part of that, or have views of their own; see task_views.cpp.
enum class base_views : unsigned char {
  values,  ///< the usual
  held,    ///< the same, while it runs a task that it waits for: no other thread's tasks have them
  apart    ///< a task runs that is no part of it
};
/// The calling thread's; as this_views.
base_views this_base_views() noexcept;
void set_this_base_views(base_views which) noexcept;

/// Whether the calling strand's views are reducers' own values: it began its thread's work.
bool has_base_views() noexcept;

/// `left` and then `right`, as merge_with_updates has it; what reductions throw is kept for the wait for `group`.
view::view_set* merge_for_group(view::view_set* left, bool left_is_base, view::view_set* right,
                                const nopal_task_group* group) noexcept;

/// Of a task that nobody waits for and that is over: ends the process if a reducer is left that is not the task's own.
void end_unawaited_views(view::view_set* set) noexcept;

/// In a child of fork(2): what other threads did with the views of tasks is over.
void forget_task_merges() noexcept;
void lock_task_merges() noexcept;
void unlock_task_merges() noexcept;

/// The strand of `frame`, all of whose children are done, is about to go on at its join on `stack`, where `self` runs by
/// now: it gets its views. Returns null if that is all; else the pieces that it has to merge itself, by nopal_merge_at_join.
view::piece* take_views(nopal_stack* stack, const nopal_frame* frame) noexcept;

/// Ends the set of a thread that is about to end or is no strand any more.
void drop_thread_views() noexcept;

/// Sets in use: now, and the most at once.
void count_view_sets(std::uint64_t& in_use, std::uint64_t& most) noexcept;

/// Gives sets that are not in use back to the system.
void trim_views() noexcept;

/// Around fork(2).
void lock_views() noexcept;
void unlock_views() noexcept;

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

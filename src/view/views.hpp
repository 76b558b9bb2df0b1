// The room's door: what a strand's set of views does when the strand forks no more, suspends or
// resumes.
//
// The scheduler and src/strand know reducers' views by this header and by task_views.hpp alone.
#ifndef NOPAL_VIEW_VIEWS_HPP
#define NOPAL_VIEW_VIEWS_HPP

#include <cstdint>

#include <nopal/detail/view.h>
#include <nopal/version.hpp>

#include "view/current.hpp"
#include "view/segment.hpp"

struct nopal_frame;
struct nopal_stack;

/// Whether the program ever made a reducer. Read by the assembly; stays set.
extern "C" __attribute__((visibility("hidden"))) unsigned char nopal_views_used;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// Relaxed: a strand that has views has seen it, and what one that has none leaves behind matters
/// to nobody. A child whose continuation was taken by a thief that had seen it sees it too, since
/// it has learned of the steal.
inline bool views_used() noexcept { return __atomic_load_n(&nopal_views_used, __ATOMIC_RELAXED) != 0; }

struct deposit;

/// Whether the strand of `frame`, all of whose children are done, can have its views. If scopes of
/// its function overlap, some of them may be with children of another scope; then the last of these
/// to end finds `frame` in its worker's `ready`.
bool has_all_views(nopal_frame* frame) noexcept;

/// The strand of `frame`, all of whose children are done, is about to go on at its join on `stack`,
/// where `self` runs by now: it gets its views. Returns null if that is all; else the deposits that
/// it has to merge itself, by nopal_merge_at_join, which returns `exception`, or what reductions
/// throw.
deposit* take_views(nopal_stack* stack, const nopal_frame* frame, void* exception) noexcept;

/// Whether a jump to `stack_pointer`, which is of `stack`, leaves a reduction that is under way
/// there.
[[nodiscard]] bool leaves_reduction(const nopal_stack& stack, const char* stack_pointer) noexcept;

/// Sets in use: now, and the most at once.
void count_view_sets(std::uint64_t& in_use, std::uint64_t& most) noexcept;

/// Gives sets that are not in use back to the system.
void trim_views() noexcept;

/// Around fork(2).
void lock_views() noexcept;
void unlock_views() noexcept;

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

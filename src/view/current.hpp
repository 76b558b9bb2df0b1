// The calling strand's set of views, and what its thread's outermost code has in place of one.
#ifndef NOPAL_VIEW_CURRENT_HPP
#define NOPAL_VIEW_CURRENT_HPP

#include <nopal/version.hpp>

struct nopal_stack;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

class view_set;

/// The set of the calling thread's strand; null if it has no view. As this_worker, not to be kept.
view_set* this_views() noexcept;
void set_this_views(view_set* set) noexcept;

/// The strand's set, which is its own no longer. The strand has none then.
view_set* leave_set() noexcept;

/// What the outermost code of a thread has of reducers: their own values, which are its views.
/// Tasks that it runs while it waits are part of that, or have views of their own; see
/// task_views.cpp.
enum class base_views : unsigned char {
  values,  ///< the usual
  held,    ///< the same, while it runs a task that it waits for: no other thread's tasks have them
  apart    ///< a task runs that is no part of it
};
/// The calling thread's; as this_views.
base_views this_base_views() noexcept;
void set_this_base_views(base_views which) noexcept;

/// Whether the calling strand's views are reducers' own values: it began its thread's work, so
/// nothing comes before it, and it is no task that has views of its own.
bool has_base_views() noexcept;
/// The same of the strand on `stack`, on its thread; null for a thread that is no worker.
bool has_base_views(const nopal_stack* stack) noexcept;

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

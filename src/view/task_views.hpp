// The room's door for tasks: what views a task has while it runs, and how its group's wait gets
// them.
#ifndef NOPAL_VIEW_TASK_VIEWS_HPP
#define NOPAL_VIEW_TASK_VIEWS_HPP

#include <nopal/version.hpp>

#include "view/current.hpp"

struct nopal_task_group;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// Whose views a task works on.
enum class views_of : bool {
  caller,  ///< the calling strand's, if that is safe: it waits for the task
  task     ///< its own, left for the group's wait
};

/// While a task of the group runs. It ends before the task is counted as over, inside the same
/// pinned call.
class task_views {
public:
  task_views(nopal_task_group* group, views_of whose) noexcept;
  task_views(const task_views&) = delete;
  task_views& operator=(const task_views&) = delete;
  ~task_views();

private:
  enum class kind : char { callers, held, own };

  nopal_task_group* const group_;
  kind kind_ = kind::callers;
  /// The thread's before, as the next, where the task has its own
  base_views base_ = base_views::values;
  view_set* callers_ = nullptr;
};

/// The calling strand, which waited for the group until it was done, gets what its tasks left.
/// Returns what reductions threw, for nopal_rethrow; null: nothing.
void* take_task_views(nopal_task_group* group) noexcept;

/// In a child of fork(2): what other threads did with the views of tasks is over.
void forget_task_merges() noexcept;
void lock_task_merges() noexcept;
void unlock_task_merges() noexcept;

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Tasks of groups: calls with a context, and the handle of one that was not begun.
#ifndef NOPAL_COMPAT_TBB_DETAIL_TASK_HANDLE_H
#define NOPAL_COMPAT_TBB_DETAIL_TASK_HANDLE_H

#include <cstddef>
#include <memory>
#include <utility>

#include "context.h"
#include "task_source.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

namespace nopal_detail {
struct handle_access;
}  // namespace nopal_detail

/// A task that was made and not begun. Empty, or the only owner of its task; without it the task never runs. Whoever waits for the
/// task's group waits until the handle is run, or empty again.
class task_handle {
public:
  task_handle() noexcept = default;
  task_handle(task_handle&& from) noexcept : task_(std::move(from.task_)), source_(from.source_) {}
  task_handle& operator=(task_handle&& from) noexcept {
    std::swap(task_, from.task_);
    std::swap(source_, from.source_);
    from.drop();
    return *this;
  }
  ~task_handle() { drop(); }

  /// Whether there is a task.
  explicit operator bool() const noexcept { return task_ != nullptr; }

  friend bool operator==(const task_handle& handle, std::nullptr_t) noexcept {
    return handle.task_ == nullptr;
  }

private:
  friend struct nopal_detail::handle_access;
  task_handle(std::unique_ptr<nopal_detail::pending_task> task, nopal_detail::task_source* source) noexcept
      : task_(std::move(task)), source_(source) {
    source_->announce();
  }

  void drop() noexcept {
    if (task_ != nullptr) {
      task_ = nullptr;
      source_->take_back();
    }
  }

  std::unique_ptr<nopal_detail::pending_task> task_;
  nopal_detail::task_source* source_ = nullptr;
};

namespace nopal_detail {

struct handle_access {
  static task_handle make(std::unique_ptr<pending_task> task, task_source* source) {
    return {std::move(task), source};
  }
  /// Puts the task where those who wait for its group find it.
  static void start(task_handle& handle) noexcept { handle.source_->push_announced(handle.task_.release()); }
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

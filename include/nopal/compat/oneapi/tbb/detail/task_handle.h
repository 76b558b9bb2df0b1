// Tasks of groups, and the handle of one that was not begun.
#ifndef NOPAL_COMPAT_TBB_DETAIL_TASK_HANDLE_H
#define NOPAL_COMPAT_TBB_DETAIL_TASK_HANDLE_H

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "context.h"
#include "task_counts.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

namespace nopal_detail {
struct handle_access;
}  // namespace nopal_detail

/// A task that was made and not begun. Empty, or the only owner of its task; without it the task
/// never runs. Whoever waits for the task's group waits until the handle is run, or empty again.
class task_handle {
public:
  task_handle() noexcept = default;
  task_handle(task_handle&& from) noexcept : task_(std::move(from.task_)), tasks_(from.tasks_) {}
  task_handle& operator=(task_handle&& from) noexcept {
    std::swap(task_, from.task_);
    std::swap(tasks_, from.tasks_);
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
  task_handle(std::unique_ptr<nopal_detail::pending_task> task, nopal_detail::task_counts* tasks) noexcept
      : task_(std::move(task)), tasks_(tasks) {
    tasks_->announce();
  }

  void drop() noexcept {
    if (task_ != nullptr) {
      task_ = nullptr;
      tasks_->finish_one();
    }
  }

  std::unique_ptr<nopal_detail::pending_task> task_;
  nopal_detail::task_counts* tasks_ = nullptr;
};

namespace nopal_detail {

struct handle_access {
  static task_handle make(std::unique_ptr<pending_task> task, task_counts* tasks) {
    return {std::move(task), tasks};
  }
  /// Puts the task where those who wait for its group find it, and idle workers. Throws
  /// std::bad_alloc; then the handle has it still.
  static void start(task_handle& handle, arena_state* arena) {
    handle.tasks_->push_announced(handle.task_.get(), arena);
    static_cast<void>(handle.task_.release());
  }
  /// Of a handle that is not empty.
  static std::atomic<task_record*>* record(const task_handle& handle) noexcept {
    return handle.task_->record();
  }
  static task_counts* tasks(const task_handle& handle) noexcept { return handle.tasks_; }
  /// Calls it here, in `arena`.
  static void call(task_handle& handle, arena_state* arena) noexcept {
    handle.tasks_->call_announced(handle.task_.release(), arena);
  }
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

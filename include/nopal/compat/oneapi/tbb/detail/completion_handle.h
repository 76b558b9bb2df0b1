// Names of tasks that are known when their handles are gone.
#ifndef NOPAL_COMPAT_TBB_DETAIL_COMPLETION_HANDLE_H
#define NOPAL_COMPAT_TBB_DETAIL_COMPLETION_HANDLE_H

#include <cstddef>
#include <utility>

#include "task_handle.h"
#include "task_record.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Names a task, before it runs and after: for its end, which can be asked for, waited for, and put before other tasks. Empty, or
/// one of any number of names.
class task_completion_handle {
public:
  task_completion_handle() noexcept = default;
  /// Of a handle that is not empty. Throws std::bad_alloc.
  task_completion_handle(const task_handle& handle)  // NOLINT(google-explicit-constructor): as oneTBB's
      : record_(&nopal_detail::record_of(handle)) {
    record_->refer();
  }
  task_completion_handle(const task_completion_handle& from) noexcept : record_(from.record_) {
    if (record_ != nullptr) {
      record_->refer();
    }
  }
  task_completion_handle(task_completion_handle&& from) noexcept
      : record_(std::exchange(from.record_, nullptr)) {}
  task_completion_handle& operator=(const task_handle& handle) {
    return *this = task_completion_handle(handle);
  }
  task_completion_handle& operator=(const task_completion_handle& from) noexcept {
    return *this = task_completion_handle(from);
  }
  task_completion_handle& operator=(task_completion_handle&& from) noexcept {
    task_completion_handle taken(std::move(from));
    std::swap(record_, taken.record_);
    return *this;
  }
  ~task_completion_handle() {
    if (record_ != nullptr) {
      record_->forget();
    }
  }

  explicit operator bool() const noexcept { return record_ != nullptr; }
  friend bool operator==(const task_completion_handle&, const task_completion_handle&) noexcept = default;
  friend bool operator==(const task_completion_handle& handle, std::nullptr_t) noexcept {
    return handle.record_ == nullptr;
  }

private:
  friend class task_group;
  [[nodiscard]] nopal_detail::task_record& record() const noexcept { return *record_; }

  nopal_detail::task_record* record_ = nullptr;
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

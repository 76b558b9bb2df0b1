// Exceptions of this interface.
#ifndef NOPAL_COMPAT_TBB_DETAIL_EXCEPTION_H
#define NOPAL_COMPAT_TBB_DETAIL_EXCEPTION_H

#include <atomic>
#include <exception>
#include <new>
#include <stdexcept>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// A task_group was destroyed before its tasks were waited for.
class missing_wait : public std::exception {
public:
  [[nodiscard]] const char* what() const noexcept override {
    return "nopal: tbb::task_group: destroyed without a wait for its tasks";
  }
};

/// A wait that cannot end.
class unsafe_wait : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The last of several attempts to grow a container failed.
class bad_last_alloc : public std::bad_alloc {
public:
  [[nodiscard]] const char* what() const noexcept override { return "nopal: tbb: no memory to grow"; }
};

/// A queue's waiting operation was aborted.
class user_abort : public std::exception {
public:
  [[nodiscard]] const char* what() const noexcept override { return "nopal: tbb: the operation was aborted"; }
};

namespace nopal_detail {

/// Whether the program asked to end where an exception is thrown; see global_control. Relaxed: a
/// flag alone, it orders nothing.
inline constinit std::atomic<bool> ends_at_exceptions{false};

/// Wherever an exception of a task is caught.
inline void end_if_asked() noexcept {
  if (ends_at_exceptions.load(std::memory_order_relaxed)) {
    std::terminate();
  }
}

/// Where a program has no exceptions, what would be thrown ends it.
template <class Exception>
[[noreturn, gnu::noinline, gnu::cold]] void throw_exception(const Exception& exception) {
  end_if_asked();
#ifdef __cpp_exceptions
  throw exception;
#else
  static_cast<void>(exception);
  std::terminate();
#endif
}

[[noreturn]] inline void throw_missing_wait() { throw_exception(missing_wait()); }

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

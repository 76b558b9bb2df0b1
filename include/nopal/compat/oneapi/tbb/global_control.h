// Settings of the whole process.
#ifndef NOPAL_COMPAT_TBB_GLOBAL_CONTROL_H
#define NOPAL_COMPAT_TBB_GLOBAL_CONTROL_H

#include <cstddef>
#include <new>

#include "detail/current.h"
#include "detail/lock.h"
#include "task_arena.h"

#ifndef NOPAL_ELIDE
#include <nopal/nopal.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Sets a value of the whole process for as long as the object lives.
///
/// Of several objects for `max_allowed_parallelism` the least value holds. Where no strand is running, as at the beginning of
/// `main`, the runtime is stopped if it runs, and starts anew with that many workers, more than the machine has CPUs if
/// asked; other settings of `nopal::configure` are lost. Elsewhere, 1 has every algorithm that begins run on its own thread, and other values
/// count where ranges are cut only. The other parameters are accepted and mean nothing.
class global_control {
public:
  enum parameter {
    max_allowed_parallelism,
    thread_stack_size,
    terminate_on_exception,
    scheduler_handle,
    parameter_max,
  };

  global_control(parameter which, std::size_t value) : which_(which), value_(value) {
    const nopal_detail::lock_guard guard(lock);
    next_ = first;
    first = this;
    apply(which_);
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;
  ~global_control() {
    const nopal_detail::lock_guard guard(lock);
    for (global_control** at = &first; *at != nullptr; at = &(*at)->next_) {
      if (*at == this) {
        *at = next_;
        break;
      }
    }
    apply(which_);
  }

  /// The value that holds.
  static std::size_t active_value(parameter which) {
    const nopal_detail::lock_guard guard(lock);
    if (which == max_allowed_parallelism) {
      const auto least = least_of(which);
      return least != 0 ? least : static_cast<std::size_t>(nopal_detail::runtime_workers());
    }
    return which == thread_stack_size ? std::size_t{1} << 20U : 0;
  }

private:
  static std::size_t least_of(parameter which) {
    std::size_t least = 0;
    for (const global_control* at = first; at != nullptr; at = at->next_) {
      if (at->which_ == which && (least == 0 || at->value_ < least)) {
        least = at->value_;
      }
    }
    return least;
  }

  static void apply(parameter which) {
    if (which != max_allowed_parallelism) {
      return;
    }
    const std::size_t least = least_of(which);
    const int limit = least > most_workers ? most_workers : static_cast<int>(least);
    nopal_detail::global_limit.store(limit, std::memory_order_relaxed);  // a number alone
#ifndef NOPAL_ELIDE
    if (nopal_shutdown() == 0) {
      nopal_configuration with{};
      with.workers = limit;
      with.reclaim = nopal_reclaim_default;
      with.pin = nopal_pin_default;
      with.reclaim_with = nopal_reclaim_with_default;
      static_cast<void>(nopal_configure(&with));
    }
#endif
  }

  static constexpr int most_workers = 1024;
  static inline constinit nopal_detail::tiny_lock lock{};
  static inline constinit global_control* first = nullptr;

  const parameter which_;
  const std::size_t value_;
  global_control* next_ = nullptr;  // under the lock
};

/// Names the scheduler. There is nothing to own.
class task_scheduler_handle {
public:
  task_scheduler_handle() = default;
  explicit task_scheduler_handle(attach) {}
  explicit operator bool() const noexcept { return true; }
  void release() noexcept {}
};

#ifdef __cpp_exceptions
/// Stops the runtime. Throws `nopal::error` while strands are running.
inline void finalize(task_scheduler_handle& handle) {
  handle.release();
#ifndef NOPAL_ELIDE
  nopal::shutdown();
#endif
}
#endif
/// Stops the runtime, if no strand is running. True if it did.
inline bool finalize(task_scheduler_handle& handle, const std::nothrow_t&) noexcept {
  handle.release();
#ifndef NOPAL_ELIDE
  return nopal_shutdown() == 0;
#else
  return true;
#endif
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

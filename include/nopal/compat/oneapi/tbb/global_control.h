// Settings of the whole process.
#ifndef NOPAL_COMPAT_TBB_GLOBAL_CONTROL_H
#define NOPAL_COMPAT_TBB_GLOBAL_CONTROL_H

#include <atomic>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "detail/assertion.h"
#include "detail/current.h"
#include "detail/exception.h"
#include "detail/lock.h"
#include "task_arena.h"

#ifndef NOPAL_ELIDE
#include <nopal/detail/task.h>
#define NOPAL_DETAIL_SAYS_NOT_LATENT
#include <nopal/nopal.h>
#undef NOPAL_DETAIL_SAYS_NOT_LATENT
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Sets a value of the whole process for as long as the object lives.
///
/// Of several objects for `max_allowed_parallelism` the least value holds, of others the greatest.
/// Where no strand is running, as at the beginning of `main`, the runtime is stopped if it runs,
/// and starts anew with that many workers, more than there are by default if asked, and with stacks
/// of `thread_stack_size` bytes, for all strands that forks continue; other settings of
/// `nopal::configure` are lost. Those beyond the default run what is in a task_arena with a number of its own
/// alone. Elsewhere, idle workers stop at the limit: as many of the pool go on
/// as make the parallelism with the calling thread, once the others have ended or suspended what they
/// are in; more than there are cannot be had. A parallelism of 1 also has every algorithm that begins
/// run on its own thread. As in oneTBB, each thread of the program runs beside them. With
/// `terminate_on_exception` not 0, an exception of a task ends the program. `scheduler_handle` and
/// `leave_policy`, a task_arena::leave_policy, are kept and mean nothing.
class global_control {
public:
  enum parameter {
    max_allowed_parallelism,
    thread_stack_size,
    terminate_on_exception,
    scheduler_handle,
    leave_policy,
    parameter_max,
  };

  global_control(parameter which, std::size_t value) : which_(which), value_(value) {
    const nopal_detail::lock_guard guard(lock);
    next_ = first;
    first = this;
    apply(which_);
  }
  template <class Value>
    requires std::is_enum_v<Value>
  global_control(parameter which, Value value) : global_control(which, static_cast<std::size_t>(value)) {}
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
    const std::size_t greatest = greatest_of(which);
    return greatest == 0 && which == thread_stack_size ? default_stack_bytes : greatest;
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

  static std::size_t greatest_of(parameter which) {
    std::size_t greatest = 0;
    for (const global_control* at = first; at != nullptr; at = at->next_) {
      if (at->which_ == which && at->value_ > greatest) {
        greatest = at->value_;
      }
    }
    return greatest;
  }

  static void apply(parameter which) {
    if (which == terminate_on_exception) {
      nopal_detail::ends_at_exceptions.store(greatest_of(which) != 0, std::memory_order_relaxed);
    }
    if (which != max_allowed_parallelism && which != thread_stack_size) {
      return;
    }
    const std::size_t least = least_of(max_allowed_parallelism);
    const int limit = least > most_workers ? most_workers : static_cast<int>(least);
    nopal_detail::global_limit.store(limit, std::memory_order_relaxed);  // a number alone
#ifndef NOPAL_ELIDE
    nopal_limit_workers(limit);
    if (nopal_shutdown() == 0) {
      nopal_configuration with{};
      with.workers = limit;
      const std::size_t stack_bytes = greatest_of(thread_stack_size);
      if (stack_bytes != 0) {
        with.stack_size = stack_bytes < least_stack_bytes  ? least_stack_bytes
                          : stack_bytes > most_stack_bytes ? most_stack_bytes
                                                           : stack_bytes;
      }
      with.reclaim = nopal_reclaim_default;
      with.pin = nopal_pin_default;
      with.reclaim_with = nopal_reclaim_with_default;
      with.on_bad_setting = nopal_bad_setting_default;
      static_cast<void>(nopal_configure_for_arenas(&with));
    }
#endif
  }

  // What the runtime accepts, and has where nothing is asked for.
  static constexpr int most_workers = 1024;
  static constexpr std::size_t least_stack_bytes = std::size_t{64} << 10U;
  static constexpr std::size_t most_stack_bytes = std::size_t{1} << 36U;
  static constexpr std::size_t default_stack_bytes = std::size_t{1} << 20U;
  static inline constinit nopal_detail::tiny_lock lock{};
  static inline constinit global_control* first = nullptr;

  const parameter which_;
  const std::size_t value_;
  global_control* next_ = nullptr;  // under the lock
};

/// Names the scheduler: empty, or attached to it.
class task_scheduler_handle {
public:
  task_scheduler_handle() = default;
  explicit task_scheduler_handle(attach) : attached_(true) {
    handles.fetch_add(1, std::memory_order_relaxed);
  }
  task_scheduler_handle(task_scheduler_handle&& from) noexcept
      : attached_(std::exchange(from.attached_, false)) {}
  task_scheduler_handle& operator=(task_scheduler_handle&& from) noexcept {
    std::swap(attached_, from.attached_);
    return *this;
  }
  ~task_scheduler_handle() { release(); }
  explicit operator bool() const noexcept { return attached_; }
  void release() noexcept { let_go(); }

private:
  friend bool finalize(task_scheduler_handle& handle, const std::nothrow_t&) noexcept;

  /// True if it was attached and no other is.
  bool let_go() noexcept {
    // Acquire and release: the last handle's owner comes after the others.
    return std::exchange(attached_, false) && handles.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  static inline constinit std::atomic<int> handles{0};
  bool attached_ = false;
};

/// Stops the runtime, if the handle is attached. False, and nothing is stopped, if it runs while
/// another handle is attached or a strand is running.
inline bool finalize(task_scheduler_handle& handle, const std::nothrow_t&) noexcept {
  if (!handle) {
    return true;
  }
  const bool is_last = handle.let_go();
#ifndef NOPAL_ELIDE
  return nopal_is_running() == 0 || (is_last && nopal_shutdown() == 0);
#else
  static_cast<void>(is_last);
  return true;
#endif
}
#ifdef __cpp_exceptions
/// The same. Throws `unsafe_wait` instead of returning false.
inline void finalize(task_scheduler_handle& handle) {
  if (!finalize(handle, std::nothrow)) {
    nopal_detail::throw_exception(unsafe_wait(
        "nopal: tbb::finalize: strands are running, or another task_scheduler_handle is attached"));
  }
}
#endif

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

// A mutex whose waiters sleep.
#ifndef NOPAL_COMPAT_TBB_MUTEX_H
#define NOPAL_COMPAT_TBB_MUTEX_H

#include <mutex>

// Programs rely on what oneTBB's header includes.
#include <atomic>
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>

#include "detail/scoped_lock.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// The standard's mutex. Not recursive, not fair. A body or task may hold it while it waits: it
/// stays on its thread, which runs nothing meanwhile but what the wait is for. A strand of Nopal's
/// own interface holds it across no fork or join.
class mutex {
public:
  using scoped_lock = nopal_detail::unique_scoped_lock<mutex>;
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() = default;

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

private:
  std::mutex mutex_;
};

/// The standard's recursive mutex, which oneTBB has no longer.
class recursive_mutex {
public:
  using scoped_lock = nopal_detail::unique_scoped_lock<recursive_mutex>;
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = true;
  static constexpr bool is_fair_mutex = false;

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

private:
  std::recursive_mutex mutex_;
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

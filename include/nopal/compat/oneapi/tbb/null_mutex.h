// A mutex that locks nothing.
#ifndef NOPAL_COMPAT_TBB_NULL_MUTEX_H
#define NOPAL_COMPAT_TBB_NULL_MUTEX_H

// Programs rely on what oneTBB's header includes.
#include <atomic>
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>

#include "detail/scoped_lock.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Has the interface of a mutex, for code that needs none.
class null_mutex {
public:
  using scoped_lock = nopal_detail::unique_scoped_lock<null_mutex>;
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = true;
  static constexpr bool is_fair_mutex = true;

  constexpr null_mutex() noexcept = default;
  null_mutex(const null_mutex&) = delete;
  null_mutex& operator=(const null_mutex&) = delete;
  ~null_mutex() = default;

  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

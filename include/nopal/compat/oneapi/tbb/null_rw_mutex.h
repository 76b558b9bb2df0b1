// A mutex of readers and writers that locks nothing.
#ifndef NOPAL_COMPAT_TBB_NULL_RW_MUTEX_H
#define NOPAL_COMPAT_TBB_NULL_RW_MUTEX_H

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

/// Has the interface of a mutex of readers and writers, for code that needs none.
class null_rw_mutex {
public:
  using scoped_lock = nopal_detail::shared_scoped_lock<null_rw_mutex>;
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = true;
  static constexpr bool is_fair_mutex = true;

  constexpr null_rw_mutex() noexcept = default;
  null_rw_mutex(const null_rw_mutex&) = delete;
  null_rw_mutex& operator=(const null_rw_mutex&) = delete;
  ~null_rw_mutex() = default;

  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
  void lock_shared() {}
  bool try_lock_shared() { return true; }
  void unlock_shared() {}
  bool upgrade() { return true; }
  void downgrade() {}
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

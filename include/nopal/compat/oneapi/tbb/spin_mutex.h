// A mutex for short sections.
#ifndef NOPAL_COMPAT_TBB_SPIN_MUTEX_H
#define NOPAL_COMPAT_TBB_SPIN_MUTEX_H

// Programs rely on what oneTBB's header includes.
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>

#include "detail/lock.h"
#include "detail/scoped_lock.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Waits by spinning, and after a while by letting other threads run. Neither fair nor recursive,
/// one byte large. What of `mutex` is said of waits holds for it too.
class spin_mutex {
public:
  using scoped_lock = nopal_detail::unique_scoped_lock<spin_mutex>;
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  constexpr spin_mutex() noexcept = default;
  spin_mutex(const spin_mutex&) = delete;
  spin_mutex& operator=(const spin_mutex&) = delete;
  ~spin_mutex() = default;

  void lock() { lock_.lock(); }
  bool try_lock() { return lock_.try_lock(); }
  void unlock() { lock_.unlock(); }

private:
  nopal_detail::tiny_lock lock_;
};

/// The same: no section is speculated on.
using speculative_spin_mutex = spin_mutex;

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

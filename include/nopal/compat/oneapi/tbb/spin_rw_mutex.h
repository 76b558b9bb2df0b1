// A mutex of many readers or one writer.
#ifndef NOPAL_COMPAT_TBB_SPIN_RW_MUTEX_H
#define NOPAL_COMPAT_TBB_SPIN_RW_MUTEX_H

#include <atomic>

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

/// Readers together or one writer, who goes first once it waits. Waits as spin_mutex does, with the
/// same rules.
class spin_rw_mutex {
public:
  using scoped_lock = nopal_detail::shared_scoped_lock<spin_rw_mutex>;
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  constexpr spin_rw_mutex() noexcept = default;
  spin_rw_mutex(const spin_rw_mutex&) = delete;
  spin_rw_mutex& operator=(const spin_rw_mutex&) = delete;
  ~spin_rw_mutex() = default;

  // Each taking acquires what the releases of unlock() and unlock_shared() made visible; the flag
  // of waiting writers orders nothing.
  void lock() {
    nopal_detail::backoff pause;
    while (!try_lock()) {
      state_.fetch_or(writer_waits, std::memory_order_relaxed);
      pause.wait();
    }
  }
  bool try_lock() {
    unsigned seen = state_.load(std::memory_order_relaxed);
    if ((seen & ~writer_waits) != 0 ||
        !state_.compare_exchange_strong(seen, writer, std::memory_order_acquire, std::memory_order_relaxed)) {
      return false;
    }
    nopal_detail::note_lock(this);
    return true;
  }
  void unlock() {
    nopal_detail::note_unlock(this);
    state_.fetch_and(writer_waits, std::memory_order_release);
  }

  void lock_shared() {
    nopal_detail::backoff pause;
    while (!try_lock_shared()) {
      pause.wait();
    }
  }
  bool try_lock_shared() {
    unsigned seen = state_.load(std::memory_order_relaxed);
    while ((seen & (writer | writer_waits)) == 0) {
      if (state_.compare_exchange_weak(seen, seen + reader, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        nopal_detail::note_shared_lock(this);
        return true;
      }
    }
    return false;
  }
  void unlock_shared() {
    nopal_detail::note_unlock(this);
    state_.fetch_sub(reader, std::memory_order_release);
  }

  /// For the only lock of a reader. False if others wrote before it got to.
  bool upgrade() {
    unsigned alone = reader;
    if (state_.compare_exchange_strong(alone, writer, std::memory_order_acq_rel) ||
        (alone == (reader | writer_waits) &&
         state_.compare_exchange_strong(alone, writer | writer_waits, std::memory_order_acq_rel))) {
      nopal_detail::note_unlock(this);
      nopal_detail::note_lock(this);
      return true;
    }
    unlock_shared();
    lock();
    return false;
  }
  void downgrade() {
    nopal_detail::note_unlock(this);
    nopal_detail::note_shared_lock(this);
    state_.fetch_add(reader - writer, std::memory_order_acq_rel);
  }

private:
  static constexpr unsigned writer = 1;
  static constexpr unsigned writer_waits = 2;
  static constexpr unsigned reader = 4;  // one of them; their number is in the higher bits
  std::atomic<unsigned> state_{0};
};

using speculative_spin_rw_mutex = spin_rw_mutex;

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

// A fair mutex.
#ifndef NOPAL_COMPAT_TBB_QUEUING_MUTEX_H
#define NOPAL_COMPAT_TBB_QUEUING_MUTEX_H

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

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Serves who waits in the order of arrival; each spins on a word of its own lock. Not recursive.
/// As with spin_mutex, nothing that forks belongs inside.
class queuing_mutex {
public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = true;

  constexpr queuing_mutex() noexcept = default;
  queuing_mutex(const queuing_mutex&) = delete;
  queuing_mutex& operator=(const queuing_mutex&) = delete;
  ~queuing_mutex() = default;

  /// A place in the queue.
  class scoped_lock {
  public:
    scoped_lock() = default;
    explicit scoped_lock(queuing_mutex& mutex) { acquire(mutex); }
    scoped_lock(const scoped_lock&) = delete;
    scoped_lock& operator=(const scoped_lock&) = delete;
    ~scoped_lock() {
      if (mutex_ != nullptr) {
        release();
      }
    }

    void acquire(queuing_mutex& mutex) {
      wait_for(mutex);
      nopal_detail::note_lock(&mutex);
    }
    bool try_acquire(queuing_mutex& mutex) {
      scoped_lock* nobody = nullptr;
      next_.store(nullptr, std::memory_order_relaxed);
      if (!mutex.last_.compare_exchange_strong(nobody, this, std::memory_order_acq_rel)) {
        return false;
      }
      mutex_ = &mutex;
      nopal_detail::note_lock(&mutex);
      return true;
    }
    void release() {
      queuing_mutex& mutex = *mutex_;
      nopal_detail::note_unlock(&mutex);
      mutex_ = nullptr;
      scoped_lock* next = next_.load(std::memory_order_acquire);
      if (next == nullptr) {
        scoped_lock* self = this;
        // Release pairs with the exchange of whoever finds nobody.
        if (mutex.last_.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel)) {
          return;
        }
        // Somebody is between its exchange and its store.
        nopal_detail::backoff pause;
        while ((next = next_.load(std::memory_order_acquire)) == nullptr) {
          pause.wait();
        }
      }
      next->served_.store(true, std::memory_order_release);
    }

  private:
    void wait_for(queuing_mutex& mutex) {
      mutex_ = &mutex;
      next_.store(nullptr, std::memory_order_relaxed);
      served_.store(false, std::memory_order_relaxed);
      // Release: this place is whole for who comes next. Acquire: so is that of who came before, or
      // what the last holder did.
      scoped_lock* const before = mutex.last_.exchange(this, std::memory_order_acq_rel);
      if (before == nullptr) {
        return;
      }
      // Pairs with the load in release().
      before->next_.store(this, std::memory_order_release);
      nopal_detail::backoff pause;
      // Pairs with the store at the end of release().
      while (!served_.load(std::memory_order_acquire)) {
        pause.wait();
      }
    }

    queuing_mutex* mutex_ = nullptr;
    std::atomic<scoped_lock*> next_{nullptr};
    std::atomic<bool> served_{false};
  };

private:
  std::atomic<scoped_lock*> last_{nullptr};
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

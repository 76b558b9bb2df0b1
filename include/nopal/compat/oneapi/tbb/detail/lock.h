// A lock for a few instructions, one byte large.
#ifndef NOPAL_COMPAT_TBB_DETAIL_LOCK_H
#define NOPAL_COMPAT_TBB_DETAIL_LOCK_H

#include <sched.h>

#include <atomic>

#include <nopal/detail/machine.h>

#include "config.h"
#ifdef NOPAL_CHECKED
#include <nopal/detail/check.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// What a checked program notes of locks; nothing in others.
#ifdef NOPAL_CHECKED
inline void note_lock(const void* lock) noexcept { nopal_check_lock(lock); }
inline void note_shared_lock(const void* lock) noexcept { nopal_check_lock_shared(lock); }
inline void note_unlock(const void* lock) noexcept { nopal_check_unlock(lock); }
#else
inline void note_lock(const void* /*lock*/) noexcept {}
inline void note_shared_lock(const void* /*lock*/) noexcept {}
inline void note_unlock(const void* /*lock*/) noexcept {}
#endif

/// Waits for a moment: longer each time, and after some lets others run.
class backoff {
public:
  void wait() noexcept {
    if (rounds_ <= most_rounds) {
      for (int left = rounds_; left != 0; --left) {
        NOPAL_DETAIL_PAUSE();
      }
      rounds_ *= 2;
    } else {
      sched_yield();
    }
  }

private:
  static constexpr int most_rounds = 32;
  int rounds_ = 1;
};

class tiny_lock {
public:
  // Taking it acquires what the release of unlock() made visible.
  void lock() noexcept {
    backoff pause;
    while (locked_.exchange(true, std::memory_order_acquire)) {
      do {
        pause.wait();
      } while (locked_.load(std::memory_order_relaxed));
    }
    note_lock(this);
  }
  bool try_lock() noexcept {
    if (locked_.load(std::memory_order_relaxed) || locked_.exchange(true, std::memory_order_acquire)) {
      return false;
    }
    note_lock(this);
    return true;
  }
  void unlock() noexcept {
    note_unlock(this);
    locked_.store(false, std::memory_order_release);
  }

private:
  std::atomic<bool> locked_{false};
};

template <class Lock>
class lock_guard {
public:
  explicit lock_guard(Lock& lock) : lock_(lock) { lock_.lock(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;
  ~lock_guard() { lock_.unlock(); }

private:
  Lock& lock_;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

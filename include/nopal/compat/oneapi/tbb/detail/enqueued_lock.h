// How threads that run what is enqueued wait for it.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_LOCK_H
#define NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_LOCK_H

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <ctime>

#include "lock.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

// Some libraries write null pointers as zeroes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
/// As a mutex begins that is held for some instructions: where the system has such, who finds it taken looks a few times before it sleeps.
/// All zeroes is PTHREAD_MUTEX_INITIALIZER on Linux.
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
inline constexpr pthread_mutex_t short_mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#else
inline constexpr pthread_mutex_t short_mutex = {};
#endif
#pragma GCC diagnostic pop

class enqueued_guard {
public:
  explicit enqueued_guard(pthread_mutex_t& mutex) noexcept : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  enqueued_guard(const enqueued_guard&) = delete;
  enqueued_guard& operator=(const enqueued_guard&) = delete;
  ~enqueued_guard() { pthread_mutex_unlock(&mutex_); }

private:
  pthread_mutex_t& mutex_;
};

/// Whether some task comes within some ten microseconds.
inline bool comes_in_a_moment(const std::atomic<std::size_t>& tasks) noexcept {
  constexpr int most_looks = 100;
  backoff pause;
  for (int look = 0; look != most_looks; ++look) {
    // Relaxed: the lock, which comes next, orders it.
    if (tasks.load(std::memory_order_relaxed) != 0) {
      return true;
    }
    pause.wait();
  }
  return false;
}

/// Until it is told, or for a millisecond.
inline void wait_a_moment(pthread_cond_t& told, pthread_mutex_t& mutex) noexcept {
  constexpr long moment_ns = 1'000'000;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += moment_ns;
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  pthread_cond_timedwait(&told, &mutex, &until);
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

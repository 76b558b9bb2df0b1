// How threads wait for a oneTBB bounded queue: see theirs.h.
#ifndef NOPAL_COMPAT_TBB_DETAIL_THEIRS_QUEUE_H
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_QUEUE_H

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include <nopal/waiting.hpp>

#include "theirs.h"

namespace NOPAL_TBB_THEIRS::detail::r1 {

/// Those who wait for an item, or for room. Each queue has one of both kinds, behind its own memory.
class concurrent_monitor {
public:
  /// Returns when `waits()` is false, and throws what that throws.
  ///
  /// A waiter is counted, then looks; who changes the queue has changed it before it looks for waiters. With a fence
  /// between the two on both sides one of them sees the other, so no wake-up is lost.
  void wait(const d1::delegate_base& waits) {
    const waiting_one counted(waiting_);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // with the one in wake()
    if (!waits()) {
      return;
    }
    // The worker's place is another thread's meanwhile, so what fills the queue gets on.
    ::nopal::blocking([&] {
      std::unique_lock<std::mutex> lock(mutex_);
      while (waits()) {
        changed_.wait(lock);
      }
    });
  }

  void wake() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // with the one in wait()
    if (waiting_.load(std::memory_order_relaxed) != 0) {  // relaxed: the fences order it
      {
        // Who has looked under the lock is asleep by the time that this one has it.
        const std::lock_guard<std::mutex> lock(mutex_);
      }
      changed_.notify_all();
    }
  }

private:
  class waiting_one {
  public:
    explicit waiting_one(std::atomic<std::size_t>& count) noexcept : count_(count) {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
    waiting_one(const waiting_one&) = delete;
    waiting_one& operator=(const waiting_one&) = delete;
    ~waiting_one() { count_.fetch_sub(1, std::memory_order_relaxed); }

  private:
    std::atomic<std::size_t>& count_;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::size_t> waiting_{0};
};

inline std::uint8_t* allocate_bounded_queue_rep(std::size_t size) {
  auto* const memory =
      static_cast<std::uint8_t*>(cache_aligned_allocate(size + 2 * sizeof(concurrent_monitor)));
  for (std::size_t k = 0; k < 2; ++k) {
    ::new (memory + size + k * sizeof(concurrent_monitor)) concurrent_monitor;
  }
  return memory;
}

inline void deallocate_bounded_queue_rep(std::uint8_t* memory, std::size_t size) {
  auto* const monitors = reinterpret_cast<concurrent_monitor*>(memory + size);
  monitors[0].~concurrent_monitor();
  monitors[1].~concurrent_monitor();
  cache_aligned_deallocate(memory);
}

inline void abort_bounded_queue_monitors(concurrent_monitor* monitors) {
  monitors[0].wake();
  monitors[1].wake();
}

inline void notify_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t which, std::size_t) {
  monitors[which].wake();
}

inline void wait_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t which, std::ptrdiff_t,
                                       d1::delegate_base& waits) {
  monitors[which].wait(waits);
}

}  // namespace NOPAL_TBB_THEIRS::detail::r1

#endif

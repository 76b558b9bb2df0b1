// Steals that surely happen, by means that order nothing: relaxed, so that ThreadSanitizer learns of no order here.
#ifndef NOPAL_TESTS_SANITIZERS_FORCED_HPP
#define NOPAL_TESTS_SANITIZERS_FORCED_HPP

#include <nopal/nopal.hpp>

#include <atomic>
#include <thread>

using flag = std::atomic<bool>;

inline void set(flag& which) { which.store(true, std::memory_order_relaxed); }

/// In a child: returns when the continuation runs, which a thief must have taken.
inline void wait_for(const flag& which) {
  while (nopal::workers() > 1 && !which.load(std::memory_order_relaxed)) std::this_thread::yield();
}

#endif

// Thieves that are busy until a moment that a test of latent forks chooses, and hungry then.
#ifndef NOPAL_TESTS_SUPPORT_BUSY_THIEVES_HPP
#define NOPAL_TESTS_SUPPORT_BUSY_THIEVES_HPP

#include <nopal/nopal.hpp>

#include <sched.h>

#include <atomic>

namespace support {

inline void wait_until(const std::atomic<bool>& set) {
  while (!set.load(std::memory_order_acquire)) sched_yield();
}

/// Calls `body` while `thieves` workers have each stolen a strand that waits for `release`.
template <class Body>
void beside_busy_thieves(int thieves, const std::atomic<bool>& release, const Body& body) {
  if (thieves == 0) {
    // A question that was sent before its thief found work is answered when a system call ends; it may have the next fork
    // take the slow path, as the outermost fork of a thread does. That fork is this one.
    sched_yield();
    nopal::scope s;
    s.fork([&body] { body(); });
    s.join();
    return;
  }
  std::atomic<bool> taken{false};
  nopal::scope s;
  s.fork([&taken, &release, &body, thieves] {
    wait_until(taken);
    beside_busy_thieves(thieves - 1, release, body);
  });
  taken.store(true, std::memory_order_release);
  wait_until(release);
  s.join();
}

/// Calls `body(release)`, whose forks stay latent until it sets `release` and thieves are hungry. Without thieves it is just
/// called.
template <class Body>
void before_thieves_are_hungry(const Body& body) {
  std::atomic<bool> release{false};
  beside_busy_thieves(nopal::workers() - 1, release, [&body, &release] { body(release); });
}

}  // namespace support

#endif

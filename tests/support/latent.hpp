// What tests of latent forks are made of: thieves that are busy until a moment that the test chooses, and hungry then.
#ifndef NOPAL_TESTS_SUPPORT_LATENT_HPP
#define NOPAL_TESTS_SUPPORT_LATENT_HPP

#include <nopal/nopal.hpp>

#include <dlfcn.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "support/strands.hpp"

namespace support {

/// Whether forks of the file that includes this are latent: the compiler can do it, the C library finds tables without a
/// lock, and the environment does not ask for eager ones.
inline bool latent_in(bool compiled_so) {
  const char* const chosen = std::getenv("NOPAL_FORKS");
  return compiled_so && dlsym(RTLD_DEFAULT, "_dl_find_object") != nullptr &&
         (chosen == nullptr || std::strcmp(chosen, "eager") != 0);
}
#if NOPAL_HAS_LATENT_FORKS
inline constexpr bool compiled_latent = true;
#else
inline constexpr bool compiled_latent = false;
#endif

inline std::uint64_t promotions() { return nopal::stats().total.promotions; }
inline std::uint64_t signals_sent() { return nopal::stats().total.signals_sent; }

inline void wait_until(const flag& set) {
  while (!set.load(std::memory_order_acquire)) sched_yield();
}

/// Calls `body` while `thieves` workers have each stolen a strand that waits for `release`.
template <class Body>
void beside_busy_thieves(int thieves, const flag& release, const Body& body) {
  if (thieves == 0) {
    // A question that was sent before its thief found work is answered when a system call ends; it may have the next fork
    // take the slow path, as the outermost fork of a thread does. That fork is this one.
    sched_yield();
    nopal::scope s;
    s.fork([&body] { body(); });
    s.join();
    return;
  }
  flag taken{false};
  nopal::scope s;
  s.fork([&taken, &release, &body, thieves] {
    wait_until(taken);
    beside_busy_thieves(thieves - 1, release, body);
  });
  set(taken);
  wait_until(release);
  s.join();
}

/// Calls `body(release)`, whose forks stay latent until it sets `release` and thieves are hungry. Without thieves it is just
/// called.
template <class Body>
void before_thieves_are_hungry(const Body& body) {
  flag release{false};
  beside_busy_thieves(nopal::workers() - 1, release, [&body, &release] { body(release); });
}

}  // namespace support

#endif

// A 16-byte word that changes at once, on processors that change no more than 8 bytes so.
#ifndef NOPAL_ARCH_RISCV64_WORD128_HPP
#define NOPAL_ARCH_RISCV64_WORD128_HPP

#include <sched.h>

#include <cstdint>

#include <nopal/version.hpp>

#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

// Whoever changes the word takes it by its lower half: the upper part of that (`split` of a deque, which
// never gets that far) holds `taken` for a few instructions. Anyone else waits. An owner that reads just
// that part finds every entry below it, and comes to ask for the whole word.
//
// The upper half is written before the lower is given free. So who reads the upper half first and then a
// lower one that is free has seen halves that may be of different times, but an upper one no later than
// the lower, as with two loads of a word that does change at once.

inline constexpr std::uint64_t taken = std::uint64_t{0x7fffffff} << 32;

inline bool is_taken(std::uint64_t low) noexcept { return low >> 32 == taken >> 32; }

/// Whether the lower half is being changed; has waited a little then.
inline bool wait_if_changing(std::uint64_t low) noexcept {
  if (__builtin_expect(static_cast<long>(is_taken(low)), 0) == 0 || NOPAL_FAULT("change not heeded")) {
    return false;
  }
  // The thread that changes it may wait for this processor.
  sched_yield();
  return true;
}

/// In a new process: ends the change of a thread that is not in it, whatever it had done.
inline void end_change(void* where) noexcept {
  auto* const low = static_cast<std::uint64_t*>(where);
  if (is_taken(*low)) {
    *low = (*low & 0xffffffffU) | *low << 32;
  }
}

/// Replaces the 16-byte aligned word at `where` if it equals `expected`; a full barrier either way.
/// Otherwise `expected` is set to what was there.
inline bool compare_exchange_16(void* where, std::uint64_t (&expected)[2], std::uint64_t low,
                                std::uint64_t high) {
  auto* const halves = static_cast<std::uint64_t*>(where);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (;;) {
    std::uint64_t seen = expected[0];
    // Acquire pairs with the release below: what earlier changes wrote to the upper half.
    if (__atomic_compare_exchange_n(&halves[0], &seen, (seen & 0xffffffffU) | taken, false,
                                    NOPAL_FAULT_ORDER("taken relaxed", __ATOMIC_ACQUIRE), __ATOMIC_RELAXED)) {
      const std::uint64_t seen_high = __atomic_load_n(&halves[1], __ATOMIC_RELAXED);
      const bool done = seen_high == expected[1];
      if (done) {
        // Whoever sees this and then looks at the lower half finds it taken, or what was written to it:
        // the fence pairs with the acquiring load of this half.
        NOPAL_FAULT_OMITS("upper half without release", __atomic_thread_fence(__ATOMIC_RELEASE));
        NOPAL_FAULT_OMITS("lower half first", __atomic_store_n(&halves[1], high, __ATOMIC_RELAXED));
      }
      __atomic_store_n(&halves[0], done ? low : seen, NOPAL_FAULT_ORDER("freed relaxed", __ATOMIC_RELEASE));
      NOPAL_FAULT_DOES("lower half first", if (done) __atomic_store_n(&halves[1], high, __ATOMIC_RELAXED));
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
      expected[1] = seen_high;
      return done;
    }
    if (wait_if_changing(seen)) {
      continue;
    }
    // As a first look at the word.
    const std::uint64_t seen_high = __atomic_load_n(&halves[1], __ATOMIC_ACQUIRE);
    seen = __atomic_load_n(&halves[0], __ATOMIC_ACQUIRE);
    if (!wait_if_changing(seen)) {
      expected[0] = seen;
      expected[1] = seen_high;
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
      return false;
    }
  }
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

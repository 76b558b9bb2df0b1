// The 16-byte word that thieves and owner change by compare-and-exchange.
#ifndef NOPAL_DEQUE_SHARED_WORD_HPP
#define NOPAL_DEQUE_SHARED_WORD_HPP

#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/detail/noise.h>
#include <nopal/version.hpp>

#include "arch/arch.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace deque {

inline constexpr std::uint64_t raising = 1;
inline constexpr std::uint64_t one_version = 2;

struct shared_word {
  std::int32_t top;
  std::int32_t split;
  std::uint64_t version_and_raising;
};

inline void* word_address(nopal_deque& deque) { return &deque.top; }

inline shared_word load(const nopal_deque& deque) {
  shared_word word;
  // Two loads, so the halves may be of different times; whoever acts on them confirms both by
  // exchange. The version first (acquire): slots are read under a version at least as old as their
  // contents.
  std::uint64_t both;
  do {
    word.version_and_raising = __atomic_load_n(&deque.version_and_raising, __ATOMIC_ACQUIRE);
    both = __atomic_load_n(reinterpret_cast<const std::uint64_t*>(&deque.top), __ATOMIC_ACQUIRE);
  } while (arch::wait_if_changing(both));
  word.top = static_cast<std::int32_t>(both & 0xffffffffU);
  word.split = static_cast<std::int32_t>(both >> 32);
  return word;
}

inline std::uint64_t low_half(const shared_word& word) {
  return static_cast<std::uint32_t>(word.top) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(word.split)) << 32;
}

/// One step of the word, or a fresh look at it. A full barrier.
inline bool exchange(nopal_deque& deque, shared_word& expected, const shared_word& desired) {
  NOPAL_DISTURB();
  std::uint64_t seen[2] = {low_half(expected), expected.version_and_raising};
  if (arch::compare_exchange_16(word_address(deque), seen, low_half(desired), desired.version_and_raising)) {
    return true;
  }
  expected = {static_cast<std::int32_t>(seen[0] & 0xffffffffU), static_cast<std::int32_t>(seen[0] >> 32),
              seen[1]};
  return false;
}

inline std::uint64_t next_version(std::uint64_t version_and_raising) {
  return (version_and_raising & ~raising) + one_version;
}

}  // namespace deque
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

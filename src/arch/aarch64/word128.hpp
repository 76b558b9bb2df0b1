// A 16-byte word that changes at once.
#ifndef NOPAL_ARCH_AARCH64_WORD128_HPP
#define NOPAL_ARCH_AARCH64_WORD128_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// Nobody sees such a word while it changes, nor leaves it so.
constexpr bool wait_if_changing(std::uint64_t /*low*/) noexcept { return false; }
constexpr void end_change(void* /*where*/) noexcept {}

/// Replaces the 16-byte aligned word at `where` if it equals `expected`; a full barrier either way.
/// Otherwise `expected` is set to what was there.
inline bool compare_exchange_16(void* where, std::uint64_t (&expected)[2], std::uint64_t low,
                                std::uint64_t high) {
  std::uint64_t seen_low;
  std::uint64_t seen_high;
  std::uint64_t new_low;
  std::uint64_t new_high;
  std::uint32_t failed;
  // In every AArch64 processor, where the compilers' builtin needs a flag or a library. A pair is read at once
  // only if the store to it succeeds, so what was there is stored again where it was not expected. Acquire and
  // release alone would let later loads pass the store, and earlier stores the load: hence the barriers.
  asm volatile("dmb ish\n\t"
               "1: ldxp %0, %1, %5\n\t"
               "cmp %0, %6\n\t"
               "ccmp %1, %7, #0, eq\n\t"
               "csel %2, %8, %0, eq\n\t"
               "csel %3, %9, %1, eq\n\t"
               "stxp %w4, %2, %3, %5\n\t"
               "cbnz %w4, 1b\n\t"
               "dmb ish"
               : "=&r"(seen_low), "=&r"(seen_high), "=&r"(new_low), "=&r"(new_high), "=&r"(failed),
                 "+Q"(*static_cast<char(*)[16]>(where))
               : "r"(expected[0]), "r"(expected[1]), "r"(low), "r"(high)
               : "memory", "cc");
  const bool done = seen_low == expected[0] && seen_high == expected[1];
  expected[0] = seen_low;
  expected[1] = seen_high;
  return done;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// A 16-byte word that changes at once.
#ifndef NOPAL_ARCH_X86_64_WORD128_HPP
#define NOPAL_ARCH_X86_64_WORD128_HPP

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
  bool done;
  // cmpxchg16b is in every x86-64 processor since 2006; the compilers' builtin would need a flag or
  // a library.
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(done), "+m"(*static_cast<char(*)[16]>(where)), "+a"(expected[0]), "+d"(expected[1])
               : "b"(low), "c"(high)
               : "memory");
  return done;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

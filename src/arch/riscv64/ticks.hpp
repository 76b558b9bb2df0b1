// The processor's own clock, for builds that measure the library.
#ifndef NOPAL_ARCH_RISCV64_TICKS_HPP
#define NOPAL_ARCH_RISCV64_TICKS_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Goes on at a constant rate, alike on all processors. That is as slow as 1 MHz on some.
[[nodiscard]] inline std::uint64_t processor_ticks() noexcept {
  std::uint64_t ticks;
  // Volatile: it reads a machine register that changes.
  asm volatile("rdtime %0" : "=r"(ticks));
  return ticks;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

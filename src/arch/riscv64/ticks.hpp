// The processor's own clock, for builds that measure the library.
#ifndef NOPAL_ARCH_RISCV64_TICKS_HPP
#define NOPAL_ARCH_RISCV64_TICKS_HPP

#include <cstdint>

#include <nopal/detail/riscv64/machine.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Goes on at a constant rate, alike on all processors: 1 to 25 MHz, which no instruction tells. What the library
/// compares with constants has 2 to 4 GHz, as x86-64's clock has; so it is multiplied, which is right for 10 MHz, and
/// within some ten times else.
[[nodiscard]] inline std::uint64_t processor_ticks() noexcept {
  std::uint64_t ticks;
  NOPAL_DETAIL_READ_TICKS(ticks);
  return ticks;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// The processor's own clock, for builds that measure the library.
#ifndef NOPAL_ARCH_AARCH64_TICKS_HPP
#define NOPAL_ARCH_AARCH64_TICKS_HPP

#include <cstdint>

#include <nopal/detail/aarch64/machine.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Goes on at a constant rate, alike on all processors. The counter has some 25 MHz on older ones and 1 GHz on
/// newer; what the library compares with constants has 2 to 4 GHz everywhere, as x86-64's clock has. So it is
/// multiplied by a power of two, and goes on in steps of that.
[[nodiscard]] inline std::uint64_t processor_ticks() noexcept {
  std::uint64_t ticks;
  NOPAL_DETAIL_READ_TICKS(ticks);
  return ticks;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

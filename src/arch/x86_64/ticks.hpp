// The processor's own clock, for builds that measure the library.
#ifndef NOPAL_ARCH_X86_64_TICKS_HPP
#define NOPAL_ARCH_X86_64_TICKS_HPP

#include <cstdint>

#include <nopal/detail/x86_64/machine.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Goes on at a constant rate, alike on all processors. About 10 ns.
[[nodiscard]] inline std::uint64_t processor_ticks() noexcept {
  std::uint64_t ticks;
  NOPAL_DETAIL_READ_TICKS(ticks);
  return ticks;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

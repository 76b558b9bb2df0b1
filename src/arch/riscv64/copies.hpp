// Which copy of the library the dynamic linker has bound its names to. In assembly, since a
// compiler that sees a definition takes it for the one that is meant.
#ifndef NOPAL_ARCH_RISCV64_COPIES_HPP
#define NOPAL_ARCH_RISCV64_COPIES_HPP

#include <cstddef>

#include <nopal/detail/machine.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// The thread-local offset of nopal_current, by which headers find the thread's deque: in the copy
/// of the library that the name is bound to.
[[nodiscard]] inline std::ptrdiff_t offset_of_current() noexcept {
  std::ptrdiff_t offset;
  NOPAL_DETAIL_READ_OFFSET(offset, "nopal_current");
  return offset;
}

/// The same in this copy.
[[nodiscard]] inline std::ptrdiff_t offset_of_own_current() noexcept {
  std::ptrdiff_t offset;
  NOPAL_DETAIL_READ_OFFSET(offset, "nopal_own_current");
  return offset;
}

/// The function with this name that user code calls.
using build_function = const char* (*)();
[[nodiscard]] inline build_function bound_build() noexcept {
  build_function function;
  __asm__("1: auipc %0, %%got_pcrel_hi(nopal_build)\n\tld %0, %%pcrel_lo(1b)(%0)" : "=r"(function));
  return function;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// What a signal handler has of the code that it interrupted, as Linux lays it out.
#ifndef NOPAL_ARCH_RISCV64_INTERRUPTED_HPP
#define NOPAL_ARCH_RISCV64_INTERRUPTED_HPP

#include <ucontext.h>

#include <cstdint>

#include <nopal/version.hpp>

#include "arch/riscv64/continuation.hpp"
#include "arch/riscv64/unwinding.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

inline registers registers_of(const ucontext_t& interrupted) noexcept {
  const auto& general = interrupted.uc_mcontext.__gregs;
  const auto& floating = interrupted.uc_mcontext.__fpregs.__d.__f;
  registers result = {};
  // The place of x0, which is always zero, has where it was interrupted.
  result.ip = general[0];
  result.sp = general[2];
  result.fp = general[8];
  // s1 is x9 and s2 to s11 are x18 to x27; the same of the others.
  result.s[0] = general[9];
  result.fs[0] = floating[8];
  result.fs[1] = floating[9];
  for (int i = 0; i != 10; ++i) {
    result.s[1 + i] = general[18 + i];
    result.fs[2 + i] = floating[18 + i];
  }
  return result;
}

/// As float_control has it.
inline std::uint64_t float_control_of(const ucontext_t& interrupted) noexcept {
  constexpr unsigned mode_shift = 5;
  constexpr unsigned mode_mask = 7;
  return interrupted.uc_mcontext.__fpregs.__d.__fcsr >> mode_shift & mode_mask;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// What a signal handler has of the code that it interrupted, as Linux lays it out.
#ifndef NOPAL_ARCH_X86_64_INTERRUPTED_HPP
#define NOPAL_ARCH_X86_64_INTERRUPTED_HPP

#include <ucontext.h>

#include <cstdint>

#include <nopal/version.hpp>

#include "arch/x86_64/continuation.hpp"
#include "arch/x86_64/unwinding.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

inline registers registers_of(const ucontext_t& interrupted) noexcept {
  const auto& saved = interrupted.uc_mcontext.gregs;
  const auto number = [&saved](int which) { return static_cast<std::uint64_t>(saved[which]); };
  return {number(REG_RIP), number(REG_RSP), number(REG_RBX), number(REG_RBP),
          number(REG_R12), number(REG_R13), number(REG_R14), number(REG_R15)};
}

/// As float_control has it.
inline std::uint64_t float_control_of(const ucontext_t& interrupted) noexcept {
  const auto* const saved = interrupted.uc_mcontext.fpregs;
  if (saved == nullptr) {
    return float_control();
  }
  constexpr std::uint32_t sticky_flags = 0x3f;
  return (saved->mxcsr & ~sticky_flags) | static_cast<std::uint64_t>(saved->cwd) << 32;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// What a signal handler has of the code that it interrupted, as Linux lays it out.
#ifndef NOPAL_ARCH_AARCH64_INTERRUPTED_HPP
#define NOPAL_ARCH_AARCH64_INTERRUPTED_HPP

#include <asm/sigcontext.h>
#include <ucontext.h>

#include <cstdint>
#include <cstring>

#include <nopal/version.hpp>

#include "arch/aarch64/continuation.hpp"
#include "arch/aarch64/unwinding.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// The record of the vector registers; null if there is none.
inline const fpsimd_context* vectors_of(const ucontext_t& interrupted) noexcept {
  const unsigned char* at = interrupted.uc_mcontext.__reserved;
  const unsigned char* const end = at + sizeof interrupted.uc_mcontext.__reserved;
  for (;;) {
    const auto* const record = reinterpret_cast<const _aarch64_ctx*>(at);
    if (record->magic == FPSIMD_MAGIC) {
      return reinterpret_cast<const fpsimd_context*>(at);
    }
    if (record->magic == 0 || record->size == 0 || record->size >= static_cast<std::size_t>(end - at)) {
      return nullptr;
    }
    at += record->size;
  }
}

inline registers registers_of(const ucontext_t& interrupted) noexcept {
  const mcontext_t& saved = interrupted.uc_mcontext;
  registers result = {};
  result.ip = saved.pc;
  result.sp = saved.sp;
  result.fp = saved.regs[29];
  std::memcpy(&result.x, &saved.regs[19], sizeof result.x);
  if (const fpsimd_context* const vectors = vectors_of(interrupted)) {
    for (int i = 0; i != 8; ++i) {
      result.d[i] = static_cast<std::uint64_t>(vectors->vregs[8 + i]);
    }
  }
  return result;
}

/// As float_control has it.
inline std::uint64_t float_control_of(const ucontext_t& interrupted) noexcept {
  const fpsimd_context* const vectors = vectors_of(interrupted);
  return vectors == nullptr ? float_control() : vectors->fpcr;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// What a walk of a stack (arch/walks.hpp) would follow on RISC-V. There are no latent forks here yet, so
// nobody walks: every walk ends where it begins.
#ifndef NOPAL_ARCH_RISCV64_UNWINDING_HPP
#define NOPAL_ARCH_RISCV64_UNWINDING_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

#include "arch/riscv64/offsets.h"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// What a call preserves, as it is in one function on the stack. The assembly knows the order.
struct registers {
  std::uint64_t ip;  ///< where the function goes on
  std::uint64_t sp;  ///< there
  std::uint64_t fp;
  std::uint64_t s[11];   ///< s1 to s11
  std::uint64_t fs[12];  ///< fs0 to fs11
};

/// Whether `at` are those of the function that has this frame pointer.
[[nodiscard]] inline bool has_frame_pointer(const registers& at, const void* frame_pointer) noexcept {
  return reinterpret_cast<std::uint64_t>(frame_pointer) == at.fp;
}

/// What an eager fork would have recorded, but for where it goes on.
inline void record(nopal_frame& frame, const registers& at) noexcept {
  frame.call_stack_pointer = reinterpret_cast<void*>(at.sp);
  static_assert(sizeof frame.callee_saved == sizeof at.s + sizeof at.fs);
  __builtin_memcpy(&frame.callee_saved[0], at.s, sizeof at.s);
  __builtin_memcpy(&frame.callee_saved[11], at.fs, sizeof at.fs);
}

static_assert(sizeof(registers) == REGISTERS_BYTES && offsetof(registers, ip) == REGISTERS_IP &&
              offsetof(registers, sp) == REGISTERS_SP && offsetof(registers, fp) == REGISTERS_FP &&
              offsetof(registers, s) == REGISTERS_S1 && offsetof(registers, fs) == REGISTERS_FS0);

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#include "arch/walks.hpp"

#endif

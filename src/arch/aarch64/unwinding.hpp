// What a walk of a stack (arch/walks.hpp) would follow on AArch64. There are no latent forks here yet, so
// nobody walks: every walk ends where it begins.
#ifndef NOPAL_ARCH_AARCH64_UNWINDING_HPP
#define NOPAL_ARCH_AARCH64_UNWINDING_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

#include "arch/aarch64/offsets.h"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// What a call preserves, as it is in one function on the stack. The assembly knows the order.
struct registers {
  std::uint64_t ip;  ///< where the function goes on
  std::uint64_t sp;  ///< there
  std::uint64_t fp;
  std::uint64_t x[10];  ///< x19 to x28
  std::uint64_t d[8];   ///< d8 to d15
};

/// Whether `at` are those of the function that has this frame pointer.
[[nodiscard]] inline bool has_frame_pointer(const registers& at, const void* frame_pointer) noexcept {
  return reinterpret_cast<std::uint64_t>(frame_pointer) == at.fp;
}

/// What an eager fork would have recorded, but for where it goes on.
inline void record(nopal_frame& frame, const registers& at) noexcept {
  frame.call_stack_pointer = reinterpret_cast<void*>(at.sp);
  static_assert(sizeof frame.callee_saved == sizeof at.x + sizeof at.d);
  __builtin_memcpy(&frame.callee_saved[0], at.x, sizeof at.x);
  __builtin_memcpy(&frame.callee_saved[10], at.d, sizeof at.d);
}

static_assert(sizeof(registers) == REGISTERS_BYTES && offsetof(registers, ip) == REGISTERS_IP &&
              offsetof(registers, sp) == REGISTERS_SP && offsetof(registers, fp) == REGISTERS_FP &&
              offsetof(registers, x) == REGISTERS_X19 && offsetof(registers, d) == REGISTERS_D8);

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#include "arch/walks.hpp"

#endif

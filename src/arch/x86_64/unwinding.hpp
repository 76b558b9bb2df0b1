// What a walk of a stack (arch/walks.hpp) follows on x86-64, by the unwind tables of the code on it.
//
// Only what compilers write for ordinary functions is understood, and the tables of latent forks;
// where a walk meets anything else it ends. A step that was worked out once is kept by its return
// address. Nothing here allocates, locks or throws, so a signal handler may walk.
#ifndef NOPAL_ARCH_X86_64_UNWINDING_HPP
#define NOPAL_ARCH_X86_64_UNWINDING_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

#include "arch/x86_64/offsets.h"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// What a call preserves, as it is in one function on the stack. The assembly knows the order.
struct registers {
  std::uint64_t ip;  ///< where the function goes on
  std::uint64_t sp;  ///< there
  std::uint64_t rbx;
  std::uint64_t rbp;
  std::uint64_t r12;
  std::uint64_t r13;
  std::uint64_t r14;
  std::uint64_t r15;
};

/// Whether `at` are those of the function that has this frame pointer.
[[nodiscard]] inline bool has_frame_pointer(const registers& at, const void* frame_pointer) noexcept {
  return reinterpret_cast<std::uint64_t>(frame_pointer) == at.rbp;
}

/// What an eager fork would have recorded, but for where it goes on.
inline void record(nopal_frame& frame, const registers& at) noexcept {
  frame.call_stack_pointer = reinterpret_cast<void*>(at.sp - sizeof(void*));
  frame.callee_saved[0] = reinterpret_cast<void*>(at.rbx);
  frame.callee_saved[1] = reinterpret_cast<void*>(at.r12);
  frame.callee_saved[2] = reinterpret_cast<void*>(at.r13);
  frame.callee_saved[3] = reinterpret_cast<void*>(at.r14);
  frame.callee_saved[4] = reinterpret_cast<void*>(at.r15);
}

static_assert(sizeof(registers) == REGISTERS_BYTES && offsetof(registers, ip) == REGISTERS_IP &&
              offsetof(registers, sp) == REGISTERS_SP && offsetof(registers, rbx) == REGISTERS_RBX &&
              offsetof(registers, rbp) == REGISTERS_RBP && offsetof(registers, r12) == REGISTERS_R12 &&
              offsetof(registers, r13) == REGISTERS_R13 && offsetof(registers, r14) == REGISTERS_R14 &&
              offsetof(registers, r15) == REGISTERS_R15);

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#include "arch/walks.hpp"

#endif

// What setjmp saves, as the GNU C library lays it out: twenty-six words of registers, none of them disguised,
// whether the signal mask was saved, and the mask.
#ifndef NOPAL_ARCH_RISCV64_JUMP_BUFFER_HPP
#define NOPAL_ARCH_RISCV64_JUMP_BUFFER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <nopal/version.hpp>

#include "arch/riscv64/offsets.h"

/// Goes on where the buffer says; setjmp returns `value` there. The signal mask stays.
extern "C" [[noreturn]] void nopal_jump(const void* jump_buffer, int value);

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// The activation that called setjmp. Its frame pointer is one only if it keeps one, as every
/// function that forks does.
struct jump_target {
  char* stack_pointer;
  const void* frame_pointer;
};

inline std::uintptr_t jump_word(const void* jump_buffer, std::size_t offset) noexcept {
  std::uintptr_t word;
  std::memcpy(&word, static_cast<const char*>(jump_buffer) + offset, sizeof word);
  return word;
}

inline jump_target target_of(const void* jump_buffer) noexcept {
  return {reinterpret_cast<char*>(jump_word(jump_buffer, JUMP_SP)),
          reinterpret_cast<const void*>(jump_word(jump_buffer, JUMP_FP))};
}

inline void set_stack_pointer_of(void* jump_buffer, const char* stack_pointer) noexcept {
  std::memcpy(static_cast<char*>(jump_buffer) + JUMP_SP, &stack_pointer, sizeof stack_pointer);
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

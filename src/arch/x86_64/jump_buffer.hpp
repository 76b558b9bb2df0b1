// What setjmp saves, as the GNU C library lays it out: eight words of registers, three of them
// disguised, whether the signal mask was saved, and the mask.
#ifndef NOPAL_ARCH_X86_64_JUMP_BUFFER_HPP
#define NOPAL_ARCH_X86_64_JUMP_BUFFER_HPP

#include <cstdint>
#include <cstring>

#include <nopal/version.hpp>

extern "C" {
/// Goes on where the buffer says; setjmp returns `value` there. The signal mask stays.
[[noreturn]] void nopal_jump(const void* jump_buffer, int value);
}

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

inline constexpr std::size_t jump_buffer_frame_pointer = 1 * sizeof(std::uintptr_t);
inline constexpr std::size_t jump_buffer_stack_pointer = 6 * sizeof(std::uintptr_t);

inline std::uintptr_t disguised(std::uintptr_t word) noexcept {
  // The guard lies in the thread's control block and is the same for all threads.
  asm("{xorq %%fs:0x30, %0\n\trolq $17, %0|xor %0, QWORD PTR fs:0x30\n\trol %0, 17}" : "+r"(word) : : "cc");
  return word;
}

inline std::uintptr_t undisguised(std::uintptr_t word) noexcept {
  asm("{rorq $17, %0\n\txorq %%fs:0x30, %0|ror %0, 17\n\txor %0, QWORD PTR fs:0x30}" : "+r"(word) : : "cc");
  return word;
}

inline std::uintptr_t jump_word(const void* jump_buffer, std::size_t offset) noexcept {
  std::uintptr_t word;
  std::memcpy(&word, static_cast<const char*>(jump_buffer) + offset, sizeof word);
  return undisguised(word);
}

inline jump_target target_of(const void* jump_buffer) noexcept {
  return {reinterpret_cast<char*>(jump_word(jump_buffer, jump_buffer_stack_pointer)),
          reinterpret_cast<const void*>(jump_word(jump_buffer, jump_buffer_frame_pointer))};
}

inline void set_stack_pointer_of(void* jump_buffer, const char* stack_pointer) noexcept {
  const std::uintptr_t word = disguised(reinterpret_cast<std::uintptr_t>(stack_pointer));
  std::memcpy(static_cast<char*>(jump_buffer) + jump_buffer_stack_pointer, &word, sizeof word);
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

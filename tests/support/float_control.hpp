// The control word of floating point, as the processor has it.
#ifndef NOPAL_TESTS_SUPPORT_FLOAT_CONTROL_HPP
#define NOPAL_TESTS_SUPPORT_FLOAT_CONTROL_HPP

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace support {

#if defined(__x86_64__)
inline constexpr std::uint64_t flush_to_zero = 0x8000;
/// Modes and traps, without what has happened.
inline std::uint64_t float_control() { return _mm_getcsr() & ~0x3fU; }
inline void set_float_control(std::uint64_t word) { _mm_setcsr(static_cast<unsigned>(word)); }
#elif defined(__aarch64__)
inline constexpr std::uint64_t flush_to_zero = 1U << 24;
inline std::uint64_t float_control() {
  std::uint64_t word;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void set_float_control(std::uint64_t word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#elif defined(__riscv)
/// It has no such mode.
inline constexpr std::uint64_t flush_to_zero = 0;
inline std::uint64_t float_control() {
  std::uint64_t word;
  asm volatile("frrm %0" : "=r"(word));
  return word;
}
inline void set_float_control(std::uint64_t word) { asm volatile("fsrm %0" : : "r"(word)); }
#endif

}  // namespace support

#endif

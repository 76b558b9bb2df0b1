/* What a processor has of floating-point modes beside rounding, bits 2 and up of a generated program's mode; and its longest type. */
#ifndef NOPAL_TESTS_PROGRAMS_MODES_H
#define NOPAL_TESTS_PROGRAMS_MODES_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

/* Flush-to-zero, denormals-are-zero, and the precision of the x87 unit. */
static inline __attribute__((unused)) void set_further_modes(unsigned mode) {
  static const unsigned short precisions[] = {0x300, 0x200, 0x000, 0x300};
  unsigned short control;
  _mm_setcsr((_mm_getcsr() & ~0x8040U) | ((mode & 4) != 0 ? 0x8000U : 0) | ((mode & 8) != 0 ? 0x40U : 0));
  __asm__ volatile("fnstcw %0" : "=m"(control));
  control = (unsigned short)((control & ~0x300) | precisions[mode >> 4 & 3]);
  __asm__ volatile("fldcw %0" : : "m"(control));
}

static inline __attribute__((unused)) uint64_t control_words(void) {
  unsigned short control;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  return (uint64_t)(control & 0xf3fU) << 32 | (_mm_getcsr() & ~0x3fU);
}
#elif defined(__aarch64__)
#define __float128 long double

static inline __attribute__((unused)) uint64_t control_words(void) {
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}

/* Flush-to-zero, default NaNs. */
static inline __attribute__((unused)) void set_further_modes(unsigned mode) {
  const uint64_t mine = UINT64_C(3) << 24;
  const uint64_t word = (control_words() & ~mine) | ((mode & 4) != 0 ? UINT64_C(1) << 24 : 0) |
                        ((mode & 8) != 0 ? UINT64_C(1) << 25 : 0);
  __asm__ volatile("msr fpcr, %0" : : "r"(word));
}
#else
#define __float128 long double

/* None. */
static inline __attribute__((unused)) uint64_t control_words(void) { return 0; }
static inline __attribute__((unused)) void set_further_modes(unsigned mode) { (void)mode; }
#endif

#endif

/* What is particular to AArch64, as macros.
 *
 * A child preserves x19 to x29 and the low halves of v8 to v15, and the control register of floating
 * point. Compilers keep a frame pointer in a function that asks for its frame's address, and go on
 * addressing its locals through the stack pointer, unless the frame has a part of unknown size: see
 * nopal_shape_frame in steps.h.
 */
#ifndef NOPAL_DETAIL_AARCH64_MACHINE_H
#define NOPAL_DETAIL_AARCH64_MACHINE_H

#include <stdint.h>

#define NOPAL_DETAIL_MACHINE_STEPS "nopal/detail/aarch64/steps.h"

/* The words that a frame keeps of the registers that a child preserves: x19 to x28, d8 to d15. */
#define NOPAL_DETAIL_CALLEE_SAVED 18

/* A caller passes the address of a copy in its frame for an argument of more than 16 bytes. */
#define NOPAL_DETAIL_LARGE_BY_REFERENCE 16

/* Which thread's variable `name` is read is decided where this stands: compilers never see its address,
 * and keep none. */
#if defined(NOPAL_STATIC) && (!defined(__PIC__) || defined(__PIE__))
/* In an executable that holds the library its offset is known at link time. */
#define NOPAL_DETAIL_READ_THREAD_LOCAL(result, name)                                                         \
  __asm__ volatile("mrs %0, tpidr_el0\n\t"                                                                   \
                   "add %0, %0, #:tprel_hi12:" name ", lsl #12\n\t"                                          \
                   "ldr %0, [%0, #:tprel_lo12_nc:" name "]"                                                  \
                   : "=r"(result))
#else
#define NOPAL_DETAIL_READ_THREAD_LOCAL(result, name)                                                         \
  do {                                                                                                       \
    uintptr_t nopal_offset;                                                                                  \
    __asm__ volatile("adrp %1, :gottprel:" name "\n\t"                                                       \
                     "mrs %0, tpidr_el0\n\t"                                                                 \
                     "ldr %1, [%1, #:gottprel_lo12:" name "]\n\t"                                            \
                     "ldr %0, [%0, %1]"                                                                      \
                     : "=&r"(result), "=&r"(nopal_offset));                                                  \
  } while (0)
#endif
/* Where that variable lies, relative to a thread's own place. */
#define NOPAL_DETAIL_READ_OFFSET(result, name)                                                               \
  __asm__("adrp %0, :gottprel:" name "\n\tldr %0, [%0, #:gottprel_lo12:" name "]" : "=r"(result))
/* A thread's own place, which tells it from others. */
#define NOPAL_DETAIL_READ_THREAD(result) __asm__ volatile("mrs %0, tpidr_el0" : "=r"(result))

/* The processor's clock: see src/arch/aarch64/ticks.hpp. Volatile: the counter changes; its frequency never does. */
#define NOPAL_DETAIL_READ_TICKS(result)                                                                      \
  do {                                                                                                       \
    uint64_t nopal_ticks;                                                                                    \
    uint64_t nopal_frequency;                                                                                \
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(nopal_ticks));                                              \
    __asm__("mrs %0, cntfrq_el0" : "=r"(nopal_frequency));                                                   \
    (result) = nopal_ticks << __builtin_clz((uint32_t)nopal_frequency | 1U);                                 \
  } while (0)

/* For a loop that waits: a barrier that does take a while, where `yield` does nothing on most cores. */
#define NOPAL_DETAIL_PAUSE() __asm__ volatile("isb")

/* Where compilers have the static chain, as far as was seen: the routines of the Fibril interface in C take the frame
 * from there. Clang 16 to 20 and GCC 12 have it in x18, Clang 21 and 22 in x15. */
#ifdef __clang__
#if __clang_major__ > 22
#define NOPAL_DETAIL_STATIC_CHAIN_UNKNOWN
#elif __clang_major__ > 20
#define NOPAL_DETAIL_FIBRIL_BY(routine) routine##_by_x15
#endif
#elif __GNUC__ > 12
#define NOPAL_DETAIL_STATIC_CHAIN_UNKNOWN
#endif

/* An error of the assembler if the text of an operand names sp. */
#define NOPAL_DETAIL_REFUSE_STACK_POINTER(operand)                                                           \
  "\n\t.set .Lnopal_letters, 0\n\t.irpc letter,\"" operand "\"\n\t"                                          \
  ".ifeqs \"\\letter\",\"s\"\n\t.set .Lnopal_letters, 1\n\t"                                                 \
  ".else\n\t.ifeqs \"\\letter\",\"p\"\n\t.if .Lnopal_letters == 1\n\t"                                       \
  ".error \"nopal: the compiler addresses this function's frame through the stack pointer, which a steal "   \
  "replaces\"\n\t"                                                                                           \
  ".endif\n\t.endif\n\t.set .Lnopal_letters, 0\n\t.endif\n\t.endr"

#endif

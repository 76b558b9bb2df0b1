/* What is particular to RISC-V with 64 bits and floating point of double precision in registers (lp64d), as
 * macros.
 *
 * A child preserves s0 to s11, fs0 to fs11 and the rounding mode. Compilers keep a frame pointer, s0, in a
 * function that asks for its frame's address, which is where the caller's frame begins, and address its locals
 * through that; but Clang, where one is over-aligned: see nopal_shape_frame in steps.h.
 */
#ifndef NOPAL_DETAIL_RISCV64_MACHINE_H
#define NOPAL_DETAIL_RISCV64_MACHINE_H

#include <stdint.h>

#define NOPAL_DETAIL_MACHINE_STEPS "nopal/detail/riscv64/steps.h"

/* The words that a frame keeps of the registers that a child preserves: s1 to s11, fs0 to fs11. */
#define NOPAL_DETAIL_CALLEE_SAVED 23

/* A caller passes the address of a copy in its frame for an argument of more than 16 bytes. */
#define NOPAL_DETAIL_LARGE_BY_REFERENCE 16

/* Which thread's variable `name` is read is decided where this stands: compilers never see its address,
 * and keep none. */
#if defined(NOPAL_STATIC) && (!defined(__PIC__) || defined(__PIE__))
/* In an executable that holds the library its offset is known at link time; a small one takes no `lui`. */
#define NOPAL_DETAIL_READ_THREAD_LOCAL(result, name)                                                         \
  __asm__ volatile("lui %0, %%tprel_hi(" name ")\n\t"                                                        \
                   "add %0, %0, tp, %%tprel_add(" name ")\n\t"                                               \
                   "ld %0, %%tprel_lo(" name ")(%0)"                                                         \
                   : "=r"(result))
#else
#define NOPAL_DETAIL_READ_THREAD_LOCAL(result, name)                                                         \
  __asm__ volatile("la.tls.ie %0, " name "\n\t"                                                              \
                   "add %0, %0, tp\n\t"                                                                      \
                   "ld %0, 0(%0)"                                                                            \
                   : "=r"(result))
#endif
/* Where that variable lies, relative to a thread's own place. */
#define NOPAL_DETAIL_READ_OFFSET(result, name) __asm__("la.tls.ie %0, " name : "=r"(result))
/* A thread's own place, which tells it from others. */
#define NOPAL_DETAIL_READ_THREAD(result) __asm__ volatile("mv %0, tp" : "=r"(result))

/* The processor's clock: see src/arch/riscv64/ticks.hpp. Volatile: it changes. */
#define NOPAL_DETAIL_READ_TICKS(result)                                                                      \
  do {                                                                                                       \
    uint64_t nopal_ticks;                                                                                    \
    __asm__ volatile("rdtime %0" : "=r"(nopal_ticks));                                                       \
    (result) = nopal_ticks << 8U;                                                                            \
  } while (0)

/* For a loop that waits: `pause`, which does nothing where it is not known, by its number, since assemblers
 * refuse the name without the extension. */
#define NOPAL_DETAIL_PAUSE() __asm__ volatile(".insn i 0x0f, 0, x0, x0, 0x010")

/* Compilers have the static chain in t2, as far as was seen; the routines of the Fibril interface in C take it
 * from there. They have it in t3 where landing pads are checked. */
#if defined(__riscv_zicfilp) || (defined(__clang__) ? __clang_major__ > 22 : __GNUC__ > 12)
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

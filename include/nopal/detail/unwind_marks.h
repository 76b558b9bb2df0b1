/* What the unwinder is told about functions of code without exceptions: C, and C++ with
 * -fno-exceptions.
 *
 * No such function can catch what a child throws and keep it for a join, so an exception that
 * leaves the child must not go on: past the child's entry it would leave a fork whose continuation
 * is still in the deque. And a function whose continuation was stolen must not be left before it
 * has joined. Both have the library's personality routine, which says so and ends the program.
 * These are directives to the assembler: no instruction.
 */
#ifndef NOPAL_DETAIL_UNWIND_MARKS_H
#define NOPAL_DETAIL_UNWIND_MARKS_H

/* Without tables the unwinder stops here by itself, and the C++ runtime ends the program. */
#if (!defined(__cplusplus) || !defined(__cpp_exceptions)) && defined(__GCC_HAVE_DWARF2_CFI_ASM)

/* The routine, by way of a pointer that all files share, as compilers refer to theirs. */
#define NOPAL_DETAIL_PERSONALITY                                                                             \
  ".ifndef DW.ref.nopal_c_personality\n\t"                                                                   \
  ".pushsection .data.rel.local.DW.ref.nopal_c_personality,\"awG\",@progbits,DW.ref.nopal_c_personality,"    \
  "comdat\n\t"                                                                                               \
  ".hidden DW.ref.nopal_c_personality\n\t.weak DW.ref.nopal_c_personality\n\t.balign 8\n\t"                  \
  ".type DW.ref.nopal_c_personality, @object\n\t.size DW.ref.nopal_c_personality, 8\n"                       \
  "DW.ref.nopal_c_personality:\n\t.quad nopal_c_personality\n\t.popsection\n\t.endif\n\t"                    \
  ".cfi_personality 0x9b, DW.ref.nopal_c_personality\n\t"

/* In a child's entry: what the unwinder hands to the routine begins with these words. */
#define NOPAL_DETAIL_MARK_CHILD()                                                                            \
  __asm__ __inline__ __volatile__(                                                                           \
      NOPAL_DETAIL_PERSONALITY                                                                               \
      ".ifndef .Lnopal_c_child\n\t.pushsection .rodata.nopal_c_child,\"a\",@progbits\n"                      \
      ".Lnopal_c_child:\n\t.asciz \"\\377nopal: child\"\n\t.popsection\n\t.endif\n\t"                        \
      ".cfi_lsda 0x1b, .Lnopal_c_child")

/* In a function that forks; and again on the slow paths that compilers put into a cold part of it,
 * which has tables of its own. */
#define NOPAL_DETAIL_MARK_PARENT() __asm__ __inline__ __volatile__(NOPAL_DETAIL_PERSONALITY)

#else
#define NOPAL_DETAIL_MARK_CHILD() ((void)0)
#define NOPAL_DETAIL_MARK_PARENT() ((void)0)
#endif

#endif

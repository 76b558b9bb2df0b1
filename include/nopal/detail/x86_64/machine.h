/* What is particular to x86-64, as macros.
 *
 * A child preserves rbx, rbp, r12 to r15, and the two control words of floating point. Compilers keep
 * a frame pointer in a function that asks for its frame's address, and address its locals through that,
 * but for over-aligned ones: see nopal_shape_frame in steps.h.
 */
#ifndef NOPAL_DETAIL_X86_64_MACHINE_H
#define NOPAL_DETAIL_X86_64_MACHINE_H

#define NOPAL_DETAIL_MACHINE_STEPS "nopal/detail/x86_64/steps.h"
#define NOPAL_DETAIL_LATENT_ASSEMBLY "nopal/detail/x86_64/latent_assembly.h"

/* The words that a frame keeps of the registers that a child preserves: rbx, r12 to r15. */
#define NOPAL_DETAIL_CALLEE_SAVED 5

/* Which thread's variable `name` is read is decided where this stands: compilers never see its address,
 * and keep none. */
#if defined(NOPAL_STATIC) && (!defined(__PIC__) || defined(__PIE__))
/* In an executable that holds the library its offset is known at link time. */
#define NOPAL_DETAIL_READ_THREAD_LOCAL(result, name)                                                         \
  __asm__ volatile("{movq %%fs:" name "@tpoff, %0|mov %0, QWORD PTR fs:" name "@tpoff}" : "=r"(result))
#else
#define NOPAL_DETAIL_READ_THREAD_LOCAL(result, name)                                                         \
  __asm__ volatile("{movq " name "@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0"                                \
                   "|mov %0, QWORD PTR [rip + " name "@gottpoff]\n\tmov %0, QWORD PTR fs:[%0]}"              \
                   : "=r"(result))
#endif
/* Where that variable lies, relative to a thread's own place. */
#define NOPAL_DETAIL_READ_OFFSET(result, name)                                                               \
  __asm__("{movq " name "@gottpoff(%%rip), %0|mov %0, QWORD PTR [rip + " name "@gottpoff]}" : "=r"(result))
/* A thread's own place, which tells it from others. */
#define NOPAL_DETAIL_READ_THREAD(result)                                                                     \
  __asm__ volatile("{movq %%fs:0, %0|mov %0, QWORD PTR fs:0}" : "=r"(result))

/* The processor's clock: see src/arch/x86_64/ticks.hpp. */
#define NOPAL_DETAIL_READ_TICKS(result) ((result) = __builtin_ia32_rdtsc())

/* For a loop that waits. */
#define NOPAL_DETAIL_PAUSE() __builtin_ia32_pause()

/* There is no macro for -fsplit-stack. A directive where a frame is made renames what its functions
 * call, so that the linker finds none and says the name. No symbol comes of it where there are no
 * such calls. Clang forgets the quotes where it writes assembly (-save-temps), so its name has no blanks. */
#ifdef __clang__
#define NOPAL_DETAIL_REFUSE_SPLIT_STACK(called)                                                              \
  ".symver " called                                                                                          \
  ", nopal.code_compiled_with_fsplit_stack_cannot_run_on_other_stacks.compile_without_it@nopal"
#else
#define NOPAL_DETAIL_REFUSE_SPLIT_STACK(called)                                                              \
  ".symver " called                                                                                          \
  ", \"nopal: code compiled with -fsplit-stack cannot run on other stacks: compile without it"               \
  "@nopal\""
#endif

/* With -maccumulate-outgoing-args, and for some processors without, GCC addresses over-aligned frames
 * through the stack pointer unless they are dynamic ones. NOPAL_DYNAMIC_FRAMES makes them dynamic. Without
 * optimization the assembler would not see it. */
#if defined(NOPAL_DYNAMIC_FRAMES) || !defined(__OPTIMIZE__) || defined(__tune_bonnell__) ||                  \
    defined(__tune_silvermont__) || defined(__tune_goldmont__) || defined(__tune_goldmont_plus__) ||         \
    defined(__tune_knl__) || defined(__tune_knm__) || defined(__tune_k8__) || defined(__tune_nocona__)
#define NOPAL_DETAIL_FRAMES_ARE_DYNAMIC
#endif

/* An error of the assembler if the text of an operand names rsp. */
#define NOPAL_DETAIL_REFUSE_STACK_POINTER(operand)                                                           \
  "\n\t.set .Lnopal_letters, 0\n\t.irpc letter,\"" operand "\"\n\t"                                          \
  ".ifeqs \"\\letter\",\"r\"\n\t.set .Lnopal_letters, 1\n\t"                                                 \
  ".else\n\t.ifeqs \"\\letter\",\"s\"\n\t.set .Lnopal_letters, .Lnopal_letters * 2\n\t"                      \
  ".else\n\t.ifeqs \"\\letter\",\"p\"\n\t.if .Lnopal_letters == 2\n\t"                                       \
  ".error \"nopal: GCC addresses this function's frame through the stack pointer, which a steal replaces: "  \
  "compile without -maccumulate-outgoing-args, or with -DNOPAL_DYNAMIC_FRAMES\"\n\t"                         \
  ".endif\n\t.endif\n\t.set .Lnopal_letters, 0\n\t.endif\n\t.endif\n\t.endr"

/* There is no macro for -mabi=ms; its lists of arguments are plain pointers. */
#ifdef __cplusplus
static_assert(sizeof(__builtin_va_list) > sizeof(void*),
              "nopal: -mabi=ms is another calling convention: compile without it");
#else
_Static_assert(sizeof(__builtin_va_list) > sizeof(void*),
               "nopal: -mabi=ms is another calling convention: compile without it");
#endif

#endif

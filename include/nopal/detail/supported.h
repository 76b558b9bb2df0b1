/* What code that forks cannot be compiled for or with. */
#ifndef NOPAL_DETAIL_SUPPORTED_H
#define NOPAL_DETAIL_SUPPORTED_H

#include <nopal/detail/language.h>

#if !defined(__x86_64__) || !defined(__linux__) || defined(__ILP32__)
#error "nopal: this version runs on x86-64 Linux only, in its 64-bit mode (not -m32 or -mx32)"
#endif

#ifdef __has_feature
#if __has_feature(safe_stack)
#error                                                                                                       \
    "nopal: -fsanitize=safe-stack keeps a second stack of each thread, which a stolen strand would leave: compile without it"
#endif
#if __has_feature(memory_sanitizer)
#error "nopal: -fsanitize=memory does not know what the library writes: compile without it"
#endif
#if __has_feature(dataflow_sanitizer)
#error "nopal: -fsanitize=dataflow has other names for what the library defines: compile without it"
#endif
#if __has_feature(speculative_load_hardening)
#error                                                                                                       \
    "nopal: -mspeculative-load-hardening keeps its state in the stack pointer, which a steal replaces: compile without it"
#endif
#endif

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

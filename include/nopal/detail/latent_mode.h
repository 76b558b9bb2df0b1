/* Whether forks of this file are latent: where compilers and tools can do it, unless NOPAL_FORKS_EAGER
 * is defined. Elsewhere they are eager, and both kinds work together. */
#ifndef NOPAL_DETAIL_LATENT_MODE_H
#define NOPAL_DETAIL_LATENT_MODE_H

#include <nopal/detail/fast_path.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer)
#define NOPAL_DETAIL_STACKS_WATCHED
#endif
#endif

/* The sanitizers follow calls that return; what is called has to have unwind tables, which
 * assembly adds to; not every machine has that assembly; Clang before 17 knows one table at a time;
 * the large code model has no direct calls; APX has registers that nothing here names; the other deques
 * are not promoted to. */
#if defined(NOPAL_DETAIL_LATENT_ASSEMBLY) && !defined(NOPAL_FORKS_EAGER) &&                                  \
    !defined(NOPAL_DETAIL_NO_LATENT_FORKS) && !defined(NOPAL_RACES_WATCHED) &&                               \
    !defined(__SANITIZE_ADDRESS__) && !defined(NOPAL_DETAIL_STACKS_WATCHED) &&                               \
    defined(__GCC_HAVE_DWARF2_CFI_ASM) && (!defined(__clang__) || __clang_major__ >= 17) &&                  \
    !defined(__code_model_large__) && !defined(__APX_F__) && !defined(NOPAL_SCHEDULE_NOISE) &&               \
    !defined(NOPAL_DEQUE_THE) && !defined(NOPAL_DEQUE_LOCKFREE)
#define NOPAL_HAS_LATENT_FORKS 1
#define NOPAL_DETAIL_FORK fork_latently
#else
#define NOPAL_HAS_LATENT_FORKS 0
#define NOPAL_DETAIL_FORK fork_child
#endif

#endif

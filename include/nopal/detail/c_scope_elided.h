/* The serial elision of the C interface: fork is a call, join is nothing, no symbol of the library
 * is used. */
#ifndef NOPAL_DETAIL_C_SCOPE_ELIDED_H
#define NOPAL_DETAIL_C_SCOPE_ELIDED_H

#include <nopal/detail/c_stopped.h>
#include <nopal/detail/forkable.h>

#define NOPAL_HAS_LATENT_FORKS 0

typedef struct nopal_scope {
  const struct nopal_stop* part; /* of a nopal_cancel_scope; else null, as compilers see */
} nopal_scope;

static inline void nopal_scope_init(nopal_scope* scope) { scope->part = NULL; }

static inline void nopal_join(nopal_scope* scope) { (void)scope; }

static inline void nopal_fork(nopal_scope* scope, void (*function)(void*), void* argument) {
  if (nopal_is_serially_stopped(scope->part)) return;
  function(argument);
}

#define NOPAL_DETAIL_FORKABLE(result, f, list)                                                               \
  NOPAL_DETAIL_DECLARE(result, f, list)                                                                      \
  static inline __attribute__((unused)) void nopal_fork_##f(                                                 \
      nopal_scope* nopal_parent, __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {          \
    if (nopal_is_serially_stopped(nopal_parent->part)) return;                                               \
    *nopal_out = f(NOPAL_DETAIL_ARGUMENTS list);                                                             \
  }

#define NOPAL_DETAIL_FORKABLE_VOID(f, list)                                                                  \
  NOPAL_DETAIL_DECLARE(void, f, list)                                                                        \
  static inline __attribute__((unused)) void nopal_fork_##f(                                                 \
      nopal_scope* nopal_parent NOPAL_DETAIL_MORE_PARAMETERS list) {                                         \
    if (nopal_is_serially_stopped(nopal_parent->part)) return;                                               \
    f(NOPAL_DETAIL_ARGUMENTS list);                                                                          \
  }

#endif

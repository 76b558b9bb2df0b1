/* The serial elision of the C interface: fork is a call, join is nothing, no symbol of the library
 * is used. */
#ifndef NOPAL_DETAIL_C_SCOPE_ELIDED_H
#define NOPAL_DETAIL_C_SCOPE_ELIDED_H

#include <nopal/detail/forkable.h>

#define NOPAL_HAS_LATENT_FORKS 0

typedef struct nopal_scope {
  char unused;
} nopal_scope;

static inline void nopal_scope_init(nopal_scope* scope) { scope->unused = 0; }

static inline void nopal_join(nopal_scope* scope) { (void)scope; }

static inline void nopal_fork(nopal_scope* scope, void (*function)(void*), void* argument) {
  (void)scope;
  function(argument);
}

#define NOPAL_DETAIL_FORKABLE(result, f, list)                                                               \
  NOPAL_DETAIL_DECLARE(result, f, list)                                                                      \
  static inline __attribute__((unused)) void nopal_fork_##f(                                                 \
      nopal_scope* nopal_parent, __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {          \
    (void)nopal_parent;                                                                                      \
    *nopal_out = f(NOPAL_DETAIL_ARGUMENTS list);                                                             \
  }

#define NOPAL_DETAIL_FORKABLE_VOID(f, list)                                                                  \
  NOPAL_DETAIL_DECLARE(void, f, list)                                                                        \
  static inline __attribute__((unused)) void nopal_fork_##f(                                                 \
      nopal_scope* nopal_parent NOPAL_DETAIL_MORE_PARAMETERS list) {                                         \
    (void)nopal_parent;                                                                                      \
    f(NOPAL_DETAIL_ARGUMENTS list);                                                                          \
  }

#endif

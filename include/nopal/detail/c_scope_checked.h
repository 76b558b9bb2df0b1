/* The C interface in a checked program: the serial elision, which tells the checker where children
 * begin, end and are joined. */
#ifndef NOPAL_DETAIL_C_SCOPE_CHECKED_H
#define NOPAL_DETAIL_C_SCOPE_CHECKED_H

#include <nopal/detail/c_stopped.h>
#include <nopal/detail/check.h>
#include <nopal/detail/forkable.h>

#define NOPAL_HAS_LATENT_FORKS 0

typedef struct nopal_scope {
  struct nopal_check_children* children;
  const struct nopal_stop* part; /* of a nopal_cancel_scope; else null */
} nopal_scope;

/* From the begin of a child to its end, in C++ also where that is an exception. */
static inline void nopal_check_end_mark(const char* mark) {
  (void)mark;
  nopal_check_end(NULL, 0);
}
#define NOPAL_DETAIL_CHECK_CHILD(scope)                                                                      \
  const char nopal_mark __attribute__((cleanup(nopal_check_end_mark), unused)) = 0;                          \
  nopal_check_fork(&(scope)->children)

static inline void nopal_scope_init(nopal_scope* scope) {
  scope->children = NULL;
  scope->part = NULL;
}

static inline void nopal_join(nopal_scope* scope) { nopal_check_join(&scope->children); }

static inline __attribute__((always_inline)) void nopal_fork(nopal_scope* scope, void (*function)(void*),
                                                             void* argument) {
  if (nopal_is_serially_stopped(scope->part)) return;
  NOPAL_DETAIL_CHECK_CHILD(scope);
  /* As below: the compiler is not told which function it is. */
  __asm__ volatile("" : "+r"(function) : "r"(argument) : "memory");
  function(argument);
}

/* A child that is inlined would have variables in its parent's frame, where others come and go. */
#define NOPAL_DETAIL_FORKABLE(result, f, list)                                                               \
  NOPAL_DETAIL_DECLARE(result, f, list)                                                                      \
  static inline __attribute__((unused, always_inline)) void nopal_fork_##f(                                  \
      nopal_scope* nopal_parent, __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {          \
    if (nopal_is_serially_stopped(nopal_parent->part)) return;                                               \
    __typeof__(result) (*nopal_child)(NOPAL_DETAIL_PARAMETERS list) = f;                                     \
    NOPAL_DETAIL_CHECK_CHILD(nopal_parent);                                                                  \
    __asm__ volatile("" : "+r"(nopal_child) : "r"(nopal_out) : "memory");                                    \
    *nopal_out = nopal_child(NOPAL_DETAIL_ARGUMENTS list);                                                   \
  }

#define NOPAL_DETAIL_FORKABLE_VOID(f, list)                                                                  \
  NOPAL_DETAIL_DECLARE(void, f, list)                                                                        \
  static inline __attribute__((unused, always_inline)) void nopal_fork_##f(                                  \
      nopal_scope* nopal_parent NOPAL_DETAIL_MORE_PARAMETERS list) {                                         \
    if (nopal_is_serially_stopped(nopal_parent->part)) return;                                               \
    void (*nopal_child)(NOPAL_DETAIL_PARAMETERS list) = f;                                                   \
    NOPAL_DETAIL_CHECK_CHILD(nopal_parent);                                                                  \
    __asm__ volatile("" : "+r"(nopal_child) : : "memory");                                                   \
    nopal_child(NOPAL_DETAIL_ARGUMENTS list);                                                                \
  }

#endif

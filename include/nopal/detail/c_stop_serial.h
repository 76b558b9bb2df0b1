/* Scopes of C that can be stopped, in the serial elision and in checked programs. */
#ifndef NOPAL_DETAIL_C_STOP_SERIAL_H
#define NOPAL_DETAIL_C_STOP_SERIAL_H

#include <nopal/detail/serial_parts.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nopal_cancel_scope {
  nopal_scope scope;      /**< what forks and joins are given */
  struct nopal_stop part; /**< the library's */
} nopal_cancel_scope;

static inline void nopal_enter_serial_part(struct nopal_stop* part, uint32_t kind) {
  part->parent = nopal_get_serial_part();
  part->of = NULL;
  part->kind = kind;
  part->requested = 0;
  part->tokens = NULL;
  part->handled = NULL;
  part->followers = 0;
  nopal_set_serial_part(part);
}
static inline void nopal_leave_serial_part(struct nopal_stop** part) {
  nopal_set_serial_part((*part)->parent);
}

static inline void nopal_cancel_scope_init(nopal_cancel_scope* scope, enum nopal_inlet_order order) {
  (void)order; /* one as the other */
  nopal_scope_init(&scope->scope);
  nopal_enter_serial_part(&scope->part, nopal_stop_skips);
  scope->scope.part = &scope->part;
#ifdef NOPAL_CHECKED
  nopal_check_forget_event(scope);
#endif
}

static inline void nopal_leave_cancel_scope(struct nopal_stop** part) {
  nopal_drop_tokens(*part);
  nopal_leave_serial_part(part);
}
static inline void nopal_cancel_scope_destroy(nopal_cancel_scope* scope) {
  struct nopal_stop* leaves __attribute__((cleanup(nopal_leave_cancel_scope), unused)) = &scope->part;
  nopal_join(&scope->scope);
}

static inline int nopal_cancel_scope_stop(nopal_cancel_scope* scope) {
  /* Pairs with the acquire of who looks, and with who makes tokens, see nopal_tell_tokens. */
  if (__atomic_exchange_n(&scope->part.requested, 1U, __ATOMIC_SEQ_CST) != 0) return 1;
  nopal_tell_tokens(&scope->part);
  return 0;
}

static inline int nopal_cancel_scope_is_stopped(const nopal_cancel_scope* scope) {
  return nopal_is_serially_stopped(&scope->part);
}

static inline int nopal_stop_requested(void) { return nopal_is_serially_stopped(nopal_get_serial_part()); }

static inline void nopal_shield(void (*function)(void*), void* argument) {
  struct nopal_stop part;
  nopal_enter_serial_part(&part, nopal_stop_shield);
  {
    struct nopal_stop* leaves __attribute__((cleanup(nopal_leave_serial_part), unused)) = &part;
    function(argument);
  }
}

static inline __attribute__((always_inline)) void
nopal_fork_inlet(nopal_cancel_scope* scope, void (*function)(void*), void* argument,
                 void (*inlet)(void* context, void* argument), void* context) {
  if (nopal_is_serially_stopped(scope->scope.part)) return;
#ifdef NOPAL_CHECKED
  NOPAL_DETAIL_CHECK_CHILD(&scope->scope);
  /* As in c_scope_checked.h: the compiler is not told which functions they are. */
  __asm__ volatile("" : "+r"(function), "+r"(inlet) : "r"(argument), "r"(context) : "memory");
#endif
  function(argument);
#ifdef NOPAL_CHECKED
  nopal_check_signaled(scope); /* an inlet sees what those before it did, and their children */
#endif
  inlet(context, argument);
#ifdef NOPAL_CHECKED
  nopal_check_signal_too(scope);
#endif
}

#ifdef __cplusplus
}
#endif

#endif

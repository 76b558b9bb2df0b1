/* Scopes of C that can be stopped, and their inlets. See stop.h and inlets.hpp. */
#ifndef NOPAL_DETAIL_C_STOP_PARALLEL_H
#define NOPAL_DETAIL_C_STOP_PARALLEL_H

#include <nopal/detail/c_scope_parallel.h>
#include <nopal/detail/plain_cast.h>
#include <nopal/detail/stop.h>

/* NOLINTBEGIN(modernize-use-nullptr): C, too */

#ifdef __cplusplus
extern "C" {
#define NOPAL_DETAIL_THROWS_NOTHING noexcept
#else
#define NOPAL_DETAIL_THROWS_NOTHING
#endif

typedef struct nopal_cancel_scope {
  nopal_scope scope;      /**< what forks and joins are given */
  struct nopal_stop part; /**< the library's */
  void* inlets;           /**< the library's; atomic; null: none has had to wait */
} nopal_cancel_scope;

/* At the begin, where there is an order to keep. Ends the program without memory. */
NOPAL_EXPORT void nopal_make_c_inlets(void** inlets, int in_order);
/* At a fork: what keeps its place in that order; null where there is none. */
NOPAL_EXPORT void* nopal_next_c_inlet(void** inlets);
/* After the child. `alone`: no other child of the scope is under way. `ordered` is what the above returned. */
NOPAL_EXPORT void nopal_run_c_inlet(void** inlets, int alone, void* ordered, void (*inlet)(void*, void*),
                                    void* context, void* argument) NOPAL_DETAIL_THROWS_NOTHING;
/* Of a child that was not begun. */
NOPAL_EXPORT void nopal_skip_c_inlet(void** inlets, void* ordered) NOPAL_DETAIL_THROWS_NOTHING;
NOPAL_EXPORT void nopal_drop_c_inlets(void** inlets);

static NOPAL_ALWAYS_INLINE void nopal_cancel_scope_init(nopal_cancel_scope* scope,
                                                        enum nopal_inlet_order order) {
  nopal_scope_init(&scope->scope);
  scope->inlets = NULL;
#ifdef NOPAL_RACES_WATCHED
  /* The tool does not see what the library publishes. */
  nopal_make_c_inlets(&scope->inlets, order != nopal_inlets_by_completion);
#else
  if (order != nopal_inlets_by_completion) {
    nopal_make_c_inlets(&scope->inlets, 1);
  }
#endif
  if (NOPAL_UNLIKELY(nopal_enter_stop(&scope->part, nopal_stop_skips, NULL) != 0)) {
    nopal_fail_push();
  }
}

static NOPAL_ALWAYS_INLINE void nopal_leave_cancel_scope(nopal_cancel_scope** scope) {
  /* Acquire pairs with the exchange of who made them, in the library. */
  if (NOPAL_UNLIKELY(__atomic_load_n(&(*scope)->inlets, __ATOMIC_ACQUIRE) != NULL)) {
    nopal_drop_c_inlets(&(*scope)->inlets);
  }
  nopal_drop_tokens(&(*scope)->part);
  nopal_leave_stop(&(*scope)->part);
}

static NOPAL_ALWAYS_INLINE void nopal_cancel_scope_destroy(nopal_cancel_scope* scope) {
  /* Also where the join throws what a child of C++ has thrown. */
  nopal_cancel_scope* leaves __attribute__((cleanup(nopal_leave_cancel_scope))) = scope;
  nopal_join(&leaves->scope);
}

static inline int nopal_cancel_scope_stop(nopal_cancel_scope* scope) {
  if (nopal_request_stop(&scope->part) != 0) return 1;
  nopal_tell_tokens(&scope->part);
  return 0;
}

/* Relaxed, here and below: who is stopped finds out sooner or later. */
static inline int nopal_cancel_scope_is_stopped(const nopal_cancel_scope* scope) {
  return __atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0 && nopal_is_stopped(&scope->part);
}

static inline int nopal_stop_requested(void) {
  return __atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0 && nopal_stop_requested_here();
}

static NOPAL_ALWAYS_INLINE void nopal_leave_stop_at(struct nopal_stop** part) { nopal_leave_stop(*part); }

static inline void nopal_shield(void (*function)(void*), void* argument) {
  struct nopal_stop part;
  if (NOPAL_UNLIKELY(nopal_enter_stop(&part, nopal_stop_shield, NULL) != 0)) {
    nopal_fail_push();
  }
  {
    struct nopal_stop* leaves __attribute__((cleanup(nopal_leave_stop_at))) = &part;
    (void)leaves;
    function(argument);
  }
}

/** What travels from the forker's frame. */
struct nopal_inlet_fork {
  void (*function)(void*);     /**< the child */
  void* argument;              /**< of both */
  void (*inlet)(void*, void*); /**< what is called then */
  void* context;               /**< of the inlet */
  void** inlets;               /**< the scope's */
  void* ordered;               /**< see nopal_next_c_inlet */
};

typedef void (*nopal_any_entry)(void);
typedef void (*nopal_inlet_entry)(struct nopal_frame*, nopal_any_entry, const struct nopal_inlet_fork*);

/* In C++ too an exception ends the program here. */
static __attribute__((unused)) void
nopal_enter_with_inlet(struct nopal_frame* frame, nopal_any_entry self,
                       const struct nopal_inlet_fork* passed) NOPAL_DETAIL_THROWS_NOTHING {
  const struct nopal_inlet_fork all = *passed;
  struct nopal_frame* volatile kept = frame;
  int continues;
  (void)self;
  NOPAL_DETAIL_MARK_CHILD();
  if (NOPAL_UNLIKELY(nopal_push(frame) != 0)) {
    NOPAL_DETAIL_MARK_CHILD();
    nopal_skip_c_inlet(all.inlets, all.ordered);
    nopal_c_push_refused();
    return;
  }
  all.function(all.argument);
  continues = nopal_pop();
  nopal_run_c_inlet(all.inlets, continues && kept->steals == 0, all.ordered, all.inlet, all.context,
                    all.argument);
  if (NOPAL_UNLIKELY(!continues)) {
    nopal_end_stolen_child(kept);
  }
}

static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD void
nopal_fork_inlet(nopal_cancel_scope* scope, void (*function)(void*), void* argument,
                 void (*inlet)(void* context, void* argument), void* context) {
  struct nopal_inlet_fork all = {function, argument, inlet, context, &scope->inlets, NULL};
  nopal_any_entry enter = nopal_enter_fork; /* GCC warns of a cast in the call itself */
  NOPAL_DETAIL_MARK_PARENT();
  nopal_check_function(&scope->scope.frame);
  all.ordered = nopal_next_c_inlet(&scope->inlets);
  NOPAL_DETAIL_BITS_AS(nopal_inlet_entry, enter)
  (&scope->scope.frame, NOPAL_DETAIL_BITS_AS(nopal_any_entry, nopal_enter_with_inlet), &all);
  nopal_forget_stack_pointer();
}

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-nullptr) */

#endif

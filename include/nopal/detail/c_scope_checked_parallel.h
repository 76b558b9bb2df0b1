/* The C interface in a program that is checked in parallel: forks are real, and tell the checker where strands begin, end
 * and go on, on whatever thread. */
#ifndef NOPAL_DETAIL_C_SCOPE_CHECKED_PARALLEL_H
#define NOPAL_DETAIL_C_SCOPE_CHECKED_PARALLEL_H

#include <nopal/detail/c_stopped.h>
#include <nopal/detail/check.h>
#include <nopal/detail/fast_path.h>
#include <nopal/detail/forkable.h>
#include <nopal/detail/unwind_marks.h>
#ifdef __cplusplus
#include <nopal/scope.hpp>
#else
#define NOPAL_HAS_LATENT_FORKS 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nopal_scope {
  struct nopal_frame frame;
  struct nopal_check_children* children;
  const struct nopal_stop* part; /* of a nopal_cancel_scope; else null */
} nopal_scope;

/* Children with inlets are refused. */
#define NOPAL_DETAIL_CHECK_CHILD(scope) nopal_check_refuse("a stop")

static NOPAL_ALWAYS_INLINE void nopal_scope_init(nopal_scope* scope) {
  nopal_check_ignore(); /* the frame is the scheduler's */
  nopal_make_frame(&scope->frame);
  nopal_check_heed();
  scope->children = NULL;
  scope->part = NULL;
}

static NOPAL_ALWAYS_INLINE void nopal_check_function(struct nopal_frame* frame) {
  if (NOPAL_UNLIKELY(frame->frame_pointer != __builtin_frame_address(0))) {
    NOPAL_DETAIL_MARK_PARENT();
#ifdef __cplusplus
    nopal_throw_foreign_scope(frame);
#else
    nopal_fail_foreign_scope(frame);
#endif
  }
}

static NOPAL_ALWAYS_INLINE void nopal_join(nopal_scope* scope) {
  uint32_t steals;
  /* The read is the scheduler's. */
  __asm__ volatile("mov %1, %0" : "=r"(steals) : "m"(scope->frame.steals));
  void* exception = NULL;
  if (NOPAL_UNLIKELY(steals != 0)) {
    struct nopal_check_kept kept;
    nopal_check_function(&scope->frame);
    nopal_check_keep(&scope->children, &kept);
    NOPAL_DETAIL_JOIN_RETURNS(&scope->frame);
    NOPAL_JOIN_STOLEN(&scope->frame, exception);
    nopal_check_go_on(&kept);
  }
  nopal_check_join(&scope->children);
  if (NOPAL_UNLIKELY(exception != NULL)) {
    NOPAL_DETAIL_MARK_PARENT();
    nopal_rethrow(exception);
  }
}

#ifdef __cplusplus
}

static NOPAL_ALWAYS_INLINE void nopal_fork(nopal_scope* scope, void (*function)(void*), void* argument) {
  nopal_check_function(&scope->frame);
  ::nopal::NOPAL_MODE_NAMESPACE::detail::fork_by_value<void>(&scope->frame, &scope->children,
                                                             static_cast<void*>(nullptr), function, argument);
}

#define NOPAL_DETAIL_FORKABLE(result, f, list)                                                               \
  NOPAL_DETAIL_DECLARE(result, f, list)                                                                      \
  static NOPAL_ALWAYS_INLINE __attribute__((unused)) void nopal_fork_##f(                                    \
      nopal_scope* nopal_parent, __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {          \
    nopal_check_function(&nopal_parent->frame);                                                              \
    ::nopal::NOPAL_MODE_NAMESPACE::detail::fork_by_value<__typeof__(result)>(                                \
        &nopal_parent->frame, &nopal_parent->children, nopal_out,                                            \
        static_cast<__typeof__(result) (*)(NOPAL_DETAIL_PARAMETERS list)>(f)                                 \
            NOPAL_DETAIL_MORE_ARGUMENTS list);                                                               \
  }

#define NOPAL_DETAIL_FORKABLE_VOID(f, list)                                                                  \
  NOPAL_DETAIL_DECLARE(void, f, list)                                                                        \
  static NOPAL_ALWAYS_INLINE __attribute__((unused)) void nopal_fork_##f(                                    \
      nopal_scope* nopal_parent NOPAL_DETAIL_MORE_PARAMETERS list) {                                         \
    nopal_check_function(&nopal_parent->frame);                                                              \
    ::nopal::NOPAL_MODE_NAMESPACE::detail::fork_by_value<void>(                                              \
        &nopal_parent->frame, &nopal_parent->children, static_cast<void*>(nullptr),                          \
        static_cast<void (*)(NOPAL_DETAIL_PARAMETERS list)>(f) NOPAL_DETAIL_MORE_ARGUMENTS list);            \
  }

#else

/* The two ends of a child's entry; see c_scope_parallel.h. */
#define NOPAL_DETAIL_OFFER(frame)                                                                            \
  struct nopal_frame* volatile nopal_kept = (frame);                                                         \
  NOPAL_DETAIL_MARK_CHILD();                                                                                 \
  if (NOPAL_UNLIKELY(nopal_push(frame) != 0)) {                                                              \
    NOPAL_DETAIL_MARK_CHILD();                                                                               \
    nopal_c_push_refused();                                                                                  \
    return;                                                                                                  \
  }                                                                                                          \
  nopal_check_begin(nopal_strand);
#define NOPAL_DETAIL_TAKE_BACK()                                                                             \
  nopal_check_leave();                                                                                       \
  if (NOPAL_UNLIKELY(!nopal_pop())) {                                                                        \
    nopal_end_stolen_child(nopal_kept);                                                                      \
  }

/* A fork, in the function that forks: the routine is called as what it tail-calls. */
#define NOPAL_DETAIL_ENTER(entry, types, ...)                                                                \
  do {                                                                                                       \
    struct nopal_check_kept nopal_after;                                                                     \
    void (*nopal_enter)(void) = nopal_enter_fork;                                                            \
    NOPAL_DETAIL_MARK_PARENT();                                                                              \
    nopal_check_function(&nopal_parent->frame);                                                              \
    void* const nopal_strand = nopal_check_branch(&nopal_parent->children, &nopal_after);                    \
    ((void(*) types)nopal_enter)(&nopal_parent->frame, (void (*)(void))(entry), nopal_strand __VA_ARGS__);   \
    nopal_forget_stack_pointer();                                                                            \
    nopal_check_go_on(&nopal_after);                                                                         \
  } while (0)

static __attribute__((unused)) void nopal_enter_untyped(struct nopal_frame* frame, void (*self)(void),
                                                        void* nopal_strand, void (*function)(void*),
                                                        void* argument) {
  (void)self;
  NOPAL_DETAIL_OFFER(frame)
  function(argument);
  NOPAL_DETAIL_TAKE_BACK()
}

static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD void
nopal_fork(nopal_scope* nopal_parent, void (*function)(void*), void* argument) {
  NOPAL_DETAIL_ENTER(nopal_enter_untyped,
                     (struct nopal_frame*, void (*)(void), void*, void (*)(void*), void*), , function,
                     argument);
}

#define NOPAL_DETAIL_FORKABLE(result, f, list)                                                               \
  NOPAL_DETAIL_DECLARE(result, f, list)                                                                      \
  static __attribute__((unused)) void nopal_child_##f(                                                       \
      struct nopal_frame* nopal_parent, void (*nopal_self)(void), void* nopal_strand,                        \
      __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {                                     \
    (void)nopal_self;                                                                                        \
    NOPAL_DETAIL_OFFER(nopal_parent)                                                                         \
    __typeof__(result) nopal_result = f(NOPAL_DETAIL_ARGUMENTS list);                                        \
    __asm__ volatile("" : : "r"(&nopal_result) : "memory"); /* what a call itself stores is not told */      \
    *nopal_out = nopal_result;                                                                               \
    NOPAL_DETAIL_TAKE_BACK()                                                                                 \
  }                                                                                                          \
  static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD __attribute__((unused)) void nopal_fork_##f(        \
      nopal_scope* nopal_parent, __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {          \
    NOPAL_DETAIL_ENTER(                                                                                      \
        nopal_child_##f,                                                                                     \
        (struct nopal_frame*, void (*)(void), void*, __typeof__(result)* NOPAL_DETAIL_MORE_TYPES list), ,    \
        nopal_out NOPAL_DETAIL_MORE_ARGUMENTS list);                                                         \
  }

#define NOPAL_DETAIL_FORKABLE_VOID(f, list)                                                                  \
  NOPAL_DETAIL_DECLARE(void, f, list)                                                                        \
  static __attribute__((unused)) void nopal_child_##f(                                                       \
      struct nopal_frame* nopal_parent, void (*nopal_self)(void),                                            \
      void* nopal_strand NOPAL_DETAIL_MORE_PARAMETERS list) {                                                \
    (void)nopal_self;                                                                                        \
    NOPAL_DETAIL_OFFER(nopal_parent)                                                                         \
    f(NOPAL_DETAIL_ARGUMENTS list);                                                                          \
    NOPAL_DETAIL_TAKE_BACK()                                                                                 \
  }                                                                                                          \
  static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD __attribute__((unused)) void nopal_fork_##f(        \
      nopal_scope* nopal_parent NOPAL_DETAIL_MORE_PARAMETERS list) {                                         \
    NOPAL_DETAIL_ENTER(nopal_child_##f,                                                                      \
                       (struct nopal_frame*, void (*)(void), void* NOPAL_DETAIL_MORE_TYPES list),            \
                       NOPAL_DETAIL_MORE_ARGUMENTS list);                                                    \
  }

#endif

#endif

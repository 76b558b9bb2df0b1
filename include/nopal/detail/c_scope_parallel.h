/* Fork and join of the C interface, as C and as C++ see them.
 *
 * A fork passes its arguments to the assembly routine, and through it to the child's entry, as the
 * ABI has it for their types: in registers, the rest in the parent's outgoing arguments. Those lie
 * on the stack that the parent forked on, where nobody writes before the child is done, for a thief
 * runs on another. So the entry owns them. For large ones that lie elsewhere see NOPAL_DETAIL_OWN.
 */
#ifndef NOPAL_DETAIL_C_SCOPE_PARALLEL_H
#define NOPAL_DETAIL_C_SCOPE_PARALLEL_H

#include <nopal/detail/fast_path.h>
#include <nopal/detail/forkable.h>
#include <nopal/detail/latent_mode.h>
#include <nopal/detail/stop.h>
#include <nopal/detail/unwind_marks.h>
#include <nopal/version.hpp>

#ifdef __cplusplus
#include <nopal/detail/child.hpp>
#if NOPAL_HAS_LATENT_FORKS
#include <nopal/detail/latent_fork.hpp>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

NOPAL_EXPORT extern const char nopal_library_is_missing_or_differs_from_headers__expected_abi_3;

/* Refers to the library's name of this binary interface, so that another library does not link. */
__attribute__((used)) static const char* const nopal_c_linked_abi =
    &nopal_library_is_missing_or_differs_from_headers__expected_abi_3;

typedef struct nopal_scope {
  struct nopal_frame frame; /**< the library's */
} nopal_scope;

static NOPAL_ALWAYS_INLINE void nopal_scope_init(nopal_scope* scope) { nopal_make_frame(&scope->frame); }

/* Folds to nothing at a scope's first fork; one compare elsewhere. */
static NOPAL_ALWAYS_INLINE void nopal_check_function(struct nopal_frame* frame) {
  if (NOPAL_UNLIKELY(frame->frame_pointer != __builtin_frame_address(0))) {
    NOPAL_DETAIL_MARK_PARENT(); /* of the function's cold part too, if it has one */
#ifdef __cplusplus
    nopal_throw_foreign_scope(frame);
#else
    nopal_fail_foreign_scope(frame);
#endif
  }
}

static NOPAL_ALWAYS_INLINE void nopal_join_frame(struct nopal_frame* frame) {
  if (NOPAL_UNLIKELY(frame->steals != 0)) {
    void* exception;
    nopal_check_function(frame);
    NOPAL_DETAIL_JOIN_RETURNS(frame);
    NOPAL_JOIN_STOLEN(frame, exception);
    if (NOPAL_UNLIKELY(exception)) {
      NOPAL_DETAIL_MARK_PARENT();
      nopal_rethrow(exception);
    }
  }
}

static NOPAL_ALWAYS_INLINE void nopal_join(nopal_scope* scope) { nopal_join_frame(&scope->frame); }

#ifdef __cplusplus
}

static NOPAL_ALWAYS_INLINE void nopal_fork(nopal_scope* scope, void (*function)(void*), void* argument) {
  nopal_check_function(&scope->frame);
  ::nopal::detail::NOPAL_DETAIL_FORK<::nopal::detail::no_result>(&scope->frame, nullptr, function, argument);
}

/* The class makes the function a constant of the child's entry; unnamed namespaces keep apart the
 * static functions that share a name in several files. */
#define NOPAL_DETAIL_CHILD(result, f, list)                                                                  \
  NOPAL_DETAIL_DECLARE(result, f, list)                                                                      \
  namespace {                                                                                                \
  struct nopal_child_##f {                                                                                   \
    NOPAL_ALWAYS_INLINE result operator()(NOPAL_DETAIL_PARAMETERS list) const {                              \
      return f(NOPAL_DETAIL_ARGUMENTS list);                                                                 \
    }                                                                                                        \
  };                                                                                                         \
  }

#if NOPAL_HAS_LATENT_FORKS
#define NOPAL_DETAIL_CALLABLE(result, f, list)                                                               \
  ::nopal::detail::callable_of(static_cast<__typeof__(result) (*)(NOPAL_DETAIL_PARAMETERS list) noexcept(    \
                                   NOPAL_DETAIL_IS_NOEXCEPT(result, f, list))>(f),                           \
                               nopal_child_##f{})
#else
#define NOPAL_DETAIL_CALLABLE(result, f, list)                                                               \
  nopal_child_##f {}
#endif

#define NOPAL_DETAIL_FORKABLE(result, f, list)                                                               \
  NOPAL_DETAIL_CHILD(result, f, list)                                                                        \
  static NOPAL_ALWAYS_INLINE __attribute__((unused)) void nopal_fork_##f(                                    \
      nopal_scope* nopal_parent, __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {          \
    nopal_check_function(&nopal_parent->frame);                                                              \
    ::nopal::detail::NOPAL_DETAIL_FORK(&nopal_parent->frame, nopal_out,                                      \
                                       NOPAL_DETAIL_CALLABLE(result, f, list)                                \
                                           NOPAL_DETAIL_MORE_ARGUMENTS list);                                \
  }

#define NOPAL_DETAIL_FORKABLE_VOID(f, list)                                                                  \
  NOPAL_DETAIL_CHILD(void, f, list)                                                                          \
  static NOPAL_ALWAYS_INLINE __attribute__((unused)) void nopal_fork_##f(                                    \
      nopal_scope* nopal_parent NOPAL_DETAIL_MORE_PARAMETERS list) {                                         \
    nopal_check_function(&nopal_parent->frame);                                                              \
    ::nopal::detail::NOPAL_DETAIL_FORK<::nopal::detail::no_result>(&nopal_parent->frame, nullptr,            \
                                                                   NOPAL_DETAIL_CALLABLE(void, f, list)      \
                                                                       NOPAL_DETAIL_MORE_ARGUMENTS list);    \
  }

#else

/* The two ends of a child's entry. Volatile keeps the frame's address in memory, read again only
 * after a steal. */
#define NOPAL_DETAIL_OFFER(frame)                                                                            \
  struct nopal_frame* volatile nopal_kept = (frame);                                                         \
  NOPAL_DETAIL_MARK_CHILD();                                                                                 \
  if (NOPAL_UNLIKELY(nopal_push(frame) != 0)) {                                                              \
    NOPAL_DETAIL_MARK_CHILD();                                                                               \
    nopal_c_push_refused();                                                                                  \
    return;                                                                                                  \
  }
#define NOPAL_DETAIL_TAKE_BACK()                                                                             \
  if (NOPAL_UNLIKELY(!nopal_pop())) {                                                                        \
    nopal_end_stolen_child(nopal_kept);                                                                      \
  }

#ifdef NOPAL_DETAIL_LARGE_BY_REFERENCE
/* The ABI passes what has more bytes than this by the address of a copy in the parent's frame, which the parent fills anew
 * once a thief runs it. So the child takes such arguments before the push. Compilers are told that both places are looked
 * at, and so make them two. */
#define NOPAL_DETAIL_AS_OWN(type, name)                                                                      \
  __typeof__(name) nopal_own_##name = name; /* arrays are pointers by now */                                 \
  if (sizeof nopal_own_##name > NOPAL_DETAIL_LARGE_BY_REFERENCE)                                             \
    __asm__ volatile("" : : "r"(&name), "r"(&nopal_own_##name) : "memory");
#define NOPAL_DETAIL_OWN(list) NOPAL_DETAIL_EACH_OF(NOPAL_DETAIL_AS_OWN, list)
#define NOPAL_DETAIL_CALL_OWNER(f, list) f(NOPAL_DETAIL_OWN_ARGUMENTS list)
#else
#define NOPAL_DETAIL_OWN(list)
#define NOPAL_DETAIL_CALL_OWNER(f, list) f(NOPAL_DETAIL_ARGUMENTS list)
#endif

static __attribute__((unused)) void nopal_enter_untyped(struct nopal_frame* frame, void (*self)(void),
                                                        void (*function)(void*), void* argument) {
  (void)self;
  NOPAL_DETAIL_OFFER(frame)
  function(argument);
  NOPAL_DETAIL_TAKE_BACK()
}

/* The routine is called as what it tail-calls. Through a variable: GCC warns of a cast in the call
 * itself. */
#define NOPAL_DETAIL_ENTER(entry, types, ...)                                                                \
  do {                                                                                                       \
    void (*nopal_enter)(void) = nopal_enter_fork;                                                            \
    NOPAL_DETAIL_MARK_PARENT();                                                                              \
    ((void(*) types)nopal_enter)(&nopal_parent->frame, (void (*)(void))(entry)__VA_ARGS__);                  \
    nopal_forget_stack_pointer();                                                                            \
  } while (0)

static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD void
nopal_untyped_fork(nopal_scope* nopal_parent, void (*function)(void*), void* argument) {
  NOPAL_DETAIL_ENTER(nopal_enter_untyped, (struct nopal_frame*, void (*)(void), void (*)(void*), void*), ,
                     function, argument);
}

#define NOPAL_DETAIL_CHILD(result, f, list)                                                                  \
  NOPAL_DETAIL_DECLARE(result, f, list)                                                                      \
  static __attribute__((unused)) void nopal_child_##f(                                                       \
      struct nopal_frame* nopal_parent, void (*nopal_self)(void),                                            \
      __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {                                     \
    (void)nopal_self;                                                                                        \
    NOPAL_DETAIL_OWN(list)                                                                                   \
    NOPAL_DETAIL_OFFER(nopal_parent)                                                                         \
    *nopal_out = NOPAL_DETAIL_CALL_OWNER(f, list);                                                           \
    NOPAL_DETAIL_TAKE_BACK()                                                                                 \
  }
#define NOPAL_DETAIL_CHILD_TYPES(result, list)                                                               \
  (struct nopal_frame*, void (*)(void), __typeof__(result)* NOPAL_DETAIL_MORE_TYPES list)

#define NOPAL_DETAIL_CHILD_VOID(f, list)                                                                     \
  NOPAL_DETAIL_DECLARE(void, f, list)                                                                        \
  static __attribute__((unused)) void nopal_child_##f(                                                       \
      struct nopal_frame* nopal_parent, void (*nopal_self)(void) NOPAL_DETAIL_MORE_PARAMETERS list) {        \
    (void)nopal_self;                                                                                        \
    NOPAL_DETAIL_OWN(list)                                                                                   \
    NOPAL_DETAIL_OFFER(nopal_parent)                                                                         \
    NOPAL_DETAIL_CALL_OWNER(f, list);                                                                        \
    NOPAL_DETAIL_TAKE_BACK()                                                                                 \
  }
#define NOPAL_DETAIL_CHILD_VOID_TYPES(list) (struct nopal_frame*, void (*)(void) NOPAL_DETAIL_MORE_TYPES list)

#if NOPAL_HAS_LATENT_FORKS
#include <nopal/detail/c_latent.h>
#else

static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD void
nopal_fork(nopal_scope* scope, void (*function)(void*), void* argument) {
  NOPAL_DETAIL_MARK_PARENT();
  nopal_check_function(&scope->frame);
  nopal_untyped_fork(scope, function, argument);
}

#define NOPAL_DETAIL_FORKABLE(result, f, list)                                                               \
  NOPAL_DETAIL_CHILD(result, f, list)                                                                        \
  static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD __attribute__((unused)) void nopal_fork_##f(        \
      nopal_scope* nopal_parent, __typeof__(result)* nopal_out NOPAL_DETAIL_MORE_PARAMETERS list) {          \
    NOPAL_DETAIL_MARK_PARENT();                                                                              \
    nopal_check_function(&nopal_parent->frame);                                                              \
    NOPAL_DETAIL_ENTER(nopal_child_##f, NOPAL_DETAIL_CHILD_TYPES(result, list), ,                            \
                       nopal_out NOPAL_DETAIL_MORE_ARGUMENTS list);                                          \
  }

#define NOPAL_DETAIL_FORKABLE_VOID(f, list)                                                                  \
  NOPAL_DETAIL_CHILD_VOID(f, list)                                                                           \
  static NOPAL_ALWAYS_INLINE NOPAL_DETAIL_CALLS_AS_CHILD __attribute__((unused)) void nopal_fork_##f(        \
      nopal_scope* nopal_parent NOPAL_DETAIL_MORE_PARAMETERS list) {                                         \
    NOPAL_DETAIL_MARK_PARENT();                                                                              \
    nopal_check_function(&nopal_parent->frame);                                                              \
    NOPAL_DETAIL_ENTER(nopal_child_##f, NOPAL_DETAIL_CHILD_VOID_TYPES(list),                                 \
                       NOPAL_DETAIL_MORE_ARGUMENTS list);                                                    \
  }

#endif

#endif

#endif

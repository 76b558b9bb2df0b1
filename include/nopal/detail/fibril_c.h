/* Fork and join of the Fibril interface in C.
 *
 * A macro in a function's body cannot define the function that a fork enters, and knows no
 * parameter's type. So the child is called through a pointer of its own type to an assembly
 * routine, which finds every argument, converted by the compiler, where the child wants it, and the
 * frame in the static chain.
 */
#ifndef NOPAL_DETAIL_FIBRIL_C_H
#define NOPAL_DETAIL_FIBRIL_C_H

#ifdef NOPAL_CHECKED
#include <nopal/detail/check.h>
#elif !defined(NOPAL_DETAIL_FIBRIL_SERIAL)
#include <nopal/detail/c_scope_parallel.h>
#include <nopal/detail/fibril_frame.h>
#endif

/* Classes of types, as __builtin_classify_type numbers them. `any` is a pointer to anything, never
 * followed. What has type void is seen as a structure, since nothing may be asked of void
 * itself. */
#define NOPAL_DETAIL_FIBRIL_IS_VOID(type) __builtin_types_compatible_p(type, void)
#define NOPAL_DETAIL_FIBRIL_OBJECT(type, any)                                                                \
  (*__builtin_choose_expr(NOPAL_DETAIL_FIBRIL_IS_VOID(type), (NOPAL_DETAIL_FIBRIL_FRAME*)(any), (type*)(any)))
#define NOPAL_DETAIL_FIBRIL_IS_POINTER(expression) (__builtin_classify_type(expression) == 5)
#define NOPAL_DETAIL_FIBRIL_IS_WORD(type, any)                                                               \
  (__builtin_classify_type(NOPAL_DETAIL_FIBRIL_OBJECT(type, any)) >= 1 &&                                    \
   __builtin_classify_type(NOPAL_DETAIL_FIBRIL_OBJECT(type, any)) <= 5 &&                                    \
   sizeof(NOPAL_DETAIL_FIBRIL_OBJECT(type, any)) <= 8)
#define NOPAL_DETAIL_FIBRIL_SAME(type, other)                                                                \
  __builtin_types_compatible_p(__typeof__(type), __typeof__(other))
#define NOPAL_DETAIL_FIBRIL_TO_VOID(expression)                                                              \
  (NOPAL_DETAIL_FIBRIL_SAME(expression, void*) || NOPAL_DETAIL_FIBRIL_SAME(expression, const void*) ||       \
   NOPAL_DETAIL_FIBRIL_SAME(expression, volatile void*))

/* What `destination` points to if it is a pointer; else something. */
#define NOPAL_DETAIL_FIBRIL_TARGET(destination, any)                                                         \
  (*__builtin_choose_expr(NOPAL_DETAIL_FIBRIL_IS_POINTER(destination) &&                                     \
                              !NOPAL_DETAIL_FIBRIL_TO_VOID(destination),                                     \
                          (destination), (NOPAL_DETAIL_FIBRIL_FRAME*)(any)))

/* Whether `destination` points to what receives a `result`, and does not receive it. */
#define NOPAL_DETAIL_FIBRIL_LEADS_TO(destination, result, any)                                               \
  (NOPAL_DETAIL_FIBRIL_IS_POINTER(destination) &&                                                            \
   (!NOPAL_DETAIL_FIBRIL_IS_POINTER(NOPAL_DETAIL_FIBRIL_OBJECT(result, any)) ||                              \
    NOPAL_DETAIL_FIBRIL_SAME(result, NOPAL_DETAIL_FIBRIL_TARGET(destination, any)) ||                        \
    (!NOPAL_DETAIL_FIBRIL_SAME(result, destination) &&                                                       \
     NOPAL_DETAIL_FIBRIL_IS_POINTER(NOPAL_DETAIL_FIBRIL_TARGET(destination, any)))))

/* The variable that receives. Of the two only the chosen one need be an lvalue. */
#define NOPAL_DETAIL_FIBRIL_RECEIVER(destination, result, any)                                               \
  __builtin_choose_expr(NOPAL_DETAIL_FIBRIL_LEADS_TO(destination, result, any),                              \
                        NOPAL_DETAIL_FIBRIL_TARGET(destination, any), (destination))

#ifdef NOPAL_CHECKED

struct nopal_fibril_checked {
  struct nopal_check_children* children;
};
#define NOPAL_DETAIL_FIBRIL_FRAME struct nopal_fibril_checked

#define NOPAL_DETAIL_FIBRIL_INIT(frame) ((void)((frame)->children = NULL))
#define NOPAL_DETAIL_FIBRIL_JOIN(frame) nopal_check_join(&(frame)->children)

#define NOPAL_DETAIL_FIBRIL_FORK_INTO(frame, destination, function, arguments)                               \
  do {                                                                                                       \
    NOPAL_DETAIL_FIBRIL_FRAME* const nopal_frame = (frame);                                                  \
    __typeof__(&*(function)) nopal_child = (function);                                                       \
    __typeof__(&NOPAL_DETAIL_FIBRIL_RECEIVER(destination, __typeof__((function)arguments),                   \
                                             nopal_frame)) nopal_out =                                       \
        &NOPAL_DETAIL_FIBRIL_RECEIVER(destination, __typeof__((function)arguments), nopal_frame);            \
    nopal_check_fork(&nopal_frame->children);                                                                \
    __asm__ volatile("" : "+r"(nopal_child), "+r"(nopal_out) : : "memory");                                  \
    *nopal_out = nopal_child arguments;                                                                      \
    nopal_check_end(NULL, 0);                                                                                \
  } while (0)

#define NOPAL_DETAIL_FIBRIL_FORK_VOID(frame, function, arguments)                                            \
  do {                                                                                                       \
    __typeof__(&*(function)) nopal_child = (function);                                                       \
    nopal_check_fork(&(frame)->children);                                                                    \
    __asm__ volatile("" : "+r"(nopal_child) : : "memory");                                                   \
    (void)nopal_child arguments;                                                                             \
    nopal_check_end(NULL, 0);                                                                                \
  } while (0)

#elif defined(NOPAL_DETAIL_FIBRIL_SERIAL)

struct nopal_fibril_serial {
  char unused;
};
#define NOPAL_DETAIL_FIBRIL_FRAME struct nopal_fibril_serial

#define NOPAL_DETAIL_FIBRIL_INIT(frame) ((void)(frame))
#define NOPAL_DETAIL_FIBRIL_JOIN(frame) ((void)(frame))

#define NOPAL_DETAIL_FIBRIL_FORK_INTO(frame, destination, function, arguments)                               \
  do {                                                                                                       \
    NOPAL_DETAIL_FIBRIL_FRAME* const nopal_frame = (frame);                                                  \
    NOPAL_DETAIL_FIBRIL_RECEIVER(destination, __typeof__((function)arguments), nopal_frame) =                \
        (function)arguments;                                                                                 \
  } while (0)

#define NOPAL_DETAIL_FIBRIL_FORK_VOID(frame, function, arguments) ((void)(frame), (void)(function)arguments)

#else

#ifdef NOPAL_DETAIL_STATIC_CHAIN_UNKNOWN
#error "nopal: the Fibril interface in C is not there yet for this compiler on this processor"
#endif

#ifdef NOPAL_DETAIL_LARGE_BY_REFERENCE
#include <nopal/detail/fibril_arguments.h>
#else
#define NOPAL_DETAIL_FIBRIL_ACCEPT(arguments)
#endif

#define NOPAL_DETAIL_FIBRIL_FRAME struct nopal_fibril

#define NOPAL_DETAIL_FIBRIL_INIT(scope) nopal_make_frame(&(scope)->frame)
#define NOPAL_DETAIL_FIBRIL_JOIN(scope) nopal_join_frame(&(scope)->frame)

/* The ways to store a result, and 0 for those that there are not. */
enum nopal_fibril_store {
  nopal_fibril_store_none = 0,
  nopal_fibril_store_void,
  nopal_fibril_store_1,
  nopal_fibril_store_2,
  nopal_fibril_store_4,
  nopal_fibril_store_8,
  nopal_fibril_store_8_from_int,
  nopal_fibril_store_8_from_unsigned,
  nopal_fibril_store_float,
  nopal_fibril_store_double,
  nopal_fibril_store_float_from_double,
  nopal_fibril_store_double_from_float
};

/* The routine for where this compiler has the static chain, on processors where they differ. */
#ifndef NOPAL_DETAIL_FIBRIL_BY
#define NOPAL_DETAIL_FIBRIL_BY(routine) routine
#endif
#ifdef NOPAL_RACES_WATCHED
#define NOPAL_DETAIL_FIBRIL_ROUTINE(store) NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_##store)
#else
#define NOPAL_DETAIL_FIBRIL_ROUTINE(store) NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_##store)
#endif

static NOPAL_ALWAYS_INLINE void (*nopal_fibril_routine(enum nopal_fibril_store store))(void) {
  void (*routine)(void) = NOPAL_DETAIL_FIBRIL_ROUTINE(void);
  switch (store) {
  case nopal_fibril_store_none:
  case nopal_fibril_store_void: break;
  case nopal_fibril_store_1: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(1); break;
  case nopal_fibril_store_2: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(2); break;
  case nopal_fibril_store_4: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(4); break;
  case nopal_fibril_store_8: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(8); break;
  case nopal_fibril_store_8_from_int: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(8_from_int); break;
  case nopal_fibril_store_8_from_unsigned: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(8_from_unsigned); break;
  case nopal_fibril_store_float: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(float); break;
  case nopal_fibril_store_double: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(double); break;
  case nopal_fibril_store_float_from_double: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(float_from_double); break;
  case nopal_fibril_store_double_from_float: routine = NOPAL_DETAIL_FIBRIL_ROUTINE(double_from_float); break;
  }
  /* The compiler is told that the pointer may be any function's: GCC drops the static chain of a
   * call whose target it knows to be no nested function. */
  __asm__("" : "+r"(routine));
  return routine;
}

#define NOPAL_DETAIL_FIBRIL_STORE_WORD(receiver, result)                                                     \
  ((__builtin_types_compatible_p(receiver, _Bool) && !__builtin_types_compatible_p(result, _Bool))           \
       ? nopal_fibril_store_none                                                                             \
   : sizeof(receiver) <= sizeof(result) ? (sizeof(receiver) == 1   ? nopal_fibril_store_1                    \
                                           : sizeof(receiver) == 2 ? nopal_fibril_store_2                    \
                                           : sizeof(receiver) == 4 ? nopal_fibril_store_4                    \
                                                                   : nopal_fibril_store_8)                   \
   : (sizeof(receiver) == 8 && __builtin_types_compatible_p(result, int)) ? nopal_fibril_store_8_from_int    \
   : (sizeof(receiver) == 8 && __builtin_types_compatible_p(result, unsigned))                               \
       ? nopal_fibril_store_8_from_unsigned                                                                  \
       : nopal_fibril_store_none)

#define NOPAL_DETAIL_FIBRIL_STORE_REAL(receiver, result)                                                     \
  (__builtin_types_compatible_p(receiver, float)                                                             \
       ? (__builtin_types_compatible_p(result, float)    ? nopal_fibril_store_float                          \
          : __builtin_types_compatible_p(result, double) ? nopal_fibril_store_float_from_double              \
                                                         : nopal_fibril_store_none)                          \
   : __builtin_types_compatible_p(receiver, double)                                                          \
       ? (__builtin_types_compatible_p(result, double)  ? nopal_fibril_store_double                          \
          : __builtin_types_compatible_p(result, float) ? nopal_fibril_store_double_from_float               \
                                                        : nopal_fibril_store_none)                           \
       : nopal_fibril_store_none)

#define NOPAL_DETAIL_FIBRIL_STORE(receiver, result, any)                                                     \
  ((NOPAL_DETAIL_FIBRIL_IS_WORD(receiver, any) && NOPAL_DETAIL_FIBRIL_IS_WORD(result, any))                  \
       ? NOPAL_DETAIL_FIBRIL_STORE_WORD(receiver, result)                                                    \
       : NOPAL_DETAIL_FIBRIL_STORE_REAL(receiver, result))

/* The call: the compiler sets the arguments as for the child itself. */
#define NOPAL_DETAIL_FIBRIL_ENTER(fibril_frame, store, destination, function, arguments)                     \
  do {                                                                                                       \
    NOPAL_DETAIL_FIBRIL_ACCEPT(arguments)                                                                    \
    if (NOPAL_UNLIKELY((fibril_frame)->frame.frame_pointer != __builtin_frame_address(0))) {                 \
      nopal_fail_foreign_scope(&(fibril_frame)->frame);                                                      \
    }                                                                                                        \
    NOPAL_DETAIL_MARK_PARENT();                                                                              \
    (fibril_frame)->child = (void (*)(void))(function);                                                      \
    (fibril_frame)->out = (void*)(destination);                                                              \
    (void)__builtin_call_with_static_chain(((__typeof__(&*(function)))nopal_fibril_routine(store))arguments, \
                                           (void*)(fibril_frame));                                           \
    nopal_forget_stack_pointer();                                                                            \
  } while (0)

#define NOPAL_DETAIL_FIBRIL_FORK_INTO(scope, destination, function, arguments)                               \
  do {                                                                                                       \
    NOPAL_DETAIL_FIBRIL_FRAME* const nopal_scope_forked = (scope);                                           \
    typedef __typeof__((function)arguments) nopal_result;                                                    \
    __typeof__(&NOPAL_DETAIL_FIBRIL_RECEIVER(destination, nopal_result, nopal_scope_forked))                 \
        const nopal_out = &NOPAL_DETAIL_FIBRIL_RECEIVER(destination, nopal_result, nopal_scope_forked);      \
    enum {                                                                                                   \
      nopal_store = NOPAL_DETAIL_FIBRIL_STORE(__typeof__(*nopal_out), nopal_result, nopal_scope_forked)      \
    };                                                                                                       \
    _Static_assert(                                                                                          \
        (int)nopal_store != (int)nopal_fibril_store_none,                                                    \
        "fibril_fork: the result must be a scalar of up to 8 bytes, of the receiving variable's type");      \
    NOPAL_DETAIL_FIBRIL_ENTER(nopal_scope_forked, (enum nopal_fibril_store)nopal_store, nopal_out, function, \
                              arguments);                                                                    \
  } while (0)

#define NOPAL_DETAIL_FIBRIL_FORK_VOID(scope, function, arguments)                                            \
  do {                                                                                                       \
    NOPAL_DETAIL_FIBRIL_FRAME* const nopal_scope_forked = (scope);                                           \
    typedef __typeof__((function)arguments) nopal_result;                                                    \
    _Static_assert(NOPAL_DETAIL_FIBRIL_IS_VOID(nopal_result) ||                                              \
                       NOPAL_DETAIL_FIBRIL_IS_WORD(nopal_result, nopal_scope_forked) ||                      \
                       __builtin_types_compatible_p(nopal_result, float) ||                                  \
                       __builtin_types_compatible_p(nopal_result, double),                                   \
                   "fibril_fork: the result must be nothing or a scalar of up to 8 bytes");                  \
    NOPAL_DETAIL_FIBRIL_ENTER(nopal_scope_forked, nopal_fibril_store_void, NULL, function, arguments);       \
  } while (0)

#endif

#endif

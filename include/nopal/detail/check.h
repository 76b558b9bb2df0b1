/* What programs compiled with NOPAL_CHECKED tell the checking library: forks, joins, locks, reducers' views.
 *
 * The program runs serially, depth first. Accesses come by the hooks that -fsanitize=thread has compilers
 * emit; these notes say which of them are parallel.
 */
#ifndef NOPAL_DETAIL_CHECK_H
#define NOPAL_DETAIL_CHECK_H

#include <stddef.h>

#include <nopal/detail/export.h>

#ifdef NOPAL_CHECKED
#ifndef __SANITIZE_THREAD__
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define NOPAL_DETAIL_IS_INSTRUMENTED
#endif
#endif
#ifndef NOPAL_DETAIL_IS_INSTRUMENTED
#ifdef NOPAL_CHECKED_PARALLEL
#pragma GCC warning                                                                                          \
    "nopal: NOPAL_CHECKED_PARALLEL without -fsanitize=thread checks nothing: take the flags of pkg-config --cflags nopal-check-parallel"
#else
#pragma GCC warning                                                                                          \
    "nopal: NOPAL_CHECKED without -fsanitize=thread checks nothing: take the flags of pkg-config --cflags nopal-check"
#endif
#endif
#endif

#if defined(__clang__) && defined(__AVX__) && !defined(NOPAL_CHECK_VECTORS)
#pragma GCC warning                                                                                          \
    "nopal: Clang tells nothing of accesses of 32 bytes and more: add -mprefer-vector-width=128 and -DNOPAL_CHECK_VECTORS"
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Children of one scope that are not joined; null: none. In the scope. */
struct nopal_check_children;

/* A child of the scope whose children these are begins. Its frames lie below the caller's. */
NOPAL_EXPORT void nopal_check_fork(struct nopal_check_children** children);
/* It ends, however it does. The memory of its call is free for the next. */
NOPAL_EXPORT void nopal_check_end(const void* call, size_t call_bytes);
/* All that were forked on the scope are joined. */
NOPAL_EXPORT void nopal_check_join(struct nopal_check_children** children);

/* Where forks are real, with NOPAL_CHECKED_PARALLEL: what a strand takes along over a fork or a join. In the forking frame;
   the words are the checker's. */
struct nopal_check_kept {
  size_t words[10];
};
/* The running strand forks on the scope: the child, and what the continuation goes on with. */
NOPAL_EXPORT void* nopal_check_branch(struct nopal_check_children** children, struct nopal_check_kept* kept);
/* On the thread that has forked it, the child begins; its frames lie below the caller's. It ends, on whatever thread. */
NOPAL_EXPORT void nopal_check_begin(void* child);
NOPAL_EXPORT void nopal_check_leave(void);
/* Before a join of the scope, whose children there are, and after it or a fork: on whatever thread. */
NOPAL_EXPORT void nopal_check_keep(struct nopal_check_children** children, struct nopal_check_kept* kept);
NOPAL_EXPORT void nopal_check_go_on(const struct nopal_check_kept* kept);

/* What is about to be done is not checked so: the program ends with a line. `what` is such as "an event". */
NOPAL_EXPORT void nopal_check_refuse(const char* what);

/* Accesses between the two are the library's, and not looked at. They nest. */
NOPAL_EXPORT void nopal_check_ignore(void);
NOPAL_EXPORT void nopal_check_heed(void);

/* The memory begins anew: what was there is no part of any race. */
NOPAL_EXPORT void nopal_check_forget(const void* memory, size_t bytes);

/* A lock is held, or no more. */
NOPAL_EXPORT void nopal_check_lock(const void* lock);
NOPAL_EXPORT void nopal_check_lock_shared(const void* lock);
NOPAL_EXPORT void nopal_check_unlock(const void* lock);

/* What the running strand did so far comes before what is after `signaled` with the same address. */
NOPAL_EXPORT void nopal_check_signal(const void* event);
/* And so does what came before those that have signaled it already, since nopal_check_forget_event. */
NOPAL_EXPORT void nopal_check_signal_too(const void* event);
NOPAL_EXPORT void nopal_check_forget_event(const void* event);
NOPAL_EXPORT void nopal_check_signaled(const void* event);
/* It waits for what has not come, say "an event": in a program of one thread nothing can come any more, nor can
   in any the lock that the thread itself holds; null: it waits for no lock. */
NOPAL_EXPORT void nopal_check_wait(const char* what, const void* lock);
/* It has waited so long for a descriptor, and does further. */
NOPAL_EXPORT void nopal_check_wait_long(int descriptor, int seconds);

/* For tests: called for every race, those that are reported no more included. */
NOPAL_EXPORT void nopal_check_watch(void (*found)(const void* memory, size_t bytes));

/* How views of a reducer are made, reduced and ended. */
struct nopal_check_view_functions {
  void* (*create)(void* context);
  void (*reduce)(void* context, void* left, void* right);
  void (*destroy)(void* context, void* view);
};

/* A reducer, as strands know it. */
struct nopal_check_reducer {
  const struct nopal_check_view_functions* functions;
  void* context;
  void* leftmost;             /* the view that came first; the reducer's own */
  void* others;               /* the checker's; null: none */
  unsigned long long segment; /* of the leftmost view */
};

/* Memory for a view, to be given to `free`. Null where there is none. */
NOPAL_EXPORT void* nopal_check_allocate(size_t bytes, size_t alignment);

NOPAL_EXPORT void nopal_check_make_reducer(struct nopal_check_reducer* reducer);
NOPAL_EXPORT void nopal_check_end_reducer(struct nopal_check_reducer* reducer);
/* The strand's view. Null without memory; throws what `create` throws. */
NOPAL_EXPORT void* nopal_check_view(struct nopal_check_reducer* reducer);
/* The same, to read its value: a race while a child that may update it is outstanding. */
NOPAL_EXPORT void* nopal_check_value(struct nopal_check_reducer* reducer);

#ifdef __cplusplus
}
#endif

#endif

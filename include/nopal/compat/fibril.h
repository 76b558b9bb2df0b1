/** @file
 * The interface of Fibril, as its 2016 paper and its published library have it, for GNU C and C++.
 *
 *     fibril int parfib(int n) {
 *       if (n < 2) return n;
 *       fibril_t fr;
 *       fibril_init(&fr);
 *       int x, y;
 *       fibril_fork(&fr, x, parfib, (n - 1));
 *       y = parfib(n - 2);
 *       fibril_join(&fr);
 *       return x + y;
 *     }
 *
 * Rules are those of <nopal/nopal.h>. Functions need no attribute: the word `fibril` matters in C
 * with `-fsanitize=cfi` or `kcfi` alone.
 *
 * In C, a child may have any number of parameters of any types; on AArch64 and RISC-V up to 32
 * arguments of up to 16 bytes each. Its result is nothing or a scalar
 * of up to 8 bytes; the variable that receives it has its type, or is an integer while the result
 * is one (wider, only from `int` and `unsigned` to 8 bytes), or is a float or a double while the
 * result is one. All else is an error at compile time. With NOPAL_ELIDE or FIBRIL_SERIAL defined a
 * fork is a call and a join nothing.
 */
#ifndef NOPAL_COMPAT_FIBRIL_H
#define NOPAL_COMPAT_FIBRIL_H

#ifdef NOPAL_CHECKED_PARALLEL
#error                                                                                                       \
    "nopal: Fibril's forks are not checked in parallel: compile without NOPAL_CHECKED_PARALLEL, as pkg-config --cflags nopal-check says"
#endif

#ifdef __cplusplus
extern "C++" { /* where a program includes this inside extern "C" */
#endif

#if defined(NOPAL_ELIDE) || defined(FIBRIL_SERIAL)
#define NOPAL_DETAIL_FIBRIL_SERIAL
#else
#if !defined(__cplusplus) && !defined(NOPAL_NOPAL_H)
/* In C these forks are eager, and eager ones cost more where others may be latent: a file that has no
 * others does not ask for that. */
#define NOPAL_DETAIL_NO_LATENT_FORKS
#endif
#include <nopal/nopal.h>
#endif

#ifdef __cplusplus
#include <nopal/detail/fibril_cpp.hpp>
#else
#include <nopal/detail/fibril_c.h>
#endif

/** Marks a function that forks. Such a function is compiled as any other; with Clang, in C, its
 * calls through pointers are not checked by -fsanitize=cfi-icall and -fsanitize=kcfi, which a fork
 * there would not pass. */
#if defined(__clang__) && !defined(__cplusplus)
#define fibril __attribute__((no_sanitize("cfi-icall", "kcfi")))
#else
#define fibril
#endif

/** A frame to fork on: a scope in the terms of <nopal/nopal.h>. Its members are the library's. */
typedef NOPAL_DETAIL_FIBRIL_FRAME fibril_t;

/** `fibril_init(&fr)` makes the frame empty, for the calling function and no other. Constant
 * time. */
#define fibril_init(frame_pointer) NOPAL_DETAIL_FIBRIL_INIT(frame_pointer)

/** `fibril_join(&fr)` waits for every child forked on the frame since the last join. May return on
 * another thread, except the outermost join of a thread of the program. One load and one compare if
 * nothing was stolen. */
#define fibril_join(frame_pointer) NOPAL_DETAIL_FIBRIL_JOIN(frame_pointer)

/** What the functions of this header return on success. */
#define FIBRIL_SUCCESS 0

/** For fibril_rt_init: as many workers as NOPAL_WORKERS says, else as the process may use CPUs. */
#define FIBRIL_NPROCS 0

/** For fibril_rt_init: the same. */
#define FIBRIL_NPROCS_ONLN (-1)

/** Forks `f(args)`, a call that may run at the same time as what follows, up to the join.
 *
 * `fibril_fork(&fr, x, f, (args))` assigns the result to the variable `x`; `fibril_fork(&fr, &x, f,
 * (args))` means the same; `fibril_fork(&fr, f, (args))` drops it. Where `x` is a pointer itself,
 * it is what receives the result if their types are the same, and what leads there if its target's
 * type is the result's. The arguments are evaluated before anything runs at the same time. Where
 * nothing is stolen it costs a call and a dozen stores. */
#define fibril_fork(...)                                                                                     \
  NOPAL_DETAIL_FIBRIL_FIFTH(__VA_ARGS__, NOPAL_DETAIL_FIBRIL_FORK_INTO, NOPAL_DETAIL_FIBRIL_FORK_VOID, ~, ~) \
  (__VA_ARGS__)
#define NOPAL_DETAIL_FIBRIL_FIFTH(a, b, c, d, fifth, ...) fifth

/** Sets the number of workers before the first fork; 0 leaves it to NOPAL_WORKERS. Forks work
 * without it. FIBRIL_SUCCESS, or another value if `count` is out of range or the runtime has
 * started. */
static inline int fibril_rt_init(int count) {
#ifdef NOPAL_DETAIL_FIBRIL_SERIAL
  (void)count;
  return FIBRIL_SUCCESS;
#else
  nopal_configuration with;
  with.workers = count > 0 ? count : 0;
  with.stack_size = 0;
  with.reclaim = nopal_reclaim_default;
  with.pin = nopal_pin_default;
  with.reclaim_with = nopal_reclaim_with_default;
  with.on_bad_setting = nopal_bad_setting_default;
  return nopal_configure(&with);
#endif
}

/** Stops the workers; the next fork starts anew. FIBRIL_SUCCESS, or another value from inside a
 * strand. */
static inline int fibril_rt_exit(void) {
#ifdef NOPAL_DETAIL_FIBRIL_SERIAL
  return FIBRIL_SUCCESS;
#else
  return nopal_shutdown();
#endif
}

/** The number of workers. From any thread; constant time after the first call. */
static inline int fibril_rt_nprocs(void) {
#ifdef NOPAL_DETAIL_FIBRIL_SERIAL
  return 1;
#else
  return nopal_workers();
#endif
}

#ifdef __cplusplus
}
#endif

#endif

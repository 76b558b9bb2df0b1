/** @file
 * The C interface: fork and join for C11 on GCC and Clang, on the same runtime and with the same
 * guarantees as the C++ one.
 *
 * A function that forks makes a scope, forks children on it and joins them. A fork calls its child
 * like a function; what follows the fork, up to the join, may be taken by another worker and run at
 * the same time:
 *
 *     NOPAL_FORKABLE(long, fib, (int, n))
 *
 *     long fib(int n) {
 *       if (n < 2) return n;
 *       long x, y;
 *       nopal_scope s;
 *       nopal_scope_init(&s);
 *       nopal_fork_fib(&s, &x, n - 1);
 *       y = fib(n - 2);
 *       nopal_join(&s);
 *       return x + y;
 *     }
 *
 * Rules. A scope is made, forked on and joined by one activation of one function, and joined before
 * that returns. After a fork or a join the function may be on another thread: hold no mutex, no
 * address of a thread-local variable and no `errno` across them. Make no alloca and no
 * variable-length array between a scope's making and its last join. A C++ exception must not leave
 * a child that was forked by a file compiled as C.
 *
 * With NOPAL_ELIDE defined a fork is a call and a join nothing: the serial program, which needs no
 * symbol of the library unless it calls the functions below that ask or set something of the
 * runtime, as nopal_configure. In C++ errors are exceptions of type nopal::error; in C a wrong use
 * of a scope, and a thread that cannot become a worker, end the program with one line on stderr.
 */
#ifndef NOPAL_NOPAL_H
#define NOPAL_NOPAL_H

#ifdef __cplusplus
extern "C++" { /* where a program includes this inside extern "C" */
#endif

#if defined(NOPAL_CHECKED_PARALLEL) && !defined(NOPAL_CHECKED)
#define NOPAL_CHECKED
#endif
#if defined(NOPAL_CHECKED) && !defined(NOPAL_ELIDE)
#define NOPAL_ELIDE /* and more: see <nopal/version.hpp> */
#endif
#if !defined(__cplusplus) || !defined(NOPAL_ELIDE)
#include <nopal/detail/language.h>
#endif

#include <stddef.h>
#include <stdint.h>

#include <nopal/detail/export.h>
#ifdef NOPAL_CHECKED_PARALLEL
#include <nopal/detail/c_scope_checked_parallel.h>
#elif defined(NOPAL_CHECKED)
#include <nopal/detail/c_scope_checked.h>
#elif defined(NOPAL_ELIDE)
#include <nopal/detail/c_scope_elided.h>
#else
#include <nopal/detail/c_scope_parallel.h>
#endif
#include <nopal/detail/c_reducer.h>

#include <nopal/detail/work_span.h>

/** @struct nopal_scope
 * Forks children and joins them within one call of one function. Lives in that function's frame;
 * not to be copied or moved. Its members are the library's. */

/** @fn void nopal_scope_init(nopal_scope* scope)
 * Makes `scope` empty, for the calling function and no other. Constant time; no allocation, no
 * system call. */

/** @fn void nopal_fork(nopal_scope* scope, void (*function)(void*), void* argument)
 * Calls `function(argument)`, a child of `scope` that may run at the same time as what follows, up
 * to the join. What `argument` points to must live until then. Where nothing is stolen it costs a
 * call and a dozen stores. */

/** @fn void nopal_join(nopal_scope* scope)
 * Waits for every child forked on `scope` since the last join; the worker does other work
 * meanwhile. May return on another thread, except the outermost join of a thread of the program.
 * One load and one compare if nothing was stolen. Rethrows what the serial program would have met
 * first among exceptions of children forked from C++; one that the continuation throws wins over
 * them. */

/** @struct nopal_monoid
 * An associative operation with an identity, for reducers of C. Must outlive every reducer made
 * with it, and the joins of the strands that used them: a constant, as a rule. Its functions may
 * run on any worker, for several views at once. */

/** @struct nopal_reducer
 * A variable that strands update in parallel, each its own view of it; the views are reduced where
 * strands join. For every associative operation the result is that of the serial program, whatever
 * the schedule:
 *
 *     static void add(void* context, void* left, void* right) { *(long*)left += *(long*)right; }
 *     static const nopal_monoid sum = {.size = sizeof(long), .reduce = add};
 *
 *     long total = 0;
 *     nopal_reducer r;
 *     nopal_reducer_init(&r, &sum, &total);
 *     ... strands do *(long*)nopal_view(&r) += x; ...
 *     nopal_reducer_destroy(&r);            // `total` is complete once all is joined
 *
 * Not to be copied or moved. Its members are the library's. */

/** @fn int nopal_reducer_init(nopal_reducer* reducer, const nopal_monoid* monoid, void* value)
 * Makes a reducer of the variable at `value`, which stays the caller's and is the view of what
 * comes first in serial order. 0, or -1 without memory. From any thread and strand. Constant
 * time. */

/** @fn void* nopal_view(nopal_reducer* reducer)
 * The strand's view, valid up to its next fork, join or return to a function that forks. Null if
 * there was no memory for one, which is only at a strand's first use of the reducer after a steal.
 * Elsewhere two loads and a predictable branch beside the load of the thread's array. Complete when
 * no child that may have updated it is outstanding. */

/** @fn void nopal_reducer_destroy(nopal_reducer* reducer)
 * Ends the reducer, not the variable. When no child that uses it is outstanding. Constant time. */

/** At file scope: makes `nopal_fork_f`, which forks the function `f`.
 *
 * `NOPAL_FORKABLE(result, f, (type, name)...)`, with up to 16 parameters of any types, declares
 * `result f(...)` and defines `void nopal_fork_f(nopal_scope*, result* out, ...)`: `*out = f(...)`
 * as a child, the arguments evaluated and copied before anything runs at the same time. Read `*out`
 * after the join only. No semicolon follows. If `f` is static, or noexcept in C++20, it must be
 * declared so before. Cost and thread rules are those of nopal_fork. */
#define NOPAL_FORKABLE(result, ...)                                                                          \
  NOPAL_DETAIL_FORKABLE_NAMED(result, NOPAL_DETAIL_FIRST(__VA_ARGS__, ~), (__VA_ARGS__))

/** The same for a function that returns nothing: `NOPAL_FORKABLE_VOID(f, (type, name)...)` defines
 * `void nopal_fork_f(nopal_scope*, ...)`. */
#define NOPAL_FORKABLE_VOID(...)                                                                             \
  NOPAL_DETAIL_FORKABLE_VOID_NAMED(NOPAL_DETAIL_FIRST(__VA_ARGS__, ~), (__VA_ARGS__))

#define NOPAL_DETAIL_FORKABLE_NAMED(result, f, list) NOPAL_DETAIL_FORKABLE(result, f, list)
#define NOPAL_DETAIL_FORKABLE_VOID_NAMED(f, list) NOPAL_DETAIL_FORKABLE_VOID(f, list)

#ifdef __cplusplus
extern "C" {
#endif

/** When the pages of a suspended stack go back to the system. */
enum nopal_reclaim {
  nopal_reclaim_default = 0, /**< as NOPAL_RECLAIM says, else lazy */
  nopal_reclaim_lazy,        /**< only while many suspended stacks hold unused pages */
  nopal_reclaim_eager,       /**< at every suspension */
  nopal_reclaim_never        /**< not before the runtime shuts down */
};

/** How unused stack pages are given back. */
enum nopal_reclaim_with {
  nopal_reclaim_with_default = 0, /**< as NOPAL_RECLAIM_WITH says, else dontneed */
  nopal_reclaim_with_dontneed,    /**< MADV_DONTNEED: at once */
  nopal_reclaim_with_free         /**< MADV_FREE: when the system runs short */
};

/** Whether worker threads are bound to CPUs. Write the names: C++'s nopal::configuration::pin has
 * other numbers. */
enum nopal_pin {
  nopal_pin_no = -1,     /**< they are not */
  nopal_pin_default = 0, /**< as NOPAL_PIN says, else they are not */
  nopal_pin_yes = 1      /**< each to one CPU */
};

/** What becomes of an environment variable whose value is not understood. For libraries, which must
 * not end the programs that they are in. */
enum nopal_bad_setting {
  nopal_bad_setting_default = 0, /**< as NOPAL_ON_BAD_SETTING says, else exit */
  /** One line on stderr, and the program ends with exit code 2, where it is needed */
  nopal_bad_setting_exit,
  nopal_bad_setting_refuse,     /**< this call of nopal_configure, and later ones, return -1 */
  nopal_bad_setting_use_default /**< one line on stderr, and the variable counts as unset */
};

/** What a program may set before the runtime starts. A member that is zero names nothing: the
 * choice is an earlier call's, else that of the environment variable of the same meaning, else the
 * runtime's. */
typedef struct nopal_configuration {
  /** Threads that execute strands, the caller included; NOPAL_WORKERS */
  int workers;
  size_t stack_size;                     /**< bytes per stack, from 64 KiB; NOPAL_STACK_SIZE */
  enum nopal_reclaim reclaim;            /**< NOPAL_RECLAIM */
  enum nopal_pin pin;                    /**< NOPAL_PIN */
  enum nopal_reclaim_with reclaim_with;  /**< NOPAL_RECLAIM_WITH */
  enum nopal_bad_setting on_bad_setting; /**< NOPAL_ON_BAD_SETTING */
} nopal_configuration;

/** Counts of one worker, from its start. Read while the pool works, they are a snapshot. */
typedef struct nopal_worker_statistics {
  uint64_t steals;           /**< continuations taken from another worker */
  uint64_t failed_steals;    /**< looks at a victim that brought nothing */
  uint64_t suspensions;      /**< strands that waited at a join */
  uint64_t resumptions;      /**< strands resumed at a join by their last child, or at once */
  uint64_t publishes;        /**< batches of private work made public by their owner */
  uint64_t forced_publishes; /**< batches made public by a thief, through a process-wide barrier */
  uint64_t parks;            /**< times the worker went to sleep */
  uint64_t wakes;            /**< sleepers this worker woke */
  uint64_t stacks_taken;     /**< stacks taken from the pool */
  uint64_t stacks_returned;  /**< stacks given back to the pool */
  uint64_t pages_reclaimed;  /**< stack pages given back to the system */
  uint64_t promotions;       /**< latent forks that were made stealable */
  uint64_t signals_sent;     /**< questions by signal for a thread's latent forks */
  uint64_t walks_cut_short;  /**< walks for latent forks that ended at code without unwind tables */
} nopal_worker_statistics;

/** Counts of the whole runtime. */
typedef struct nopal_statistics {
  int workers;                   /**< threads that execute strands */
  nopal_worker_statistics total; /**< sums over all workers, those that have left included */
  uint64_t joins_with_children;  /**< children that a join found stolen; equals steals when quiet */
  uint64_t stacks_in_use;        /**< stacks outside the pool now */
  uint64_t stacks_peak;          /**< the most stacks outside the pool at once */
  uint64_t stacks_mapped;        /**< stacks that exist, in the pool or outside */
  uint64_t stack_pages_in_use;   /**< resident pages of all stacks now */
  uint64_t stack_pages_peak;     /**< bound on the most resident stack pages at once */
  /** Sets of reducers' views: of running strands, and of finished children not joined yet */
  uint64_t view_sets_in_use;
  uint64_t view_sets_peak; /**< the most at once */
} nopal_statistics;

/** The number of threads that execute strands: the worker threads and the calling one; -1 on
 * failure. Starts nothing. From any thread. Constant time after the first call. */
NOPAL_EXPORT int nopal_workers(void);

/** Sets what `with` names, for the next start of the runtime; the rest stays as earlier calls have
 * set it. One of zeros alone leaves everything to the environment again. 0, or -1 if a member is
 * out of range, the runtime has started, or nopal_bad_setting_refuse is set and a variable has a
 * value that is not understood; it sets nothing then. From any thread. Constant time. */
NOPAL_EXPORT int nopal_configure(const nopal_configuration* with);

/** The calling thread's index, from 0 to below nopal_workers() plus the adopted threads and the
 * substitutes of blocked ones; -1 outside the runtime. Not to be kept across a fork or a join. Constant time. */
NOPAL_EXPORT int nopal_worker_index(void);

/** Writes the counts of now to `counts`; exact when the pool is quiet. 0, or -1 without memory.
 * From any thread. Takes time in proportion to the workers and stacks. */
NOPAL_EXPORT int nopal_stats(nopal_statistics* counts);

/** Writes the counts of up to `capacity` workers now known, adopted threads included, to `counts`,
 * and returns how many workers there are; -1 without memory. From any thread. Takes time in
 * proportion to the workers and stacks. */
NOPAL_EXPORT int nopal_worker_stats(nopal_worker_statistics* counts, size_t capacity);

/** Stops the worker threads and returns every stack. 0, or -1 from inside a strand. The next fork
 * starts anew. From any thread. Takes as long as the workers need to end. */
NOPAL_EXPORT int nopal_shutdown(void);

/** Why the latest of these functions that failed on this thread did so; an empty string if none
 * has. Valid until the next failure, and not across a fork or a join. Constant time. */
NOPAL_EXPORT const char* nopal_error_message(void);

#ifdef __cplusplus
}
}
#endif

#endif

/* Outside of the guard, as in scope.hpp. In C, nopal/detail/c_latent.h says it. */
#if defined(__cplusplus) && !defined(NOPAL_DETAIL_SAYS_NOT_LATENT) && !defined(NOPAL_ELIDE) &&               \
    !defined(NOPAL_CHECKED)
#include <nopal/detail/latent_use.hpp>
#endif

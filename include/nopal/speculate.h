/** @file
 * Work that may turn out not to be needed, in C: scopes that can be stopped, and inlets, which take
 * each child's result as it comes.
 *
 *     static void look(void* of) {
 *       struct search* s = of;
 *       if (is_found(s)) nopal_cancel_scope_stop(s->all);
 *       ...
 *     }
 *
 *     nopal_cancel_scope all;
 *     nopal_cancel_scope_init(&all, nopal_inlets_by_completion);
 *     nopal_fork(&all.scope, look, &left);
 *     nopal_fork(&all.scope, look, &right);
 *     nopal_cancel_scope_destroy(&all);
 *
 * Code is in the scope from its making to its end: the function that made it, all that this calls,
 * and all that is forked there, on scopes of any kind. Once it is stopped, forks in it do not begin
 * their children, and what a fork would have assigned stays as it was; what runs goes on to its end, unless
 * it asks nopal_stop_requested; joins wait for what runs. Scopes are nested: to stop one stops those inside.
 *
 * The rules of nopal_scope hold: made, forked on, joined and ended by one activation of one function. Scopes of
 * one function end in the opposite order of their making, and none is left by longjmp or an exception. On every way
 * out of the function the scope is destroyed: otherwise its thread stays in it, and if it was stopped, later forks
 * of the thread are skipped; where the next one lies in the same place, the program ends with one line.
 *
 * With NOPAL_ELIDE defined, forks of a stopped scope itself are skipped, and those of other scopes inside
 * of it are made.
 */
#ifndef NOPAL_SPECULATE_H
#define NOPAL_SPECULATE_H

#include <nopal/nopal.h>

#ifdef __cplusplus
extern "C++" {
#endif

/** In which order the inlets of a scope run. */
enum nopal_inlet_order {
  nopal_inlets_by_completion = 0, /**< that in which the children end */
  nopal_inlets_by_serial_order    /**< that in which they were forked */
};

#ifdef NOPAL_ELIDE
#include <nopal/detail/c_stop_serial.h>
#else
#include <nopal/detail/c_stop_parallel.h>
#endif

/** @struct nopal_cancel_scope
 * A scope whose work can be stopped. Its member `scope` is what forks and joins are given; the others
 * are the library's. Lives in the frame of the function that makes it; not to be copied or moved. */

/** @fn void nopal_cancel_scope_init(nopal_cancel_scope* scope, enum nopal_inlet_order order)
 * Makes `scope` empty, for the calling function and no other, and the thread a worker: where that is
 * impossible the program ends with one line on stderr. Takes some nanoseconds. */

/** @fn void nopal_cancel_scope_destroy(nopal_cancel_scope* scope)
 * Joins, and ends the scope. By the function that made it, before it returns. */

/** @fn int nopal_cancel_scope_stop(nopal_cancel_scope* scope)
 * Stops the scope. From any thread and strand; the scope lasts until the call has returned. 0, or 1 if
 * it was stopped before. Takes time in proportion to the number of workers. */

/** @fn int nopal_cancel_scope_is_stopped(const nopal_cancel_scope* scope)
 * Whether it, or one around it, was stopped. */

/** @fn int nopal_stop_requested(void)
 * Whether the innermost such scope around the caller is to stop, or one around that. One load where no
 * scope of the process is. */

/** @fn void nopal_shield(void (*function)(void*), void* argument)
 * Calls `function(argument)` outside of all scopes that may be stopped: nothing stops what it does. */

/** @fn void nopal_fork_inlet(nopal_cancel_scope* scope, void (*function)(void*), void* argument,
 *                            void (*inlet)(void* context, void* argument), void* context)
 * Forks `function(argument)`; when that returns, calls `inlet(context, argument)`. Inlets of one scope
 * never run at the same time, and each sees what those before it did; the function that forks reads what they
 * write after the join. An inlet may stop the scope, and fork and join on scopes of its own. It also runs
 * for children that end after the scope was stopped, and not for those that were not begun. An exception
 * that leaves the child or the inlet ends the program. What the pointers point to must live until the join. No lock is taken for a child whose
 * continuation was not stolen. */

#ifdef __cplusplus
}
#endif

#endif

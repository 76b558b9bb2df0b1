/* What <nopal/waiting.hpp> asks of the library: calls that may block in the system, and waits of strands.
 *
 * The words of events and mutexes are atomic. Where a strand waits they hold the address of a record on its
 * stack, the latest that came; each record has that of the one before.
 */
#ifndef NOPAL_DETAIL_BLOCKING_H
#define NOPAL_DETAIL_BLOCKING_H

#include <stdint.h>

#include <nopal/detail/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Another thread has the worker's place between the two. The first returns what the second is to be
 * given; 0: the caller has no place to give. The strand may fork meanwhile, and be on another thread
 * at the end. The second leaves errno alone. */
NOPAL_EXPORT uint32_t nopal_begin_blocking(void);
NOPAL_EXPORT void nopal_end_blocking(uint32_t begun);

/** What a thread that serves others is told of calls that block. */
struct nopal_blocking_server {
  void (*begins)(void); /**< a call begins, on that thread */
  void (*ends)(void);   /**< it ends, on whatever thread */
};
/* The calls of this thread that begin to block from now on tell `server`, which stays for good; null: none.
 * At most 127 are told; further ones are not. */
NOPAL_EXPORT void nopal_tell_of_blocking(const struct nopal_blocking_server* server);

/* Whether the caller is the outermost code of a thread of the program, and nothing that it forked is open. */
NOPAL_EXPORT int nopal_is_outermost(void);

/* `state` of an event is one of these, or the address of the latest waiter's record. */
enum { nopal_event_not_set = 0, nopal_event_set = 1 };

/** The word of an event. */
struct nopal_event {
  uintptr_t state; /**< see above */
};

/* Returns once the event was set. */
NOPAL_EXPORT void nopal_wait_for_event(struct nopal_event* event);
/* For the state that whoever has set the event found there: wakes all who waited. */
NOPAL_EXPORT void nopal_wake_waiters(uintptr_t state);

/* `state` of a mutex is one of these, or the address of the latest waiter's record: then it is
 * locked. */
enum { nopal_mutex_free = 0, nopal_mutex_locked = 1 };

/** The words of a mutex. */
struct nopal_mutex {
  uintptr_t state; /**< see above */
  void* queue;     /**< waiters, the first to come first; of whoever holds the mutex */
};

NOPAL_EXPORT void nopal_lock_mutex(struct nopal_mutex* mutex);
NOPAL_EXPORT void nopal_unlock_mutex(struct nopal_mutex* mutex);

#ifdef __cplusplus
}
#endif

#endif

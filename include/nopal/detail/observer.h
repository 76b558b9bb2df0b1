/* Observers: functions that threads call as they begin and cease to take part in an arena's work;
 * and memory nodes, to which the threads in an arena can be bound. Library code for
 * <nopal/observer.hpp>, <nopal/arena.hpp> and the oneTBB interface; docs/arenas.md has the rules.
 */
#ifndef NOPAL_DETAIL_OBSERVER_H
#define NOPAL_DETAIL_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

#include <nopal/detail/export.h>
#include <nopal/detail/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero at first, but for the functions and the arena. The memory is the caller's, until
 * nopal_observe_no_more has returned. */
struct nopal_observer {
  /* Neither throws. `kept` leads to a pointer that is null at entry, and at exit what the entry has
   * left there. */
  void (*entry)(struct nopal_observer*, int is_worker, void** kept);
  void (*exit)(struct nopal_observer*, int is_worker, void** kept);
  /* May be null. What becomes of `kept`, when the exit has been called, or is not since nobody observes
   * any more. May be called when the observer is gone. */
  void (*drop)(void* kept);
  struct nopal_arena* arena; /* whoever observes refers to it; null: code in no arena */
  /* These under one lock for all observers */
  struct nopal_observer* next; /* the next one to have begun among those that observe */
  uint64_t number;             /* of this time of observing, later ones are larger; 0: it does not */
  uint64_t calls;              /* of its functions, under way */
};

/* Begins to observe; nothing if it does already. A caller whose code is in the arena, and whose
 * thread is a worker, calls the entry at once; others that are there do later. */
NOPAL_EXPORT void nopal_observe(struct nopal_observer* observer);
/* Ceases, and waits until no other thread is in one of its functions. From one of its own functions it
 * does not wait. */
NOPAL_EXPORT void nopal_observe_no_more(struct nopal_observer* observer);
NOPAL_EXPORT int nopal_is_observing(const struct nopal_observer* observer);

/* The arena that the caller's code is in; null: none. */
NOPAL_EXPORT struct nopal_arena* nopal_arena_of_caller(void);

/* The numbers of the memory nodes that have CPUs of this process, in order: as many as fit, and how
 * many there are. One, of number 0, where the system describes none. */
NOPAL_EXPORT int nopal_nodes(int* numbers, int room);
/* How many CPUs of this process the node has; 0: there is no such node. */
NOPAL_EXPORT int nopal_cpus_of_node(int node);
/* Zeroed memory whose chunks lie in the nodes by turns; NULL and 0: in all that have CPUs of this process. Chunks are of
 * whole pages; 0: of one. NULL where there is no memory or an argument makes no sense. */
NOPAL_EXPORT void* nopal_map_interleaved(size_t bytes, const int* nodes, size_t count, size_t chunk);
NOPAL_EXPORT void nopal_unmap_interleaved(void* memory, size_t bytes);
/* Binds the threads that will be in a new arena to the CPUs of the node. Not zero: there is no such node. */
NOPAL_EXPORT int nopal_arena_bind(struct nopal_arena* arena, int node);

#ifdef __cplusplus
}
#endif

#endif

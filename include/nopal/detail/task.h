/* Tasks that begin later: children of a group that others may take, while whoever started them goes
 * on where it is.
 *
 * Library code for interfaces whose code stays on its thread (the oneTBB one). A task is put into
 * its thread's list; that thread takes the youngest when it waits for the group, idle workers of
 * the pool take the oldest. Whoever runs a task runs it as a pinned call (pinned.h).
 */
#ifndef NOPAL_DETAIL_TASK_H
#define NOPAL_DETAIL_TASK_H

#include <stdint.h>

#include <nopal/detail/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nopal_task;

/* What a wait waits for. Zero at first. */
struct nopal_task_group {
  uint64_t state; /* atomic; low half: tasks counted and not over; high half: threads that wait */
  /* Atomic; of reducers, that tasks which are over left for the next wait; null: none */
  void* views;
};

/* An arena: a limit of the threads that run some code, and the tasks that were started there.
 * Members are zero at first unless they say otherwise. Thieves may look at it, and take a seat for a
 * moment, when it is gone: so it lies in memory that nopal_arena_make gave. */
struct nopal_arena {
  /* Atomic; the seats that are taken; low half: by threads that came by a call; high half: by
   * thieves, and by workers for tasks. Outlives the arena. */
  uint64_t threads;
  uint32_t limit;                       /* most threads; written once, as the next five */
  uint32_t worker_limit;                /* most of those in the high half */
  uint32_t rank;                        /* workers look at arenas of lower ranks first */
  uint32_t keeps;                       /* not 0: a thread keeps its seat while its call waits */
  void (*destroy)(struct nopal_arena*); /* when nobody refers to it any more */
  void* owner;                          /* for `destroy` */
  uint32_t references;                  /* atomic; one at first */
  uint32_t entering;                    /* atomic; threads that wait for a seat */
  uint32_t lent;                        /* atomic; seats that workers may take beyond their limit */
  uint32_t suspends;                    /* atomic; not 0: a seat was lent here */
  /* Of the tasks here; this and the rest under one lock for all arenas */
  struct nopal_task* oldest;
  struct nopal_task* youngest;
  struct nopal_task* unsorted; /* the oldest that is in no tree, as the younger ones are */
  struct nopal_task* by_group; /* trees */
  struct nopal_task* by_starter;
  struct nopal_arena* next;      /* among those with tasks */
  struct nopal_arena* next_made; /* among all that were ever made */
  struct nopal_arena* next_free; /* among those to be used again */
};

/* Tasks of a list that have something in common, in a ring. */
struct nopal_task_lot {
  struct nopal_task* older;    /* of the oldest: the youngest */
  struct nopal_task* younger;  /* of the youngest: the oldest; null: the task is in no ring */
  struct nopal_task* inner[2]; /* of the oldest alone: others in the list's tree of lots */
};

/* A call to be made once. The memory is the caller's until `run`, which may free it and must not
 * throw. Where there is no memory for a pinned call, `run` is called outside of one: it forks in
 * pinned calls of its own alone, and tells the program where these fail. */
struct nopal_task {
  void (*run)(struct nopal_task*);
  struct nopal_task_group* group;
  /* Whose limit holds; null: none. Whoever pushes the task refers to it until the task has run */
  struct nopal_arena* arena;
  struct nopal_task* older; /* in its list, as all that follows */
  struct nopal_task* younger;
  /* Of its run, the neighbours that were pushed at one stage; null: it ends none */
  struct nopal_task* other_end;
  uint64_t number;        /* in an arena, of those that share alone */
  uint64_t float_control; /* what the task is run with: that of whoever pushed it */
  const void* starter;    /* the task that pushed it, as its root; null: none did */
  uint64_t starter_number;
  const void* pusher; /* the thread that pushed it, as its list of tasks */
  /* Written by whoever pushes it; not 0: as a node of a graph hands on what another graph is waited for. What the task
   * starts counts as started by whoever started it, whose waits run such tasks in any arena when they have nothing else.
   * That is the lowest bit. The others are the library's: which call isolates whoever pushed it, see nopal_isolate */
  uint64_t shares;
  struct nopal_task_lot of_group;
  struct nopal_task_lot of_starter; /* in an arena alone */
};

/* Calls that are offered to threads which wait at joins in arenas, or in none, and keep their places there. `call` makes one in the
 * caller's arena, or, if it only asks, says whether there is one: not zero. It throws nothing. For good, as one library has; where
 * several tell, those of the first are called. */
NOPAL_EXPORT void nopal_tell_of_offered(int (*call)(struct nopal_arena*, int only_asks));
/* Has the task run some time, and its group's waits wait for it. Makes the thread a worker.
 * Non-zero: there is no memory, and nothing has happened. */
NOPAL_EXPORT int nopal_task_push(struct nopal_task* task);

/* Runs the task now, as one of its group, for a wait of the caller's that follows. */
NOPAL_EXPORT void nopal_task_call(struct nopal_task* task);
/* Runs a task now that was announced, for whoever waits. */
NOPAL_EXPORT void nopal_task_call_announced(struct nopal_task* task);
/* Runs what nobody waits for, and throws nothing: if it leaves anything in reducers that are not
 * its own, the process ends with a line that says so. */
NOPAL_EXPORT void nopal_call_unawaited(void (*call)(void*), void* argument);

/* Has the group's waits include a task that is yet to come. */
NOPAL_EXPORT void nopal_task_announce(struct nopal_task_group* group);
/* Pushes it; on failure it is announced still. */
NOPAL_EXPORT int nopal_task_push_announced(struct nopal_task* task);
/* One task that was counted is over, or does not come. The group may be gone when this returns. */
NOPAL_EXPORT void nopal_task_finish(struct nopal_task_group* group);

/* Whether no task is counted: what the tasks did is visible then. */
NOPAL_EXPORT int nopal_task_is_done(const struct nopal_task_group* group);

/* Whether the caller is a part of one of its tasks, on whichever thread. Takes the depth of nesting. */
NOPAL_EXPORT int nopal_is_in_task_of(const struct nopal_task_group* group);

/* Waits until no task of the group is counted: runs tasks of the group and what these started, or
 * sleeps. Called in `arena`; null: in none. The caller's strand then has what the tasks did to
 * reducers. Returns what reductions threw, for nopal_rethrow; null: nothing. */
NOPAL_EXPORT void* nopal_task_wait(struct nopal_task_group* group, struct nopal_arena* arena);

/* What ends a wait in place of the end of all tasks of its group. */
struct nopal_task_wait_end {
  /* Not zero: it has come. Asked by the thread that waits */
  int (*is_reached)(const struct nopal_task_wait_end*);
  /* Before the thread first looks for what others have: whoever brings the end about calls
   * nopal_task_tell from here on. Not called where it runs what it has started itself until the end */
  void (*be_told)(struct nopal_task_wait_end*);
  /* In a call that isolates the waiting code (nopal_isolate), not zero: of the group now only what was pushed in it. Asked at
   * each look; null: it is not zero nowhere */
  int (*is_isolated)(const struct nopal_task_wait_end*);
};

/* Waits until then, as nopal_task_wait; tasks of the group may be left. */
NOPAL_EXPORT void* nopal_task_wait_until(struct nopal_task_group* group, struct nopal_arena* arena,
                                         struct nopal_task_wait_end* end);
/* Has those who wait for the group ask again. The caller sees to it that it is there. */
NOPAL_EXPORT void nopal_task_tell(const struct nopal_task_group* group);

/* A new one, to which its maker refers; null: there is no memory. The maker sets what is written
 * once. `destroy` has to give it back. */
NOPAL_EXPORT struct nopal_arena* nopal_arena_make(void);
NOPAL_EXPORT void nopal_arena_give_back(struct nopal_arena* arena);
/* Takes a seat for a call; waits while the arena is full. */
NOPAL_EXPORT void nopal_arena_enter(struct nopal_arena* arena);
NOPAL_EXPORT void nopal_arena_leave(struct nopal_arena* arena);
/* Takes one as a worker, if there is one: not zero. */
NOPAL_EXPORT int nopal_arena_try_enter_worker(struct nopal_arena* arena);
NOPAL_EXPORT void nopal_arena_leave_worker(struct nopal_arena* arena);
/* Lends the seat that the calling thread has in the arena: another thread may have it, also a worker, until the next one takes one
 * again, which is given what this returns. That waits for a seat, and after 10 ms goes on beside those that are there, as they may wait
 * for the caller. Between the two it runs nothing in the arena. */
NOPAL_EXPORT int nopal_arena_lend(struct nopal_arena* arena);
NOPAL_EXPORT void nopal_arena_take_back(struct nopal_arena* arena, int lent);
NOPAL_EXPORT void nopal_arena_refer(struct nopal_arena* arena);
NOPAL_EXPORT void nopal_arena_forget(struct nopal_arena* arena);

/* Threads of the pool take nothing new but as many as make `most` with the calling one; 0: all do. */
NOPAL_EXPORT void nopal_limit_workers(int most);
/* As nopal_configure, but workers beyond the number that the runtime has where none is asked for run what is in arenas alone. */
struct nopal_configuration;
NOPAL_EXPORT int nopal_configure_for_arenas(const struct nopal_configuration* with);
/* How many workers run anything. Reads settings as nopal_workers. */
NOPAL_EXPORT int nopal_workers_outside(void);

/* From here on a thread that sleeps in a wait keeps its place: no other runs tasks meanwhile, so its index outside of arenas
 * stays its own. */
NOPAL_EXPORT void nopal_keep_places(void);

/* Whether the runtime runs now. */
NOPAL_EXPORT int nopal_is_running(void);

#ifdef __cplusplus
}
#endif

#endif

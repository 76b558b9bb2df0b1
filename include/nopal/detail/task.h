/* Tasks that begin later: children of a group that others may take, while whoever started them goes on where it is.
 *
 * Library code for interfaces whose code stays on its thread (the oneTBB one). A task is put into its thread's list; that thread
 * takes the youngest when it waits for the group, idle workers of the pool take the oldest. Whoever runs a task runs it as a
 * pinned call (pinned.h).
 */
#ifndef NOPAL_DETAIL_TASK_H
#define NOPAL_DETAIL_TASK_H

#include <stdint.h>

#include <nopal/detail/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nopal_task;

/* What a wait waits for. All zero at first, but for `is_private`. */
struct nopal_task_group {
  uint64_t state;      /* atomic; low half: tasks counted and not over; high half: threads that wait */
  uint32_t is_private; /* its tasks are run by those who wait and by nopal_task_run_private alone; written once */
  uint32_t lock;       /* atomic; for the list of a private group */
  struct nopal_task* oldest;
  struct nopal_task* youngest;
};

/* A call to be made once. The memory is the caller's until `run`, which may free it and must not throw. */
struct nopal_task {
  void (*run)(struct nopal_task*);
  struct nopal_task_group* group;
  struct nopal_task* older; /* in its list, as all that follows */
  struct nopal_task* younger;
  uint64_t number;
  uint64_t float_control; /* what the task is run with: that of whoever pushed it */
};

/* Has the task run some time, and its group's waits wait for it. Makes the thread a worker. Non-zero: there is no memory, and
 * nothing has happened. */
NOPAL_EXPORT int nopal_task_push(struct nopal_task* task);

/* The same, taken by any idle worker though the group is private. */
NOPAL_EXPORT int nopal_task_push_shared(struct nopal_task* task);

/* Has waits wait for a task that is yet to come. */
NOPAL_EXPORT void nopal_task_announce(struct nopal_task_group* group);
/* Pushes it; on failure it is announced still. */
NOPAL_EXPORT int nopal_task_push_announced(struct nopal_task* task);
/* One task that was counted is over, or does not come. The group may be gone when this returns. */
NOPAL_EXPORT void nopal_task_finish(struct nopal_task_group* group);

/* Whether no task is counted: what the tasks did is visible then. */
NOPAL_EXPORT int nopal_task_is_done(const struct nopal_task_group* group);

/* Until no task of the group is counted: runs tasks of the group and what these started, or sleeps. */
NOPAL_EXPORT void nopal_task_wait(struct nopal_task_group* group);

/* Runs the youngest task of a private group's list. Zero: there was none. The caller has a task of the group counted. */
NOPAL_EXPORT int nopal_task_run_private(struct nopal_task_group* group);

#ifdef __cplusplus
}
#endif

#endif

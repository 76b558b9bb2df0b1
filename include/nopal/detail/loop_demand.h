/* What a loop asks of the library before it forks for others: whether it is too short for that, by
 * how long the last one of the same place took. */
#ifndef NOPAL_DETAIL_LOOP_DEMAND_H
#define NOPAL_DETAIL_LOOP_DEMAND_H

#include <stddef.h>
#include <stdint.h>

#include <nopal/detail/fast_path.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a loop goes on alone at first. */
enum {
  nopal_not_alone,
  nopal_alone,
  nopal_alone_as_before, /* the last ones were far too short: the loop's time is not noted if this is, too */
  nopal_alone_in_steps   /* each of its positions may take long: it asks again after as many as at first */
};

/* When a loop over `count` positions begins, in ticks; where it is alone as before, some earlier moment, since
 * clocks take as long as many positions. `place` is an address that is the loop's own. Sets `alone`. */
NOPAL_EXPORT uint64_t nopal_begin_loop(const void* place, size_t count, int* alone);

/* The time in ticks. */
NOPAL_EXPORT uint64_t nopal_loop_time(void);

/* How many of the positions that are left a loop that has gone through `done`, more than none, goes
 * through before it asks again. 0: it takes too long. */
NOPAL_EXPORT size_t nopal_may_go_on_alone(uint64_t began, size_t done, size_t left);

/* Where nopal_look_for_demand said that a wake-up is owed: wakes somebody if it is time for that. Whether a
 * fork is of use now. */
NOPAL_EXPORT enum nopal_demand nopal_pay_wake(void);

/* The loop is over. */
NOPAL_EXPORT void nopal_end_loop(const void* place, size_t count, uint64_t began);

#ifdef __cplusplus
}
#endif

#endif

/* Disturbance of schedules, for tests: with NOPAL_SCHEDULE_NOISE defined, for the library and its
 * users alike, every step of a protocol may wait, yield, sleep or go to another CPU. Without it,
 * nothing at all. */
#ifndef NOPAL_DETAIL_NOISE_H
#define NOPAL_DETAIL_NOISE_H

#ifdef NOPAL_SCHEDULE_NOISE

#include <nopal/detail/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does one of these, or nothing: by a random number of the calling worker, from NOPAL_NOISE_SEED.
 * Keeps errno, and every register. */
NOPAL_EXPORT void nopal_disturb(void);

#ifdef __cplusplus
}
#endif

#define NOPAL_DISTURB() nopal_disturb()

#else

#define NOPAL_DISTURB() ((void)0)

#endif

#endif

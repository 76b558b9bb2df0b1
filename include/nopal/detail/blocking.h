/* The time of a call that may block in the system: another thread has the worker's place meanwhile. */
#ifndef NOPAL_DETAIL_BLOCKING_H
#define NOPAL_DETAIL_BLOCKING_H

#include <stdint.h>

#include <nopal/detail/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns what nopal_end_blocking is to be given; 0: the caller has no place to give. Between the
 * two the strand may fork, and be on another thread at the end. */
NOPAL_EXPORT uint32_t nopal_begin_blocking(void);
/* Leaves errno alone. */
NOPAL_EXPORT void nopal_end_blocking(uint32_t begun);

#ifdef __cplusplus
}
#endif

#endif

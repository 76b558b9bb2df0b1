/* Work and span of a part of the program: what the C and the C++ interface share. */
#ifndef NOPAL_DETAIL_WORK_SPAN_H
#define NOPAL_DETAIL_WORK_SPAN_H

#include <stdint.h>

#include <nopal/detail/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a strand has done since its thread began, or in an interval. All zero in a program that is
 * not profiled. */
typedef struct nopal_work_span {
  uint64_t work_ns;          /**< of the serial program */
  uint64_t span_ns;          /**< on the longest path */
  uint64_t burdened_span_ns; /**< the same, with what a steal costs at each continuation */
} nopal_work_span;

/** Writes to `interval` what the calling strand has done so far. */
NOPAL_EXPORT void nopal_work_span_begin(nopal_work_span* interval);

/** Makes of that what the strand has done since. All that was forked in between has been joined. With
 * a `name`, which is copied, the profile's file gets the sum of the intervals of that name. */
NOPAL_EXPORT void nopal_work_span_end(nopal_work_span* interval, const char* name);

/** Non-zero in a program that is profiled, once it has forked or asked for the first of these. */
NOPAL_EXPORT int nopal_is_profiled(void);

#ifdef __cplusplus
}
#endif

#endif

/* Whether a part of a serial program is to stop. See stop.h; no symbol of the library is used. */
#ifndef NOPAL_DETAIL_C_STOPPED_H
#define NOPAL_DETAIL_C_STOPPED_H

#include <stddef.h>

#include <nopal/detail/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The part, or one around it. None is, where there is none; always inlined, or compilers do not see that in a cold function,
 * and warn of results that a fork may not have written. */
static inline __attribute__((always_inline)) int nopal_is_serially_stopped(const struct nopal_stop* part) {
  for (; part != NULL && nopal_kind_of(part) != nopal_stop_shield; part = part->parent) {
    if (nopal_is_asked_to_stop(part)) return 1;
  }
  return 0;
}

#ifdef __cplusplus
}
#endif

#endif

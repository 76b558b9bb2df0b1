/* The runtime's functions under their Fibril names; the same in C and C++. */
#ifndef NOPAL_DETAIL_FIBRIL_RUNTIME_H
#define NOPAL_DETAIL_FIBRIL_RUNTIME_H

#ifdef NOPAL_DETAIL_FIBRIL_SERIAL

static inline int fibril_rt_init(int count) {
  (void)count;
  return 0;
}
static inline int fibril_rt_exit(void) { return 0; }
static inline int fibril_rt_nprocs(void) { return 1; }

#else

#include <nopal/nopal.h>

static inline int fibril_rt_init(int count) {
  nopal_configuration with;
  with.workers = count > 0 ? count : 0;
  with.stack_size = 0;
  with.reclaim = nopal_reclaim_default;
  with.pin = nopal_pin_default;
  with.reclaim_with = nopal_reclaim_with_default;
  return nopal_configure(&with);
}
static inline int fibril_rt_exit(void) { return nopal_shutdown(); }
static inline int fibril_rt_nprocs(void) { return nopal_workers(); }

#endif

#endif

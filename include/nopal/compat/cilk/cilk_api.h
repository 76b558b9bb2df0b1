/* What Cilk's programs ask of the runtime and set. */
#ifndef NOPAL_COMPAT_CILK_CILK_API_H
#define NOPAL_COMPAT_CILK_CILK_API_H

#include <stdlib.h>
#include <string.h>

#include <nopal/detail/plain_cast.h>
#include <nopal/nopal.h>

/* Also of Cilk Plus: 0 outside of the runtime, as in the serial elision. */
static inline unsigned __cilkrts_get_worker_number(void) {
  const int index = nopal_worker_index();
  return index < 0 ? 0 : NOPAL_DETAIL_AS(unsigned, index);
}
static inline unsigned __cilkrts_get_nworkers(void) { return NOPAL_DETAIL_AS(unsigned, nopal_workers()); }
static inline unsigned __cilkrts_get_total_workers(void) {
  return NOPAL_DETAIL_AS(unsigned, nopal_workers());
}

/* "nworkers" alone is known, before the first spawn. 0, or not. */
static inline int __cilkrts_set_param(const char* name, const char* value) {
  if (strcmp(name, "nworkers") != 0) return 1;
  nopal_configuration with;
  memset(&with, 0, sizeof with);
  with.workers = atoi(value);
  return nopal_configure(&with);
}

/* The pool starts by itself. */
static inline void __cilkrts_init(void) {}
static inline void __cilkrts_end_cilk(void) { NOPAL_DETAIL_AS(void, nopal_shutdown()); }

#endif

// What the C tests share: a check that counts, and a way to make sure of a steal.
#ifndef NOPAL_TESTS_C_CHECK_H
#define NOPAL_TESTS_C_CHECK_H

#include <sched.h>
#include <stdio.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

static int failures = 0;

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      ++failures;                                                                                            \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                \
    }                                                                                                        \
  } while (0)

// A flag that the continuation raises and a child waits for: where there are two workers the child ends only when its
// continuation was stolen. A time limit keeps a failing runtime from hanging here.
typedef struct gate {
  int open;
} gate;

static inline void gate_open(gate* g) { __atomic_store_n(&g->open, 1, __ATOMIC_RELEASE); }

static inline int gate_wait(const gate* g, int workers) {
  const time_t start = time(NULL);
  while (workers > 1 && __atomic_load_n(&g->open, __ATOMIC_ACQUIRE) == 0) {
    if (time(NULL) - start > 30) return 0;
    sched_yield();
  }
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif

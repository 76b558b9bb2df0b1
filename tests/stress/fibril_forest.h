// Between the trees of the Fibril interface, which are C, and what runs them.
#ifndef NOPAL_TESTS_STRESS_FIBRIL_FOREST_H
#define NOPAL_TESTS_STRESS_FIBRIL_FOREST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether this tree's forks give what its calls do.
int fibril_forest_same(uint64_t seed, int depth);

/// Called at each leaf, from any thread.
void fibril_forest_progress(void);

#ifdef __cplusplus
}
#endif

#endif

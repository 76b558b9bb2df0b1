#ifndef NOPAL_TESTS_STRESS_DISTURBED_FORKS_H
#define NOPAL_TESTS_STRESS_DISTURBED_FORKS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Forks one child through the Fibril interface; 511.75 if it got every argument.
double disturbed_fibril_fork(void);

#ifdef __cplusplus
}
#endif

#endif

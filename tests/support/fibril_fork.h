// A fork in C for tests that are C++: the assembly of the Fibril interface.
#ifndef NOPAL_TESTS_SUPPORT_FIBRIL_FORK_H
#define NOPAL_TESTS_SUPPORT_FIBRIL_FORK_H

#ifdef __cplusplus
extern "C" {
#endif

/// Forks one child through the Fibril interface; 511.75 if it got every argument.
double fibril_fork_of_many_arguments(void);

#ifdef __cplusplus
}
#endif

#endif

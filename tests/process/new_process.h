// Forks in C for new_process_test.cpp.
#ifndef NOPAL_TESTS_PROCESS_NEW_PROCESS_H
#define NOPAL_TESTS_PROCESS_NEW_PROCESS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Forks to that depth in both C interfaces by turns, calls `below` in the innermost child and `after` behind each fork. Returns
/// the depth.
long fork_in_c(long depth, void (*below)(void), void (*after)(void));

#ifdef __cplusplus
}
#endif

#endif

// What jumps_test.cpp has of jumps.c.
#ifndef NOPAL_TESTS_PROCESS_JUMPS_H
#define NOPAL_TESTS_PROCESS_JUMPS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Forks `child`, calls `now(argument, 0)` and then a function that fails at its call of number `bad_row` and jumps here, where
/// `now(argument, 1)` is called. Returns the number; a negative one if something was lost.
int jumps_in_c(int bad_row, void (*child)(void*), void* argument, void (*now)(void*, int));

/// Forks `child`, which is to jump away, and joins.
void jumps_out_of_a_child_in_c(void (*child)(void*), void* argument);

#ifdef __cplusplus
}
#endif

#endif

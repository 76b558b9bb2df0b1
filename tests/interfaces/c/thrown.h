// The two halves of the programs that throw through code without exceptions.
#ifndef NOPAL_TESTS_C_THROWN_H
#define NOPAL_TESTS_C_THROWN_H

#include "check.h"

#ifdef __cplusplus
extern "C" {
#endif

extern int cleaned_up;

/// Called by each child first.
void child_begins(void);
void throw_something(void);
__attribute__((noreturn)) void throw_and_open(gate* which);
void catch_something(void);
void end_thread(void);

void fork_a_child_that_throws(int workers);
void fork_a_forkable_that_throws(int workers);
void fork_a_fibril_that_throws(int workers);
void throw_between_fork_and_join(int workers);
void throw_where_it_is_allowed(int workers);
void fork_a_child_that_ends_its_thread(int workers);
void end_the_thread_between_fork_and_join(int workers);

#ifdef __cplusplus
}
#endif

#endif

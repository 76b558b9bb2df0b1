// Children and parents of code without exceptions that an exception of other code comes through. tests/interfaces/c/thrown_main.cpp catches what
// arrives there. Compiled as C, and as C++ without exceptions.
#include "thrown.h"

#include <nopal/nopal.h>

#ifndef __cplusplus
#include <nopal/compat/fibril.h>
#endif

static gate went_on;

static void child_of_fork(void* workers) {
  child_begins();
  CHECK(gate_wait(&went_on, *(int*)workers));
  throw_something();
}

void fork_a_child_that_throws(int workers) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child_of_fork, &workers);
  gate_open(&went_on);
  nopal_join(&s);
}

/// With a variable that is to be cleaned up, which C does with -fexceptions, and a fork of its own: all inlined into the child's entry.
static void clean_up(const int* number) { cleaned_up = *number; }
static void nothing(void* argument) { (void)argument; }
static int child_of_forkable(int workers);
NOPAL_FORKABLE(int, child_of_forkable, (int, workers))
static int child_of_forkable(int workers) {
  __attribute__((cleanup(clean_up))) int number = workers;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, nothing, 0);
  nopal_join(&s);
  child_begins();
  CHECK(gate_wait(&went_on, workers));
  throw_something();
  return number;
}

void fork_a_forkable_that_throws(int workers) {
  int result;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_child_of_forkable(&s, &result, workers);
  gate_open(&went_on);
  nopal_join(&s);
}

#ifndef __cplusplus
static int child_of_fibril(int workers) {
  child_begins();
  CHECK(gate_wait(&went_on, workers));
  throw_something();
  return 0;
}

void fork_a_fibril_that_throws(int workers) {
  int result;
  fibril_t f;
  fibril_init(&f);
  fibril_fork(&f, &result, child_of_fibril, (workers));
  gate_open(&went_on);
  fibril_join(&f);
}
#else
void fork_a_fibril_that_throws(int workers) { fork_a_forkable_that_throws(workers); }
#endif

static void child_that_returns(void* workers) {
  child_begins();
  CHECK(gate_wait(&went_on, *(int*)workers));
}

/// The function that forks is left before its join: while its child runs beside it, if it was stolen from.
void throw_between_fork_and_join(int workers) {
  __attribute__((cleanup(clean_up))) int number = workers;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child_that_returns, &number);
  if (workers == 1) throw_something();
  if (workers < 100) throw_and_open(&went_on);  // in a part of the function that is taken to be cold
  nopal_join(&s);
}

static void child_that_catches(void* argument) {
  (void)argument;
  catch_something();
}

/// What is caught below, and what is thrown when all is joined, is as good as anywhere.
void throw_where_it_is_allowed(int workers) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child_that_catches, 0);
  catch_something();
  nopal_join(&s);
  nopal_fork(&s, child_that_returns, &workers);
  gate_open(&went_on);
  nopal_join(&s);
  throw_something();
}

static void child_that_ends_its_thread(void* workers) {
  child_begins();
  CHECK(gate_wait(&went_on, *(int*)workers));
  end_thread();
}

void fork_a_child_that_ends_its_thread(int workers) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child_that_ends_its_thread, &workers);
  gate_open(&went_on);
  nopal_join(&s);
}

void end_the_thread_between_fork_and_join(int workers) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child_that_returns, &workers);
  gate_open(&went_on);
  if (workers > 1) end_thread();
  nopal_join(&s);
}

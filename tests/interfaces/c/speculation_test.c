// <nopal/speculate.h> as programs of C11 and of C++ use it, and its serial elision.
#define _POSIX_C_SOURCE 200809L
#include <nopal/speculate.h>

#include <pthread.h>

#include "check.h"

static int workers = 1;

#ifdef __cplusplus
#define AS(type, pointer) static_cast<type>(pointer)
#else
#define AS(type, pointer) ((type)(pointer))
#endif

static int increased(int* counter) { return __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST); }

static void count(void* counter) { increased(AS(int*, counter)); }

// --- stops -----------------------------------------------------------------------------------------------

NOPAL_FORKABLE(int, answer, (int, x))
int answer(int x) { return x; }

static void skips_what_is_forked_after_the_stop(void) {
  int begun = 0;
  int result = 7;
  nopal_cancel_scope s;
  nopal_cancel_scope_init(&s, nopal_inlets_by_completion);
  CHECK(!nopal_cancel_scope_is_stopped(&s) && !nopal_stop_requested());
  nopal_fork(&s.scope, count, &begun);
  nopal_fork_answer(&s.scope, &result, 8);
  nopal_join(&s.scope);
  CHECK(begun == 1 && result == 8);
  CHECK(nopal_cancel_scope_stop(&s) == 0);
  CHECK(nopal_cancel_scope_stop(&s) == 1);
  CHECK(nopal_cancel_scope_is_stopped(&s) && nopal_stop_requested());
  nopal_fork(&s.scope, count, &begun);
  nopal_fork_answer(&s.scope, &result, 9);
  nopal_cancel_scope_destroy(&s);
  CHECK(begun == 1 && result == 8);
  CHECK(!nopal_stop_requested());
  // And the thread is as it was.
  nopal_scope after;
  nopal_scope_init(&after);
  nopal_fork(&after, count, &begun);
  nopal_join(&after);
  CHECK(begun == 2);
}

static void in_shield(void* begun) {
  CHECK(!nopal_stop_requested());
  nopal_cancel_scope inner;
  nopal_cancel_scope_init(&inner, nopal_inlets_by_completion);
  nopal_fork(&inner.scope, count, begun);
  nopal_cancel_scope_destroy(&inner);
}

static void stops_reach_inside_and_not_through_shields(void) {
  int begun = 0;
  nopal_cancel_scope outer, inner;
  nopal_cancel_scope_init(&outer, nopal_inlets_by_completion);
  nopal_cancel_scope_init(&inner, nopal_inlets_by_completion);
  nopal_cancel_scope_stop(&inner);
  CHECK(nopal_stop_requested() && !nopal_cancel_scope_is_stopped(&outer));
  nopal_cancel_scope_destroy(&inner);
  CHECK(!nopal_stop_requested());
  nopal_fork(&outer.scope, count, &begun);
  nopal_join(&outer.scope);
  CHECK(begun == 1);
  nopal_cancel_scope_stop(&outer);
  nopal_cancel_scope_init(&inner, nopal_inlets_by_completion);
  CHECK(nopal_cancel_scope_is_stopped(&inner));
  nopal_fork(&inner.scope, count, &begun);
  nopal_cancel_scope_destroy(&inner);
  CHECK(begun == 1);
  nopal_shield(in_shield, &begun);
  CHECK(begun == 2 && nopal_stop_requested());
  nopal_cancel_scope_destroy(&outer);
}

typedef struct tree {
  nopal_cancel_scope* all;
  int left, begun, ended;
} tree;

static void look(tree* t, int depth);
NOPAL_FORKABLE_VOID(look, (tree*, t), (int, depth))
static void look(tree* t, int depth) {
  increased(&t->begun);
  if (__atomic_sub_fetch(&t->left, 1, __ATOMIC_SEQ_CST) == 0) nopal_cancel_scope_stop(t->all);
  if (depth > 0 && !nopal_stop_requested()) {
    nopal_scope s;
    nopal_scope_init(&s);
    for (int i = 0; i < 3; ++i) nopal_fork_look(&s, t, depth - 1);
    nopal_join(&s);
  }
  increased(&t->ended);
}

static void what_began_has_ended_at_the_join(void) {
  int cut_short = 0;
  for (int round = 0; round < 300; ++round) {
    nopal_cancel_scope s;
    nopal_cancel_scope_init(&s, nopal_inlets_by_completion);
    tree t = {&s, round, 0, 0};
    nopal_fork_look(&s.scope, &t, 5);
    nopal_fork_look(&s.scope, &t, 4);
    nopal_join(&s.scope);
    CHECK(t.begun == t.ended);
    CHECK(nopal_cancel_scope_is_stopped(&s) == (round > 0));
    CHECK(t.begun >= round && t.begun <= 364 + 121);
    cut_short += round > 0 && t.begun < 364 + 121;
    nopal_cancel_scope_destroy(&s);
  }
  // Not every time: who is to ask may lose its processor before.
  CHECK(cut_short > 0);
}

static void* stop_it(void* scope) {
  nopal_cancel_scope_stop(AS(nopal_cancel_scope*, scope));
  return NULL;
}

static void wait_for_stop(void* unused) {
  (void)unused;
  while (!nopal_stop_requested()) sched_yield();
}

static void is_stopped_by_other_threads(void) {
  nopal_cancel_scope s;
  nopal_cancel_scope_init(&s, nopal_inlets_by_completion);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, stop_it, &s) == 0);
  nopal_fork(&s.scope, wait_for_stop, NULL);
  nopal_join(&s.scope);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(nopal_cancel_scope_is_stopped(&s));
  nopal_cancel_scope_destroy(&s);
}

// --- inlets ----------------------------------------------------------------------------------------------

typedef struct gathered {
  nopal_cancel_scope* all;
  int inside;  // how many inlets run now
  int number;
  int stops_at;
  int values[200];
} gathered;
typedef struct one {
  int from, result;
  gate* waits;
} one;

static one child_of(int from, gate* waits) {
  one made;
  made.from = from;
  made.result = -1;
  made.waits = waits;
  return made;
}

static void compute(void* argument) {
  one* const child = AS(one*, argument);
  if (child->waits != NULL) CHECK(gate_wait(child->waits, workers));
  child->result = child->from * 10;
}

static void gather(void* context, void* argument) {
  gathered* const to = AS(gathered*, context);
  CHECK(increased(&to->inside) == 1);
  to->values[to->number++] = AS(one*, argument)->result;
  if (to->number == to->stops_at) nopal_cancel_scope_stop(to->all);
  __atomic_sub_fetch(&to->inside, 1, __ATOMIC_SEQ_CST);
}

static void inlets_run_one_at_a_time(enum nopal_inlet_order order) {
  for (int round = 0; round < 50; ++round) {
    one children[200];
    gate last = {0};
    nopal_cancel_scope s;
    nopal_cancel_scope_init(&s, order);
    gathered all = {&s, 0, 0, 0, {0}};
    for (int i = 0; i < 200; ++i) {
      // The first one surely ends after others have.
      children[i] = child_of(i, i == 0 ? &last : NULL);
      nopal_fork_inlet(&s, compute, &children[i], gather, &all);
    }
    gate_open(&last);
    nopal_join(&s.scope);
    CHECK(all.number == 200);
    long sum = 0;
    for (int i = 0; i < 200; ++i) {
      sum += all.values[i];
      CHECK(order == nopal_inlets_by_completion || all.values[i] == 10 * i);
    }
    CHECK(sum == 199000);
    CHECK(workers == 1 || order != nopal_inlets_by_completion || all.values[0] != 0);
    nopal_cancel_scope_destroy(&s);
  }
}

static void an_inlet_may_stop_the_scope(enum nopal_inlet_order order) {
  for (int round = 1; round < 50; ++round) {
    one children[200];
    nopal_cancel_scope s;
    nopal_cancel_scope_init(&s, order);
    gathered all = {&s, 0, 0, round, {0}};
    for (int i = 0; i < 200; ++i) {
      children[i] = child_of(i, NULL);
      nopal_fork_inlet(&s, compute, &children[i], gather, &all);
    }
    nopal_cancel_scope_destroy(&s);
    CHECK(all.number >= round);
    if (workers == 1) CHECK(all.number == round);
    for (int i = 0; i < all.number && order != nopal_inlets_by_completion; ++i)
      CHECK(all.values[i] == 10 * i);
  }
}

int main(void) {
#ifndef NOPAL_ELIDE
  workers = nopal_workers();
#endif
  CHECK(!nopal_stop_requested());
  skips_what_is_forked_after_the_stop();
  stops_reach_inside_and_not_through_shields();
  what_began_has_ended_at_the_join();
  is_stopped_by_other_threads();
  inlets_run_one_at_a_time(nopal_inlets_by_completion);
  inlets_run_one_at_a_time(nopal_inlets_by_serial_order);
  an_inlet_may_stop_the_scope(nopal_inlets_by_completion);
  an_inlet_may_stop_the_scope(nopal_inlets_by_serial_order);
#ifndef NOPAL_ELIDE
  nopal_statistics counts;
  CHECK(nopal_stats(&counts) == 0 && counts.joins_with_children == counts.total.steals);
#endif
  return failures != 0;
}

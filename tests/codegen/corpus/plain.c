/* Functions of C, which no exception can leave. */

#include <stdalign.h>

#include <nopal/compat/fibril.h>
#include <nopal/nopal.h>

#include "endless.h"

static void untyped(void* argument) { corpus_child((long)argument); }

void corpus_endless_c(void) {
  alignas(64) long table[16] = {0};
  long sum = 0;
  nopal_scope s;
  nopal_scope_init(&s);
  for (long round = 0;; ++round) {
    long seen = 0;
    nopal_fork(&s, untyped, (void*)round);
    corpus_scribble();
    table[round % 16] += corpus_opaque(round);
    sum += round;
    for (int i = 0; i < 16; ++i) {
      seen += table[i];
    }
    corpus_go_on(seen == sum && corpus_is_aligned(table, 64), round);
  }
}

static double three_numbers(long a, double b, long c);
NOPAL_FORKABLE(double, three_numbers, (long, a), (double, b), (long, c))
static double three_numbers(long a, double b, long c) {
  corpus_child(a);
  return (double)a + b + (double)c;
}

void corpus_endless_c_typed(void) {
  alignas(128) double results[4] = {0};
  alignas(128) long table[4] = {1, 2, 3, 4};
  nopal_scope s;
  nopal_scope_init(&s);
  for (long round = 0;; ++round) {
    nopal_fork_three_numbers(&s, &results[round % 4], round, 0.5, table[2]);
    corpus_scribble();
    table[3] += 2;
    corpus_go_on(table[0] == 1 && table[2] == 3 && table[3] == 4 + 2 * (round + 1), round);
  }
}

static long fibril_child(long value) {
  corpus_child(value);
  return value;
}

void corpus_endless_c_fibril(void) {
  alignas(64) long results[8] = {0};
  alignas(64) long table[8] = {3, 1};
  fibril_t fr;
  fibril_init(&fr);
  for (long round = 0;; ++round) {
    fibril_fork(&fr, &results[round % 8], fibril_child, (round));
    corpus_scribble();
    ++table[1];
    corpus_go_on(table[0] == 3 && table[1] == round + 2 && corpus_is_aligned(results, 64), round);
  }
}

void corpus_endless_c_vectors(void) {
  alignas(32) float from[32];
  alignas(32) float to[32] = {0};
  nopal_scope s;
  for (int i = 0; i < 32; ++i) {
    from[i] = (float)corpus_opaque(i);
  }
  nopal_scope_init(&s);
  for (long round = 0;; ++round) {
    int right = 1;
    nopal_fork(&s, untyped, (void*)round);
    for (int i = 0; i < 32; ++i) {
      to[i] += from[i];
    }
    corpus_scribble();
    for (int i = 0; i < 32; ++i) {
      right = right && to[i] == (float)i * (float)(round + 1);
    }
    corpus_go_on(right, round);
  }
}

/* A child of C; and scopes of C that overlap. */
#include <string.h>

#include <nopal/nopal.h>

void fork_in_c(void (*child)(void*));
void overlap_in_c(void);

void fork_in_c(void (*child)(void*)) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child, NULL);
  nopal_join(&s);
}

static void fill(int* numbers, int count, int depth);
NOPAL_FORKABLE_VOID(fill, (int*, numbers), (int, count), (int, depth))

/* Joins come back to several stacks, and past one another's. Memory of frames is used anew all the time. */
static void fill(int* numbers, int count, int depth) {
  int local[32];
  memset(local, depth, sizeof local);
  if (depth == 0) {
    for (int i = 0; i < count; ++i) numbers[i] += local[i % 32];
    return;
  }
  const int part = count / 4;
  for (int round = 0; round < 3; ++round) {
    nopal_scope one;
    nopal_scope other;
    nopal_scope_init(&one);
    nopal_scope_init(&other);
    nopal_fork_fill(&one, numbers, part, depth - 1);
    nopal_fork_fill(&other, numbers + part, part, depth - 1);
    fill(numbers + 2 * part, part, depth - 1);
    nopal_fork_fill(&one, numbers + 3 * part, part, depth - 1);
    nopal_join(&other);
    nopal_fork_fill(&other, numbers + part, part, depth - 1);
    nopal_join(&one);
    nopal_join(&other);
    local[round] = numbers[0];
  }
}

void overlap_in_c(void) {
  static int numbers[1024];
  for (int i = 0; i < 10; ++i) fill(numbers, 1024, 3);
}

/* A child of C; scopes of C that overlap; and large arguments, which some compilers keep above the stack pointer. */
#include <string.h>

#include <nopal/nopal.h>

void fork_in_c(void (*child)(void*));
void overlap_in_c(void);
void pass_in_c(void);
void read_result_in_c(void);

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

struct large {
  int numbers[300];
};

__attribute__((noinline)) static void take(struct large values, int* number) {
  for (int i = 0; i < 300; ++i) values.numbers[i] += *number;
  __asm__ volatile("" : : "r"(values.numbers) : "memory");
  *number = values.numbers[*number & 127];
}

static void pass(int* numbers, int depth);
NOPAL_FORKABLE_VOID(pass, (int*, numbers), (int, depth))

static void pass(int* numbers, int depth) {
  int* const own = numbers + (64 << depth);
  struct large values;
  nopal_scope s;
  memset(&values, depth, sizeof values);
  take(values, numbers);
  if (depth == 0) return;
  nopal_scope_init(&s);
  nopal_fork_pass(&s, numbers, depth - 1);
  take(values, own);
  nopal_fork_pass(&s, own, depth - 1);
  take(values, own + 4);
  nopal_join(&s);
  take(values, numbers);
}

void pass_in_c(void) {
  static int numbers[4096];
  for (int i = 0; i < 50; ++i) pass(numbers, 4);
}

#ifdef __clang__
typedef long made; /* Clang tells nothing of larger results */
#else
typedef struct large made;
#endif
static made results[2];

NOPAL_FORKABLE(made, make, (int, number))
made make(int number) { return results[number]; }

void read_result_in_c(void) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_make(&s, &results[1], 0);
  __asm__ volatile("" : : "r"(((volatile char*)&results[1])[0]));
  nopal_join(&s);
}

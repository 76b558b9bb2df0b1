// Correct, through the C interface and the Fibril one.
#include <nopal/compat/fibril.h>
#include <nopal/nopal.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

long typed(int n);
NOPAL_FORKABLE(long, typed, (int, n))

long typed(int n) {
  if (n < 2) return n;
  long a;
  nopal_scope scope;
  nopal_scope_init(&scope);
  nopal_fork_typed(&scope, &a, n - 1);
  const long b = typed(n - 2);
  nopal_join(&scope);
  return a + b;
}

struct sum {
  long* values;
  long result;
  int count;
};

static void untyped(void* argument) {
  struct sum* const sum = argument;
  if (sum->count == 1) {
    sum->result = *sum->values;
    return;
  }
  struct sum left = {sum->values, 0, sum->count / 2};
  struct sum right = {sum->values + sum->count / 2, 0, sum->count - sum->count / 2};
  nopal_scope scope;
  nopal_scope_init(&scope);
  nopal_fork(&scope, untyped, &left);
  untyped(&right);
  nopal_join(&scope);
  sum->result = left.result + right.result;
}

fibril static int fibril_fib(int n) {
  if (n < 2) return n;
  int a;
  int b;
  fibril_t frame;
  fibril_init(&frame);
  fibril_fork(&frame, &a, fibril_fib, (n - 1));
  b = fibril_fib(n - 2);
  fibril_join(&frame);
  return a + b;
}

static int evaluated;
static int next_number(void) { return ++evaluated; }

static int continued;  // relaxed, which orders nothing
static int numbered(int number) {
  while (__atomic_load_n(&continued, __ATOMIC_RELAXED) == 0) sched_yield();
  return number;
}

// Evaluating the arguments of a fork writes to memory, before the fork whose continuation is surely stolen and after.
fibril static int arguments_that_write(void) {
  int first;
  int second;
  fibril_t frame;
  fibril_init(&frame);
  fibril_fork(&frame, &first, numbered, (next_number()));
  __atomic_store_n(&continued, 1, __ATOMIC_RELAXED);
  fibril_fork(&frame, &second, numbered, (next_number()));
  fibril_join(&frame);
  return first + second;
}

int main(void) {
  enum { count = 2000 };
  long* const values = malloc(count * sizeof *values);
  int right = values != NULL;
  for (int round = 0; right && round < 5; ++round) {
    for (int i = 0; i < count; ++i) values[i] = i;
    struct sum all = {values, 0, count};
    untyped(&all);
    right = all.result == (long)count * (count - 1) / 2 && typed(17) == 1597 && fibril_fib(17) == 1597;
  }
  right = right && arguments_that_write() == 3;
  free(values);
  return right ? 0 : 1;
}

// Nested functions of GNU C whose address is taken: the code that jumps to one lies in its function's frame, on whichever stack
// that is, and the program asks for stacks that execute.
#include <nopal/nopal.h>

#include "check.h"

static long sum(int (*of)(int), int n) {
  long result = 0;
  for (int i = 0; i < n; ++i) result += of(i);
  return result;
}
static long (*volatile not_inlined)(int (*)(int), int) = sum;

long tree(int n, int depth);
NOPAL_FORKABLE(long, tree, (int, n), (int, depth))

// With a frame of its own, on the stack that its caller is on.
__attribute__((noinline)) static long leaf(int n) {
  __extension__ int add(int i) { return i + n; }
  return not_inlined(add, 100);
}

long tree(int n, int depth) {
  if (depth == 0) return leaf(n);
  __extension__ int scale(int i) { return i * depth; }
  nopal_scope s;
  nopal_scope_init(&s);
  long x;
  nopal_fork_tree(&s, &x, n, depth - 1);
  const long y = tree(n + 1, depth - 1);
  nopal_join(&s);
  return x + y + not_inlined(scale, depth);
}

static long serial(int n, int depth) {
  if (depth == 0) return leaf(n);
  long result = serial(n, depth - 1) + serial(n + 1, depth - 1);
  for (int i = 0; i < depth; ++i) result += (long)i * depth;
  return result;
}

int wait_at(gate* shut, int workers);
NOPAL_FORKABLE(int, wait_at, (gate*, shut), (int, workers))
int wait_at(gate* shut, int workers) { return gate_wait(shut, workers); }

// Without doubt on a stack of the pool, if there is more than one worker.
static long on_a_pool_stack(void) {
  gate shut = {0};
  nopal_scope s;
  nopal_scope_init(&s);
  int opened;
  nopal_fork_wait_at(&s, &opened, &shut, nopal_workers());
  const long result = leaf(3);
  gate_open(&shut);
  nopal_join(&s);
  CHECK(opened);
  return result;
}

int main(void) {
  CHECK(on_a_pool_stack() == 4950 + 300);
  for (int round = 0; round < 20; ++round) CHECK(tree(1, 10) == serial(1, 10));
  return failures != 0;
}

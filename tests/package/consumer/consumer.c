/* The same program in C. */
#include <nopal/nopal.h>

#include <stdio.h>

static long fib(int n);

NOPAL_FORKABLE(long, fib, (int, n))

static long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_fib(&s, &x, n - 1);
  long y = fib(n - 2);
  nopal_join(&s);
  return x + y;
}

int main(void) {
  long result = fib(20);
  printf("fib(20) = %ld\n", result);
  return result == 6765 ? 0 : 1;
}

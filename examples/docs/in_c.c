/* The smallest fork-join program in C. */
#include <nopal/nopal.h>

#include <stdio.h>

/* snippet: fib */
NOPAL_FORKABLE(long, fib, (int, n)) /* at file scope: makes nopal_fork_fib */

long fib(int n) {
  if (n < 2) return n;
  nopal_scope s;
  nopal_scope_init(&s);
  long x, y;
  nopal_fork_fib(&s, &x, n - 1);
  y = fib(n - 2);
  nopal_join(&s);
  return x + y;
}
/* end snippet */

int main(void) {
  printf("fib(25) = %ld on %d workers\n", fib(25), nopal_workers());
  return fib(20) == 6765 ? 0 : 1;
}

/* A program of the Fibril interface, as its paper writes it. */
#include <nopal/compat/fibril.h>

#include <stdio.h>

/* snippet: fib */
fibril int fib(int n) {
  if (n < 2) return n;
  fibril_t fr;
  fibril_init(&fr);
  int x, y;
  fibril_fork(&fr, &x, fib, (n - 1));
  y = fib(n - 2);
  fibril_join(&fr);
  return x + y;
}

int main(void) {
  fibril_rt_init(FIBRIL_NPROCS);
  const int result = fib(25);
  fibril_rt_exit();
  printf("%d\n", result);
  return result == 75025 ? 0 : 1;
}
/* end snippet */

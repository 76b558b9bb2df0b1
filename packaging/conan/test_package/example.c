#include <nopal/nopal.h>

#include <stdio.h>

static long square(int n);

NOPAL_FORKABLE(long, square, (int, n))

static long square(int n) { return (long)n * n; }

int main(void) {
  long result = 0;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_square(&s, &result, 12);
  nopal_join(&s);
  printf("square(12) = %ld\n", result);
  return result == 144 ? 0 : 1;
}

// Keywords in macros and in included files.
#include "include/fibonacci.h"
#include "include/words.h"

#include <cstdio>

static void add(long* to, long number) { *to += number; }

static long by_words(int n) {
  long x, y, z = 0;
  x = START fibonacci(n);
  SPAWN_INTO(y, fibonacci(n - 1));
  WAIT();
  BOTH(add(&z, fibonacci(n)), add(&x, (1, 2)), add(&y, 3));
  AS_IT_IS(cilk_spawn add(&z, 4); cilk_sync);
  return x + 3 * y + 7 * z;
}

int main(void) {
  long all[20] = {0};
  PARALLEL_FOR(int i = 0; i < 20; ++i) all[i] = i;
  FROM_TO(i, 0, 20) { all[i] += fibonacci(i); }
  long sum = 0;
  for (int i = 0; i < 20; ++i) sum += all[i];
  printf("%ld %ld %ld %d %s\n", fibonacci(15), by_words(12), sum, __LINE__, __FILE__);
}

/* Included by another header, and again. */
#pragma once
#include <cilk/cilk.h>

static inline long fibonacci(int n) {
  if (n < 2) return n;
  long x = cilk_spawn fibonacci(n - 1);
  long y = fibonacci(n - 2);
  cilk_sync;
  return x + y;
}

/* Parallel loops of C: what their bodies use of the functions around them. */
#include <stdio.h>

#include <cilk/cilk.h>

#define SIZE 600

static long fib(int n) {
  if (n < 2) return n;
  long x, y;
  x = cilk_spawn fib(n - 1);
  y = fib(n - 2);
  cilk_sync;
  return x + y;
}

static void fill(int n, double a[], const double* factor) {
  cilk_for(int i = 0; i < n; i++) {
    if (i % 5 == 0) continue;
    a[i] = i * *factor;
  }
}

static void table(int rows, int columns, int* cells) {
  cilk_for(int i = 0; i < rows; ++i) {
    int base = i * columns;
    cilk_for(int j = 0; j < columns; ++j) cells[base + j] = i + 2 * j;
  }
}

int main(void) {
  static double a[SIZE];
  int cells[SIZE] = {0};
  long numbers[SIZE];
  double factor = 1.5, sum = 0;
  fill(SIZE, a, &factor);
  for (int i = 0; i < SIZE; i++) sum += a[i] * i;
  printf("%g\n", sum);
  table(20, 30, cells);
  for (int i = 0, at = 0; i < SIZE; i++) at = (at * 31 + cells[i]) % 10007, cells[i] = at;
  printf("%d\n", cells[SIZE - 1]);
#pragma cilk grainsize = 4
  cilk_for(long i = SIZE - 1; i >= 0; i -= 3) {
    numbers[i] = cells[i];
    if (i >= 2) numbers[i - 1] = numbers[i - 2] = i;
  }
  cilk_for(int* at = cells; at != cells + SIZE; ++at)* at = (int)(at - cells);
  cilk_for(unsigned i = 0; i < 10; i++) {
    long x, y;
    x = cilk_spawn fib((int)i + 5);
    y = fib((int)i);
    cilk_sync;
    numbers[i] = x + y;
  }
  // Negative steps, and over the end of a number.
  const int back = -2;
  cilk_for(int i = 10; i > 0; i += back) numbers[i] += 1;
  cilk_for(int i = 10; i != 0; i += back) numbers[i] += 2;
  cilk_for(int i = 0; i < 9; i -= back) numbers[i] += 3;
  cilk_for(unsigned char i = 250; i != 5; ++i) numbers[i] = i;
  long all = 0;
  for (int i = 0; i < SIZE; i++) all = (all * 31 + numbers[i] + cells[i]) % 1000003;
  printf("%ld %d\n", all, __LINE__);
  return 0;
}

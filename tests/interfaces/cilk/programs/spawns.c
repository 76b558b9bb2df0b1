/* Spawned calls of C, in each place where they may stand. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cilk/cilk.h>

/* As old programs have it. */
#define register

static long fib(int n) {
  if (n < 2) return n;
  long x = cilk_spawn fib(n - 1);
  long y = fib(n - 2);
  cilk_sync;
  return x + y;
}

/* Memory of alloca, which children read. */
static int queens(int n, int row, const char* board) {
  int* count;
  int result = 0;
  if (row == n) return 1;
  count = (int*)alloca((size_t)n * sizeof(int));
  memset(count, 0, (size_t)n * sizeof(int));
  for (int i = 0; i < n; i++) {
    char* next = (char*)alloca((size_t)row + 1);
    memcpy(next, board, (size_t)row);
    next[row] = (char)i;
    int safe = 1;
    for (int j = 0; j < row; j++) {
      int d = next[row] - next[j];
      if (d == 0 || d == row - j || d == j - row) safe = 0;
    }
    if (safe) count[i] = cilk_spawn queens(n, row + 1, next);
  }
  cilk_sync;
  for (int i = 0; i < n; i++) result += count[i];
  return result;
}

typedef struct {
  double re, im;
} point;
static point scaled(point p, double by, const char* name) {
  point result = {p.re * by, p.im * by + (double)strlen(name)};
  return result;
}
static void six(int a, int b, long* to, const long* from, int r, int m) {
  *to = a + 10 * b + 100 * from[0] + 1000 * r + 10000 * m;
}

/* Joins where it leaves a block by a jump. */
static long jumps(int n) {
  long x[8] = {0};
  for (int i = 0; i < 8; i++) {
    cilk_scope {
      x[i] = cilk_spawn fib(n + i);
      if (i % 2 == 0) continue;
      if (i == 5) break;
      x[i - 1] += 1;
    }
  }
  long sum = 0;
  for (int i = 0; i < 8; i++) sum = 3 * sum + x[i];
  return sum;
}

int main(void) {
  printf("%ld\n", fib(18));
  printf("%d\n", queens(7, 0, ""));
  point p = {1, 2}, q, many[3];
  long (*called)(int) = fib;
  long y, from = 7, to = 0;
  q = cilk_spawn scaled(p, 2.5, "name");
  y = cilk_spawn called(12);
  for (int i = 0; i < 3; i++) many[i] = cilk_spawn scaled(p, i, NULL == 0 ? "a" : "b");
  cilk_spawn six(1, 2, &to, &from, 3, 4);
  called = NULL;
  cilk_sync;
  printf("%g %g %ld %ld\n", q.re, q.im, y, to);
  for (int i = 0; i < 3; i++) printf("%g %g\n", many[i].re, many[i].im);
  printf("%ld %d\n", jumps(5), __LINE__);
  return 0;
}

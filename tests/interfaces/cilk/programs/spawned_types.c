/* Spawned calls of C with parameters, callees and results of each type. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cilk/cilk.h>

typedef int (*function)(int);
enum color { RED, GREEN };

static int next(int i) { return i + 1; }
static int twice(int i) { return i * 2; }
static function pick(int i) { return i ? next : twice; }
static enum color other(enum color of) { return of == RED ? GREEN : RED; }

static void fill(int n, double m[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) m[i][j] = i - j;
}
static double all(int n, const double m[n][n], double k[][3], int f(int), int a[2][2],
                  void (*fills)(int n, double m[n][n])) {
  double result = fills == fill;
  for (int i = 0; i < n; i++) result += m[i][0] + k[1][i % 3] + f(i) + a[1][0];
  return result;
}
static void* made(int n) {
  double* result = malloc(sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < n * n; i++) result[i] = i;
  return result;
}
static void rows(int n, double m[n][n], int i) {
  for (int j = 0; j < n; j++) m[i][j] += i * j;
}

static void matrices(int n, double m[n][n], double (*v)[n]) {
  cilk_spawn fill(n, m);
  cilk_spawn fill(n, v);
  double(*p)[n];
  p = cilk_spawn made(n);
  double(*q)[n] = cilk_spawn made(n);
  cilk_sync;
  printf("%g %g\n", p[2][1], q[3][3]);
  free(p);
  free(q);
  cilk_for(int i = 0; i < n; i++) {
    cilk_spawn rows(n, m, i);
    v[i][0] += 1;
  }
}

static int lengths(int n, ...) {
  va_list list;
  va_start(list, n);
  int result = 0;
  for (int i = 0; i < n; i++) result += (int)strlen(va_arg(list, const char*));
  va_end(list);
  return result;
}

int main(void) {
  double m[6][6], v[6][6], k[2][3] = {{1, 2, 3}, {4, 5, 6}}, s, t;
  int a[2][2] = {{1, 2}, {3, 4}};
  matrices(6, m, v);
  s = cilk_spawn all(6, (const double(*)[6])m, k, next, a, fill);
  t = all(6, (const double(*)[6])v, k, next, a, fill);
  cilk_sync;
  printf("%g %g\n", s, t);

  function table[2] = {next, twice}, *at = table;
  struct {
    function f;
    int (*g[2])(int);
  } o = {next, {twice, next}}, *p = &o;
  int later(int); /* declared here alone */
  char text[10] = "abc";
  const char* more = "de";
  register int x;
  int y[10];
  x = cilk_spawn next(1);
  y[0] = cilk_spawn table[1](5);
  y[1] = cilk_spawn o.f(6);
  y[2] = cilk_spawn p->g[0](7);
  y[3] = cilk_spawn(*at)(8);
  y[4] = cilk_spawn(*table[0])(9);
  y[5] = cilk_spawn pick(1)(4);
  y[6] = cilk_spawn at[1](2);
  y[7] = cilk_spawn(*next)(3);
  y[8] = cilk_spawn later(3);
  y[9] = cilk_spawn lengths(3, text, more, "fghi");
  enum color c = cilk_spawn other(RED);
  cilk_sync;
  printf("%d %d\n", x, c);
  for (int i = 0; i < 10; i++) printf("%d\n", y[i]);
  cilk_for(int i = 0; i < 10; i++) y[i] += later(i);
  printf("%d %d\n", y[9], __LINE__);
  return 0;
}

int later(int i) { return i + 100; }

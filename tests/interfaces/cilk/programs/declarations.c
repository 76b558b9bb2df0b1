/* Loops of C over variables of each type that a declaration may give them. */
#include <stdio.h>
#include <stdlib.h>

#include <cilk/cilk.h>

#define ROWS 20
#define PAIR(a, b) int a[ROWS], b[ROWS]

typedef double row[4];
typedef int operation(int);
typedef float vector __attribute__((vector_size(16)));

static int next(int i) { return i + 1; }
static int twice(int i) { return i * 2; }

static double sum(const double* of, int count) {
  double result = 0;
  for (int i = 0; i < count; i++) result = result * 1.01 + of[i];
  return result;
}

static void arrays(int n, double m[][4], const double k[ROWS][4], double pinned[static 4],
                   double* restrict fast, double only[const restrict]) {
  cilk_for(int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) m[i][j] = k[i][j] + i * 4 + j + (double)sizeof m[0];
    if (i < 4) only[i] = pinned[i] + (fast[i] += i);
  }
}

static void named_arrays(int n, row a, row m[], const row c, const row k[]) {
  cilk_for(int i = 0; i < n; i++) {
    a[i] = c[i] + i;
    m[i][1] = k[1][2] + (double)sizeof(*m);
  }
}

static void fill(int n, double m[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) m[i][j] = i + j;
}

static void functions(int n, int* a, int f(int), operation g, int (*table[2])(int),
                      void (*fills)(int, double m[*][*]), double q[3][3]) {
  cilk_for(int i = 0; i < n; i++) {
    a[i] = f(i) + g(i) + table[i & 1](i);
    if (i == 0) fills(3, q);
  }
}

/* Sizes that are known at run time alone, in parameters, pointers and arrays, through several loops. */
static void sizes(int n, int k, double m[n][k], const double deep[n][2 * k][k]) {
  double(*same)[k] = m;
  double(**to)[k] = &same;
  double(*all[2])[k] = {m, m + 1};
  typedef double line[k];
  line* lines = malloc(sizeof(line) * (size_t)n);
  int counts[n];
  double scratch[n][k];
  cilk_for(int i = 0; i < n; i++) {
    double own[k], (*at)[k] = &own;
    counts[i] = (int)(sizeof counts / sizeof *counts);
    cilk_for(int j = 0; j < k; j++) {
      scratch[i][j] = deep[i][k + 1][j] + (double)sizeof m[0];
      (*at)[j] = (double)(sizeof own + sizeof deep[0] + sizeof scratch);
      lines[i][j] = j;
      cilk_for(int l = 0; l < 2; l++) {
        if (l == 1 && i > 1) same[i][j] = lines[i][j] + own[j];
      }
    }
    (*to)[i][0] += counts[i];
    if (i < 2) (*all[i])[1] += scratch[i][1];
  }
  free(lines);
}

/* Loops that are the bodies of loops. */
static void cube(int a, int b, int c, double m[a][b][c], double (*const k)[b][c]) {
  cilk_for(int i = 0; i < a; i++) cilk_for(int j = 0; j < b; j++) cilk_for(int l = 0; l < c; l++) {
    m[i][j][l] = i * 100 + j * 10 + l;
    k[i][j][l] = m[i][j][l] + (double)(sizeof m[0] + sizeof m[0][0]);
  }
}

static long qualified(void) {
  const char* const names[] = {"a", "b", "c"};
  const char* const* const at = names;
  volatile int seen = 3;
  const volatile long limit = 4;
  _Bool is = 1;
  _Complex double z = 2.0;
  __typeof__(names[0]) first = names[0];
  vector v[8], w = {1, 2, 3, 4};
  register int hint = 5, other = 6;
  long a[8];
  cilk_for(int i = 0; i < 8; i++) {
    v[i] = w * (float)i;
    a[i] = at[i % 3][0] + seen + limit + is + (long)__real__ z + first[0] + hint + other;
  }
  return a[3] + (long)v[5][2];
}

int main(void) {
  static double m[ROWS][4], k[ROWS][4], n[9][5], deep[9][10][5], q[3][3];
  double a[10], b[10];
  int c[10], *p = c, one = 3, **pp = &p, (*pa)[10] = &c;
  PAIR(x, y);
  for (int i = 0; i < ROWS * 4; i++) k[i / 4][i % 4] = i;
  for (int i = 0; i < 9 * 10 * 5; i++) deep[i / 50][i / 5 % 10][i % 5] = i;
  cilk_for(int i = 0; i < 10; i++) {
    a[i] = i;
    b[i] = i * 2 + one;
    p[i] = i * 3;
    (*pp)[i] += 1;
    (*pa)[i] += 2;
  }
  printf("%g %g %d\n", sum(a, 10), sum(b, 10), c[9]);
  cilk_for(int i = 0; i < ROWS; i++) {
    x[i] = i;
    y[i] = 2 * i;
  }
  printf("%d %d\n", x[7], y[8]);
  arrays(ROWS, m, (const double(*)[4])k, a, b, a + 5);
  printf("%g %g %g\n", sum(&m[0][0], ROWS * 4), sum(a, 10), sum(b, 10));
  named_arrays(4, a, m, b, (const row*)k);
  printf("%g %g\n", sum(&m[0][0], ROWS * 4), sum(a, 10));
  int (*table[2])(int) = {next, twice};
  functions(10, c, next, twice, table, fill, q);
  printf("%d %d %g\n", c[8], c[9], q[2][1]);
  sizes(9, 5, n, (const double(*)[10][5])deep);
  printf("%.10g\n", sum(&n[0][0], 45));
  static double in[3][4][5], out[3][4][5];
  cube(3, 4, 5, in, out);
  printf("%.10g %.10g\n", sum(&in[0][0][0], 60), sum(&out[0][0][0], 60));
  printf("%ld\n", qualified());
  /* Variables of loops, one of them the function's. */
  cilk_for(double(*at)[4] = m; at < m + ROWS; ++at)(*at)[2] = (double)(at - m);
  int (*called[4])(int);
  cilk_for(int (**f)(int) = called; f != called + 4; f++)* f = twice;
  int i;
  unsigned char byte;
  double* back;
  cilk_for(i = 0; i < 10; i += 3) c[i] = i;
  cilk_for(byte = 250; byte != 4; byte += 2) a[byte % 10] = byte;
  cilk_for(back = a + 9; back >= a + 3; back -= 2)* back += 1;
  printf("%g %d %d %d %d %g\n", sum(&m[0][0], ROWS * 4), called[3](4), i, byte, (int)(back - a), sum(a, 10));
  return 0;
}

// Programs written to the paper's interface and to the published one, unchanged: fib, n queens, quicksort, integrate.
#include <nopal/compat/fibril.h>

#include <stdlib.h>
#include <string.h>

#include "check.h"

// The paper's form of a fork: the variable itself.
fibril int parfib(int n) {
  if (n < 2) return n;
  fibril_t fr;
  fibril_init(&fr);

  int x, y;
  fibril_fork(&fr, x, parfib, (n - 1));
  y = parfib(n - 2);

  fibril_join(&fr);
  return x + y;
}

// The published form: the variable's address.
fibril static int fib(int n) {
  if (n < 2) return n;
  int x, y;
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, &x, fib, (n - 1));
  y = fib(n - 2);
  fibril_join(&fr);
  return x + y;
}

static int safe(const int* columns, int rows, int column) {
  for (int i = 0; i < rows; ++i) {
    const int distance = rows - i;
    if (columns[i] == column || columns[i] == column - distance || columns[i] == column + distance) return 0;
  }
  return 1;
}

fibril static int nqueens(const int* a, int n, int d) {
  if (d == n) return 1;
  int counts[16];
  int boards[16][16];
  fibril_t fr;
  fibril_init(&fr);
  for (int i = 0; i < n; ++i) {
    counts[i] = 0;
    if (!safe(a, d, i)) continue;
    memcpy(boards[i], a, sizeof(int) * (size_t)d);
    boards[i][d] = i;
    fibril_fork(&fr, &counts[i], nqueens, (boards[i], n, d + 1));
  }
  fibril_join(&fr);
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += counts[i];
  return sum;
}

static size_t partition(int* a, size_t n) {
  const int pivot = a[(n - 1) / 2];
  size_t i = 0, j = n - 1;
  for (;;) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i >= j) return j;
    const int swapped = a[i];
    a[i++] = a[j];
    a[j--] = swapped;
  }
}

fibril static void quicksort(int* a, size_t n) {
  if (n < 2) return;
  const size_t left = partition(a, n) + 1;
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, quicksort, (a, left));
  quicksort(a + left, n - left);
  fibril_join(&fr);
}

static double f(double x) { return (x * x + 1) * x; }

fibril static double integrate(double x1, double y1, double x2, double y2, double area) {
  const double half = (x2 - x1) / 2;
  const double x0 = x1 + half;
  const double y0 = f(x0);
  const double area1 = (y1 + y0) / 2 * half;
  const double area2 = (y0 + y2) / 2 * half;
  const double both = area1 + area2;
  if (both - area < 1e-6 && area - both < 1e-6) return both;
  double left, right;
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, left, integrate, (x1, y1, x0, y0, area1));
  right = integrate(x0, y0, x2, y2, area2);
  fibril_join(&fr);
  return left + right;
}

#if defined(NOPAL_ELIDE) || defined(FIBRIL_SERIAL)
enum { asked = 1 };
#else
enum { asked = 3 };
#endif

int main(void) {
  CHECK(fibril_rt_init(FIBRIL_NPROCS) == FIBRIL_SUCCESS);
  CHECK(parfib(24) == 46368);
  CHECK(fib(24) == 46368);

  int board[16];
  CHECK(nqueens(board, 8, 0) == 92);

  const size_t count = 100000;
  int* const numbers = malloc(count * sizeof(int));
  unsigned state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers[i] = (int)(state >> 8);
  }
  quicksort(numbers, count);
  int sorted = 1;
  for (size_t i = 1; i < count; ++i) sorted &= numbers[i - 1] <= numbers[i];
  CHECK(sorted);
  free(numbers);

  const double area = integrate(0, f(0), 30, f(30), 0);
  CHECK(area > 202949.9 && area < 202950.1);

  CHECK(fibril_rt_nprocs() >= 1);
  CHECK(fibril_rt_exit() == FIBRIL_SUCCESS);
  CHECK(fibril_rt_init(asked) == FIBRIL_SUCCESS && fibril_rt_nprocs() == asked);
  CHECK(parfib(20) == 6765);
  CHECK(fibril_rt_exit() == FIBRIL_SUCCESS);
  return failures != 0;
}

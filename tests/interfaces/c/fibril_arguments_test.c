// fibril_fork where a processor passes large arguments by the address of a copy, which the macro of that name has any be: what is
// accepted gets there and is evaluated once; with one of the macros below the compiler has to refuse the fork.
#include <nopal/compat/fibril.h>

#include <string.h>

#include "check.h"

typedef struct small {
  long values[2];
} small;
typedef struct large {
  long values[3];
} large;
struct bits {
  unsigned three : 3;
};

static int workers;

static int none(void) { return 7; }
static int same(int n) { return n; }
static int mixed(gate* g, const int* numbers, const char* text, int (*function)(int), small s,
                 long double number) {
  CHECK(gate_wait(g, workers));
  return numbers[0] + text[0] + function(1) + (int)s.values[1] + (int)number;
}
static int last_of(gate* g, int n, int (*row)[n]) {
  CHECK(gate_wait(g, workers));
  return row[0][n - 1];
}
static int sum_of(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m,
                  int n, int o, int p, int q, int r, int s, int t, int u, int v, int w, int x, int y, int z,
                  int a1, int a2, int a3, int a4, int a5, int a6) {
  return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t + u + v + w + x + y +
         z + a1 + a2 + a3 + a4 + a5 + a6;
}
#define THIRTY_ONE_OF_THEM                                                                                   \
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, \
      30, 31

#ifdef LARGE_ARGUMENT
static int large_sum(int n, large l) { return n + (int)l.values[2]; }
#endif
#ifdef ONLY_A_LARGE_ARGUMENT
static int of_large(large l) { return (int)l.values[2]; }
#endif
#ifdef TOO_MANY_ARGUMENTS
static int endless(int n, ...) { return n; }
#endif

static void test_what_is_accepted(void) {
  int results[8];
  int n = 3;
  int numbers[100] = {1};
  int rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int(*row)[n] = rows;
  const struct bits bits = {5};
  gate gates[3];
  memset(gates, 0, sizeof gates);
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, none, ());
  fibril_fork(&fr, results[0], none, ());
  fibril_fork(&fr, results[1], same, (n++));
  fibril_fork(&fr, results[2], same, ((n) + 1));
  fibril_fork(&fr, results[3], same, (bits.three));
  fibril_fork(&fr, results[4], sum_of, (THIRTY_ONE_OF_THEM, 32));
  n = 3;
  fibril_fork(&fr, results[5], last_of, (&gates[0], n, row++));
  gate_open(&gates[0]);
  fibril_fork(&fr, results[6], last_of, (&gates[1], n, row++));
  gate_open(&gates[1]);
  fibril_fork(&fr, results[7], mixed,
              (&gates[2], numbers, "a text longer than 16 bytes", same, ((small){{1, 2}}), 1.0L));
  gate_open(&gates[2]);
#ifdef LARGE_ARGUMENT
  large l = {{1, 2, 3}};
  fibril_fork(&fr, large_sum, (1, l));
#endif
#ifdef ONLY_A_LARGE_ARGUMENT
  large l = {{1, 2, 3}};
  fibril_fork(&fr, of_large, (l));
#endif
#ifdef TOO_MANY_ARGUMENTS
  fibril_fork(&fr, endless, (THIRTY_ONE_OF_THEM, 32, 33));
#endif
  fibril_join(&fr);
  CHECK(results[0] == 7 && results[1] == 3 && results[2] == 5 && results[3] == 5 && results[4] == 528);
  CHECK(results[5] == 3 && results[6] == 6 && results[7] == 1 + 'a' + 1 + 2 + 1);
}

int main(void) {
  workers = fibril_rt_nprocs();
  for (int i = 0; i < 20; ++i) test_what_is_accepted();
  return failures != 0;
}

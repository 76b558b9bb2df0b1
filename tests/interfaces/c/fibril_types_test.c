// fibril_fork with every kind of argument and result that it takes, each fork's continuation surely stolen where there
// are two workers.
#include <nopal/compat/fibril.h>

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static int workers;

// Where large arguments are refused, the largest there is.
#ifdef NOPAL_DETAIL_LARGE_BY_REFERENCE
enum { large_length = NOPAL_DETAIL_LARGE_BY_REFERENCE / sizeof(int) };
#else
enum { large_length = 100 };
#endif
typedef struct large {
  int values[large_length];
} large;
typedef struct pair {
  double a;
  long b;
} pair;
typedef struct node {
  struct node* next;
} node;

static void scribble(void) {
  volatile char bytes[2000];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (char)0x5a;
}

// An identity function per type: a fork stores its result in either form.
#define IDENTITY(name, type)                                                                                 \
  static type name(gate* g, type value) {                                                                    \
    CHECK(gate_wait(g, workers));                                                                            \
    return value;                                                                                            \
  }
IDENTITY(of_bool, _Bool)
IDENTITY(of_char, signed char)
IDENTITY(of_short, unsigned short)
IDENTITY(of_int, int)
IDENTITY(of_unsigned, unsigned)
IDENTITY(of_long, long)
IDENTITY(of_float, float)
IDENTITY(of_double, double)
IDENTITY(of_node, node*)
IDENTITY(of_anything, void*)

#define FORKED(receiver, destination, function, value, expected)                                             \
  do {                                                                                                       \
    gate g = {0};                                                                                            \
    fibril_t fr;                                                                                             \
    fibril_init(&fr);                                                                                        \
    fibril_fork(&fr, destination, function, (&g, value));                                                    \
    scribble();                                                                                              \
    gate_open(&g);                                                                                           \
    fibril_join(&fr);                                                                                        \
    CHECK((receiver) == (expected));                                                                         \
  } while (0)
#define BOTH_FORMS(type, function, value, expected)                                                          \
  do {                                                                                                       \
    type received;                                                                                           \
    memset(&received, 0, sizeof received);                                                                   \
    FORKED(received, received, function, value, expected);                                                   \
    memset(&received, 0, sizeof received);                                                                   \
    FORKED(received, &received, function, value, expected);                                                  \
  } while (0)

static void test_scalars(void) {
  BOTH_FORMS(_Bool, of_bool, 1, 1);
  BOTH_FORMS(signed char, of_char, -5, -5);
  BOTH_FORMS(unsigned short, of_short, 65000, 65000);
  BOTH_FORMS(int, of_int, -123456789, -123456789);
  BOTH_FORMS(unsigned, of_unsigned, 4000000000u, 4000000000u);
  BOTH_FORMS(long, of_long, -1234567890123L, -1234567890123L);
  BOTH_FORMS(float, of_float, 1.5f, 1.5f);
  BOTH_FORMS(double, of_double, -2.25, -2.25);
}

// As an assignment converts. Arguments too: the parameters' types are the functions'.
static void test_conversions(void) {
  BOTH_FORMS(long, of_int, -7, -7);
  BOTH_FORMS(unsigned long, of_unsigned, 4000000000u, 4000000000u);
  BOTH_FORMS(short, of_int, 65536 + 12, 12);
  BOTH_FORMS(float, of_double, 1.25, 1.25f);
  BOTH_FORMS(double, of_float, 3, 3.0);
  BOTH_FORMS(double, of_double, 7, 7.0);
}

static void test_pointers(void) {
  node first = {NULL}, second = {&first};
  BOTH_FORMS(node*, of_node, &second, &second);
  BOTH_FORMS(const void*, of_anything, &second, &second);
  node* received = NULL;
  FORKED(received, received, of_anything, &first, &first);
  received = NULL;
  FORKED(received, &received, of_anything, &first, &first);
  int number = 0;
  int* const out = &number;
  FORKED(number, out, of_int, 11, 11);
  int numbers[2] = {0, 0};
  FORKED(numbers[1], &numbers[1], of_int, 12, 12);
  FORKED(numbers[0], numbers[0], of_int, 13, 13);
  volatile int watched = 0;
  FORKED(watched, watched, of_int, 14, 14);
}

static long many(gate* g, int a, double b, int c, double d, large l, int e, double f, int h, double i, int j,
                 double k, int m, double n, int o, double p, pair q, long double r) {
  CHECK(gate_wait(g, workers));
  return a + 2 * (long)b + 3 * c + 4 * (long)d + l.values[large_length - 1] + 5 * e + 6 * (long)f + 7 * h +
         8 * (long)i + 9 * j + 10 * (long)k + 11 * m + 12 * (long)n + 13 * o + 14 * (long)p + 15 * (long)q.a +
         16 * q.b + 17 * (long)r;
}

static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  double total = 0;
  for (int i = 0; i < count; ++i) total += va_arg(list, double);
  va_end(list);
  return (int)total;
}

static int evaluations;
static int next_number(void) { return ++evaluations; }
static int seven(void) { return 7; }
static gate* effect_gate;
static void effect(int* where, int value) {
  CHECK(gate_wait(effect_gate, workers));
  *where = value;
}

static void test_arguments(void) {
  gate g = {0};
  large l;
  memset(&l, 0, sizeof l);
  l.values[large_length - 1] = 1000;
  const pair q = {15.0, 16};
  long received = 0;
  int summed = 0, plain = 0, stored[4] = {0, 0, 0, 0};
  int (*const function)(int, ...) = sum;
  gate other = {0};
  effect_gate = &other;
  evaluations = 0;
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, received, many, (&g, 1, 2, 3, 4, l, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, q, 17));
  memset(&l, 0, sizeof l);
  scribble();
  gate_open(&g);
  fibril_fork(&fr, &summed, function, (3, 1.5, 2.0, 3.5));
  fibril_fork(&fr, plain, seven, ());
  fibril_fork(&fr, effect, (&stored[0], next_number()));
  scribble();
  gate_open(&other);
  fibril_fork(&fr, effect, (&stored[next_number()], next_number() + evaluations * 0));
  fibril_fork(&fr, seven, ());
  fibril_join(&fr);
  CHECK(received ==
        1 + 4 + 9 + 16 + 1000 + 25 + 36 + 49 + 64 + 81 + 100 + 121 + 144 + 169 + 196 + 225 + 256 + 289);
  CHECK(summed == 7 && plain == 7 && stored[0] == 1 && evaluations == 3);
}

// A loop of forks, on a frame with over-aligned locals, used for two rounds of children.
static void test_loop(void) {
  _Alignas(64) int values[64];
  gate gates[64];
  memset(gates, 0, sizeof gates);
  fibril_t fr;
  fibril_init(&fr);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 64; ++i) {
      fibril_fork(&fr, values[i], of_int, (&gates[i], i + round));
      gate_open(&gates[i]);
    }
    fibril_join(&fr);
    for (int i = 0; i < 64; ++i) CHECK(values[i] == i + round);
  }
}

int main(void) {
  workers = fibril_rt_nprocs();
  for (int i = 0; i < 20; ++i) {
    test_scalars();
    test_conversions();
    test_pointers();
    test_arguments();
    test_loop();
  }
  CHECK(fibril_rt_exit() == 0);
  return failures != 0;
}

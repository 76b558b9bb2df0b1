// <nopal/nopal.h> as a C11 program uses it: every kind of argument, forks whose continuation is surely stolen, the
// functions of the runtime.
#define _POSIX_C_SOURCE 200809L  // setenv
#include <nopal/nopal.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int workers;

NOPAL_FORKABLE(long, fib, (int, n))

long fib(int n) {
  if (n < 2) return n;
  long x, y;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_fib(&s, &x, n - 1);
  y = fib(n - 2);
  nopal_join(&s);
  return x + y;
}

typedef struct pair {
  double a;
  long b;
} pair;
typedef struct large {
  int values[100];
} large;

static gate no_arguments_gate;
static int no_arguments(void);
NOPAL_FORKABLE(int, no_arguments)
static int no_arguments(void) {
  CHECK(gate_wait(&no_arguments_gate, workers));
  return 42;
}

static void nothing_at_all(void);
NOPAL_FORKABLE_VOID(nothing_at_all)
static int nothing_calls;
static void nothing_at_all(void) { __atomic_add_fetch(&nothing_calls, 1, __ATOMIC_RELAXED); }

static double mixed(gate* g, double d, float f, char c, pair p);
NOPAL_FORKABLE(double, mixed, (gate*, g), (double, d), (float, f), (char, c), (pair, p))
static double mixed(gate* g, double d, float f, char c, pair p) {
  CHECK(gate_wait(g, workers));
  return d + (double)f + c + p.a + (double)p.b;
}

static pair by_value(gate* g, large l, pair p);
NOPAL_FORKABLE(pair, by_value, (gate*, g), (large, l), (pair, p))
static pair by_value(gate* g, large l, pair p) {
  CHECK(gate_wait(g, workers));
  for (int i = 0; i < 100; ++i) p.b += l.values[i];
  return p;
}

static void sixteen(gate* g, long* out, int a, double b, int c, double d, int e, double f, int h, double i,
                    int j, double k, int l, double m, long double n, large o);
NOPAL_FORKABLE_VOID(sixteen, (gate*, g), (long*, out), (int, a), (double, b), (int, c), (double, d), (int, e),
                    (double, f), (int, h), (double, i), (int, j), (double, k), (int, l), (double, m),
                    (long double, n), (large, o))
static void sixteen(gate* g, long* out, int a, double b, int c, double d, int e, double f, int h, double i,
                    int j, double k, int l, double m, long double n, large o) {
  CHECK(gate_wait(g, workers));
  *out = a + 2 * (long)b + 3 * c + 4 * (long)d + 5 * e + 6 * (long)f + 7 * h + 8 * (long)i + 9 * j +
         10 * (long)k + 11 * l + 12 * (long)m + 13 * (long)n + o.values[99];
}

static int apply(int (*f)(int), int x, int table[4]);
NOPAL_FORKABLE(int, apply, (int (*)(int), f), (int, x), (int[4], table))
static int apply(int (*f)(int), int x, int table[4]) { return f(x) + table[3]; }
static int doubled(int x) { return 2 * x; }

// Overwrites the outgoing arguments and the stack that the parent's continuation uses.
static void scribble(void) {
  volatile char bytes[2000];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (char)0x5a;
}

static void test_arguments(void) {
  int x;
  double d;
  pair r;
  long out = 0;
  int applied;
  gate gates[3] = {{0}, {0}, {0}};
  large l;
  for (int i = 0; i < 100; ++i) l.values[i] = i;
  const pair p = {0.5, 7};
  int table[4] = {1, 2, 3, 4};
  nopal_scope s;
  nopal_scope_init(&s);
  no_arguments_gate.open = 0;
  nopal_fork_no_arguments(&s, &x);
  gate_open(&no_arguments_gate);
  nopal_fork_nothing_at_all(&s);
  nopal_fork_mixed(&s, &d, &gates[0], 1.5, 2.5f, (char)3, p);
  scribble();
  gate_open(&gates[0]);
  nopal_join(&s);
  CHECK(x == 42 && d == 1.5 + 2.5 + 3 + 0.5 + 7);
  nopal_fork_by_value(&s, &r, &gates[1], l, p);
  memset(&l, 0, sizeof l);
  scribble();
  gate_open(&gates[1]);
  nopal_join(&s);
  CHECK(r.a == 0.5 && r.b == 7 + 4950);
  l.values[99] = 1000;
  nopal_fork_sixteen(&s, &gates[2], &out, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, l);
  memset(&l, 0, sizeof l);
  scribble();
  gate_open(&gates[2]);
  nopal_fork_apply(&s, &applied, doubled, 21, table);
  nopal_join(&s);
  CHECK(out == 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81 + 100 + 121 + 144 + 169 + 1000);
  CHECK(applied == 46);
}

typedef struct untyped {
  gate g;
  int value;
} untyped;

static void set_value(void* argument) {
  untyped* u = argument;
  CHECK(gate_wait(&u->g, workers));
  u->value = 17;
}

static void test_untyped(void) {
  untyped u[10];
  memset(u, 0, sizeof u);
  nopal_scope s;
  nopal_scope_init(&s);
  for (int i = 0; i < 10; ++i) {
    nopal_fork(&s, set_value, &u[i]);
    gate_open(&u[i].g);
  }
  nopal_join(&s);
  for (int i = 0; i < 10; ++i) CHECK(u[i].value == 17);
}

// Locals that compilers like to address through the stack pointer, an array of run-time size, registers kept busy.
static long frame_shapes(int n) {
  long x, y;
  char* const made = __builtin_alloca((size_t)n + 1);
  memset(made, n, (size_t)n + 1);
  _Alignas(64) volatile long aligned[8];
  for (int i = 0; i < 8; ++i) aligned[i] = i * n;
  const long a = n * 3, b = n * 5, c = n * 7, d = n * 11, e = n * 13, f = n * 17;
  const double g = n * 0.5, h = n * 0.25;
  gate opened = {0};
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_fib(&s, &x, n);
  y = 0;
  nopal_fork(&s, set_value, &(untyped){{1}, 0});
  scribble();
  gate_open(&opened);
  nopal_join(&s);
  CHECK(((unsigned long)aligned & 63) == 0);
  y = aligned[7] + made[n] + a + b + c + d + e + f + (long)(g * 2 + h * 4);
  return x + y;
}

static void test_frames(void) {
  for (int i = 0; i < 200; ++i) {
    const int n = 10 + i % 8;
    const long expected = n * (7 + 1 + 3 + 5 + 7 + 11 + 13 + 17 + 1 + 1);
    CHECK(frame_shapes(n) == fib(n) + expected);
  }
}

static void test_runtime(void) {
  CHECK(workers == nopal_workers() && workers >= 1);
  CHECK(nopal_worker_index() >= 0);
  nopal_configuration c = {.workers = 2};
  CHECK(nopal_configure(&c) != 0);
  CHECK(strstr(nopal_error_message(), "runs already") != NULL);
  nopal_statistics counts;
  CHECK(nopal_stats(&counts) == 0);
  CHECK(counts.workers == workers);
  CHECK(workers == 1 || counts.total.steals > 0);
  nopal_worker_statistics each[16];
  const int known = nopal_worker_stats(each, 16);
  CHECK(known >= 1 && known <= 16);
  each[1].steals = 77;
  CHECK(nopal_worker_stats(each, 1) == known && each[1].steals == 77);
  CHECK(nopal_shutdown() == 0);
  c.workers = -5;
  CHECK(nopal_configure(&c) != 0 && strstr(nopal_error_message(), "-5") != NULL);
  c.workers = 3;
  c.pin = (enum nopal_pin)7;
  CHECK(nopal_configure(&c) != 0 && strstr(nopal_error_message(), "pin") != NULL);
  c.pin = nopal_pin_yes;
  c.reclaim = (enum nopal_reclaim)INT_MIN;
  CHECK(nopal_configure(&c) != 0 && strstr(nopal_error_message(), "reclaim =") != NULL);
  c.reclaim = nopal_reclaim_default;
  c.reclaim_with = (enum nopal_reclaim_with)9;
  CHECK(nopal_configure(&c) != 0 && strstr(nopal_error_message(), "reclaim_with =") != NULL);
  const nopal_configuration refuses = {.on_bad_setting = nopal_bad_setting_refuse};
  setenv("NOPAL_PIN", "maybe", 1);
  CHECK(nopal_configure(&refuses) != 0 &&
        strstr(nopal_error_message(), "NOPAL_PIN=maybe: not understood") != NULL);
  unsetenv("NOPAL_PIN");
  c.reclaim_with = nopal_reclaim_with_default;
  CHECK(nopal_configure(&c) == 0);
  c.reclaim = nopal_reclaim_eager;
  c.pin = nopal_pin_no;
  c.stack_size = 1 << 18;
  CHECK(nopal_configure(&c) == 0 && nopal_workers() == 3);
  c = (nopal_configuration){.pin = nopal_pin_no};
  CHECK(nopal_configure(&c) == 0 && nopal_workers() == 3);
  CHECK(fib(18) == 2584);
  c = (nopal_configuration){0};
  CHECK(nopal_shutdown() == 0 && nopal_configure(&c) == 0 && nopal_workers() == workers);
}

int main(void) {
  workers = nopal_workers();
  CHECK(nopal_error_message()[0] == '\0');
  CHECK(fib(24) == 46368);
  for (int i = 0; i < 20; ++i) {
    test_arguments();
    test_untyped();
  }
  test_frames();
  CHECK(nothing_calls == 20);
  test_runtime();
  return failures != 0;
}

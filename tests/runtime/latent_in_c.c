#include "latent_in_c.h"

#include <nopal/nopal.h>

#include <complex.h>
#include <string.h>

const int forks_in_c_are_latent = NOPAL_HAS_LATENT_FORKS;

// What the continuation finds on the stack it goes on, and the child's arguments must not lie in.
static void scribble(void) {
  volatile char bytes[2000];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (char)0x5a;
}

// FORK(name, result, (argument...), expected): forks_<name>, which forks the function `name`.
#define UNWRAPPED(...) __VA_ARGS__
#define FORK(name, result, arguments, expected)                                                              \
  static int forks_##name(void) {                                                                            \
    result got;                                                                                              \
    memset((void*)&got, 0x77, sizeof got);                                                                   \
    nopal_scope s;                                                                                           \
    nopal_scope_init(&s);                                                                                    \
    nopal_fork_##name(&s, &got, UNWRAPPED arguments);                                                        \
    continuation_begins();                                                                                   \
    scribble();                                                                                              \
    nopal_join(&s);                                                                                          \
    return expected;                                                                                         \
  }

static int global;
static void sets_global(void);
NOPAL_FORKABLE_VOID(sets_global)
static void sets_global(void) {
  child_begins();
  global = 4;
}
static int forks_nothing(void) {
  global = 0;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_sets_global(&s);
  continuation_begins();
  nopal_join(&s);
  return global == 4;
}

static void adds_one(void* number) {
  child_begins();
  ++*(int*)number;
}
static int forks_untyped(void) {
  int number = 5;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, adds_one, &number);
  continuation_begins();
  scribble();
  nopal_join(&s);
  return number == 6;
}

static _Bool small_words(_Bool b, char c, signed char s, unsigned char u, short h, unsigned short w);
NOPAL_FORKABLE(_Bool, small_words, (_Bool, b), (char, c), (signed char, s), (unsigned char, u), (short, h),
               (unsigned short, w))
static _Bool small_words(_Bool b, char c, signed char s, unsigned char u, short h, unsigned short w) {
  child_begins();
  return b && c == 'x' && s == -7 && u == 250 && h == -3000 && w == 60000;
}
FORK(small_words, _Bool, (1, 'x', -7, 250, -3000, 60000), got == 1)

enum color { red = -1, green = 5 };
static signed char words(int i, unsigned u, long l, unsigned long long m, const char* text, enum color c);
NOPAL_FORKABLE(signed char, words, (int, i), (unsigned, u), (long, l), (unsigned long long, m),
               (const char*, text), (enum color, c))
static signed char words(int i, unsigned u, long l, unsigned long long m, const char* text, enum color c) {
  child_begins();
  return i == -1 && u == 4000000000U && l == -5000000000L && m == ~0ULL && text[1] == 'b' && c == red ? -9
                                                                                                      : 0;
}
FORK(words, signed char, (-1, 4000000000U, -5000000000L, ~0ULL, "abc", red), got == -9)

static short seven_words(int a, int b, int c, int d, int e, int f, short g);
NOPAL_FORKABLE(short, seven_words, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (short, g))
static short seven_words(int a, int b, int c, int d, int e, int f, short g) {
  child_begins();
  return (short)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g);
}
FORK(seven_words, short, (1, 2, 3, 4, 5, 6, 7), got == 1 + 4 + 9 + 16 + 25 + 36 + 49)

static double numbers(double a, double b, double c, double d, double e, double f, double g, double h, int i,
                      const double* j);
NOPAL_FORKABLE(double, numbers, (double, a), (double, b), (double, c), (double, d), (double, e), (double, f),
               (double, g), (double, h), (int, i), (const double*, j))
static double numbers(double a, double b, double c, double d, double e, double f, double g, double h, int i,
                      const double* j) {
  child_begins();
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + i + *j;
}
static const double half = 0.5;
FORK(numbers, double, (1, 2, 3, 4, 5, 6, 7, 8, 9, &half), got == 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 9 + 0.5)

static double nine_numbers(double a, double b, double c, double d, double e, double f, double g, double h,
                           double i);
NOPAL_FORKABLE(double, nine_numbers, (double, a), (double, b), (double, c), (double, d), (double, e),
               (double, f), (double, g), (double, h), (double, i))
static double nine_numbers(double a, double b, double c, double d, double e, double f, double g, double h,
                           double i) {
  child_begins();
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
FORK(nine_numbers, double, (1, 2, 3, 4, 5, 6, 7, 8, 9), got == 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81)

static float words_between_numbers(int a, double b, long c, double d, char e, double f, double g, double h,
                                   void* i, int j);
NOPAL_FORKABLE(float, words_between_numbers, (int, a), (double, b), (long, c), (double, d), (char, e),
               (double, f), (double, g), (double, h), (void*, i), (int, j))
static float words_between_numbers(int a, double b, long c, double d, char e, double f, double g, double h,
                                   void* i, int j) {
  child_begins();
  return (float)(a + 2 * b + (double)(3 * c) + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + (i == NULL) + 10 * j);
}
FORK(words_between_numbers, float, (1, 2, 3, 4, 5, 6, 7, 8, NULL, 10),
     got == 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 1 + 100)

static float floats(float a, int b, float c);
NOPAL_FORKABLE(float, floats, (float, a), (int, b), (float, c))
static float floats(float a, int b, float c) {
  child_begins();
  return a + 2 * (float)b + 4 * c;
}
FORK(floats, float, (1.5F, 2, 0.25F), got == 6.5F)

static long double longs(long double a, __complex__ double b);
NOPAL_FORKABLE(long double, longs, (long double, a), (__complex__ double, b))
static long double longs(long double a, __complex__ double b) {
  child_begins();
  return a + (long double)creal(b) * 10 + (long double)cimag(b) * 100;
}
FORK(longs, long double, (1.0L, 2.0 + 3.0 * I), got == 321.0L)

typedef struct three {
  char bytes[3];
} three;
typedef struct pair {
  double number;
  char letter;
} pair;
typedef struct __attribute__((aligned(64))) aligned {
  long first;
  char rest[56];
} aligned;
typedef struct large {
  long values[40];
} large;

static pair small_structs(three t, pair p, const three* where);
NOPAL_FORKABLE(pair, small_structs, (three, t), (const pair, p), (const three*, where))
static pair small_structs(three t, const pair p, const three* where) {
  child_begins();
  const pair made = {p.number + t.bytes[0] + where->bytes[2], (char)(p.letter + t.bytes[1])};
  return made;
}
static const three abc = {{1, 2, 3}};
static const pair half_a = {0.5, 'a'};
FORK(small_structs, pair, (abc, half_a, &abc), got.number == 4.5 && got.letter == 'c')

static aligned over_aligned(aligned a, int x);
NOPAL_FORKABLE(aligned, over_aligned, (aligned, a), (int, x))
static aligned over_aligned(aligned a, int x) {
  child_begins();
  a.first += x;
  if (((unsigned long)&a & 63) != 0) a.first = 0;
  return a;
}
static const aligned seven = {.first = 7, .rest = {0}};
FORK(over_aligned, aligned, (seven, 3), got.first == 10)

static large large_struct(volatile int x, large l);
NOPAL_FORKABLE(large, large_struct, (volatile int, x), (large, l))
static large large_struct(volatile int x, large l) {
  child_begins();
  l.values[39] += x;
  return l;
}
static const large many = {{1, 2}};
FORK(large_struct, large, (4, many),
     got.values[39] == 4 && got.values[0] == 1 && got.values[1] == 2 && got.values[2] == 0)

static long arrays(int n, int (*rows)[n], int table[4], long (*f)(long));
NOPAL_FORKABLE(long, arrays, (int, n), (int (*)[n], rows), (int[4], table), (long (*)(long), f))
static long arrays(int n, int (*rows)[n], int table[4], long (*f)(long)) {
  child_begins();
  return f(rows[1][n - 1] + table[3]);
}
static long twice(long x) { return 2 * x; }
static int two_rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
static int four[4] = {10, 20, 30, 40};
FORK(arrays, long, (3, two_rows, four, twice), got == 92)

static void sixteen(long* out, int a, double b, three c, float d, pair e, char f, long double g, int h, int i,
                    int j, int k, int l, int m, large n, _Bool o);
NOPAL_FORKABLE_VOID(sixteen, (long*, out), (int, a), (double, b), (three, c), (float, d), (pair, e),
                    (char, f), (long double, g), (int, h), (int, i), (int, j), (int, k), (int, l), (int, m),
                    (large, n), (_Bool, o))
static void sixteen(long* out, int a, double b, three c, float d, pair e, char f, long double g, int h, int i,
                    int j, int k, int l, int m, large n, _Bool o) {
  child_begins();
  *out = a + 2 * (long)b + 3 * c.bytes[2] + 4 * (long)d + (long)(2 * e.number) + 6 * f + 7 * (long)g + 8 * h +
         9 * i + 10 * j + 11 * k + 12 * l + 13 * m + n.values[1] + o;
}
static int forks_sixteen(void) {
  long got = 0;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_sixteen(&s, &got, 1, 2, abc, 4, half_a, 6, 7, 8, 9, 10, 11, 12, 13, many, 1);
  continuation_begins();
  scribble();
  nopal_join(&s);
  return got == 1 + 4 + 9 + 16 + 1 + 36 + 49 + 64 + 81 + 100 + 121 + 144 + 169 + 2 + 1;
}

#define IN_TABLE(name) {#name, forks_##name}
const struct fork_in_c forks_in_c[] = {
    IN_TABLE(nothing),      IN_TABLE(untyped), IN_TABLE(small_words),   IN_TABLE(words),
    IN_TABLE(seven_words),  IN_TABLE(numbers), IN_TABLE(nine_numbers),  IN_TABLE(words_between_numbers),
    IN_TABLE(floats),       IN_TABLE(longs),   IN_TABLE(small_structs), IN_TABLE(over_aligned),
    IN_TABLE(large_struct), IN_TABLE(arrays),  IN_TABLE(sixteen)};
const int forks_in_c_count = (int)(sizeof forks_in_c / sizeof forks_in_c[0]);

NOPAL_FORKABLE(int, nested_in_cpp, (int, depth), (int, outermost))

int nested_in_c(int depth, int outermost) {
  if (depth == 0) {
    child_begins();
    return 0;
  }
  int below = -1;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_nested_in_cpp(&s, &below, depth - 1, outermost);
  if (depth == outermost) continuation_begins();
  nopal_join(&s);
  return below + 1;
}

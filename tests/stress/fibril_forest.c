// Irregular trees of the Fibril interface's forks, in C: the arguments of the children lie in registers of both kinds
// and on the stack, and their results have every type there is a routine for. Compared with the same trees run serially.
#include <nopal/compat/fibril.h>

#include <stdint.h>
#include <string.h>

#include "fibril_forest.h"

static uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdU;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53U;
  return x ^ x >> 33;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t leaf(uint64_t seed) {
  const uint64_t rounds = seed % 97 == 0 ? 20000 : seed % 300;
  uint64_t state = seed;
  for (uint64_t i = 0; i < rounds; ++i) state = state * 6364136223846793005U + 1;
  fibril_forest_progress();
  return state;
}

// Children of a branch: each folds what it was given into what it returns.
static uint64_t by_stack(uint64_t a, int b, double c, uint64_t d, float e, short f, uint64_t g, uint64_t h,
                         double i, uint64_t depth, uint64_t j);
static double by_double(double seed, double weight, int depth);
static float by_float(uint64_t seed, float weight, int depth);
static int by_int(unsigned char seed, int depth);
static short by_short(short seed, int depth);
static _Bool by_bool(uint64_t seed, int depth);
static unsigned by_unsigned(unsigned seed, int depth);
static void by_nothing(uint64_t* out, double weight, uint64_t seed, int depth);

struct results {
  uint64_t from_stack, from_nothing;
  double from_double, from_float_too;
  float from_float, from_double_too;
  int64_t from_int;
  uint64_t from_unsigned;
  short from_short;
  _Bool from_bool;
};

static uint64_t sum_of(uint64_t seed, const struct results* r) {
  uint64_t sum = mix(seed + r->from_stack);
  sum = mix(sum + r->from_nothing);
  sum = mix(sum + bits_of(r->from_double) + bits_of(r->from_float_too));
  sum = mix(sum + bits_of((double)r->from_float) + bits_of((double)r->from_double_too));
  return mix(sum + (uint64_t)r->from_int + r->from_unsigned + (uint64_t)r->from_short +
             (uint64_t)r->from_bool);
}

// The children of one branch, which of them by the seed. FORK is a fork, or the call in its place.
#define CHILDREN(FORK)                                                                                       \
  const int below = depth - 1;                                                                               \
  FORK(from_stack, by_stack,                                                                                 \
       (mix(seed), below, (double)(seed % 1000), seed, 0.5F, (short)seed, seed + 1, seed + 2, 0.25,          \
        seed + 3, seed + 4))                                                                                 \
  if (seed % 2 == 0) FORK(from_double, by_double, ((double)(seed % 4096), 1.5, below))                       \
  if (seed % 3 == 0) FORK(from_float, by_float, (mix(seed + 1), 2.5F, below))                                \
  if (seed % 5 == 0) FORK(from_int, by_int, ((unsigned char)seed, below))                                    \
  if (seed % 7 == 0) FORK(from_short, by_short, ((short)seed, below))                                        \
  if (seed % 5 == 1) FORK(from_bool, by_bool, (mix(seed + 2), below))                                        \
  if (seed % 3 == 1) FORK(from_unsigned, by_unsigned, ((unsigned)seed, below))                               \
  if (seed % 7 == 1) FORK(from_float_too, by_float, (mix(seed + 3), 3.5F, below))                            \
  if (seed % 7 == 2) FORK(from_double_too, by_double, ((double)(seed % 512), 4.5, below))

static int serial;

static uint64_t serial_tree(uint64_t seed, int depth) {
  struct results r = {0};
#define CALL(result, function, arguments) r.result = (__typeof__(r.result))function arguments;
  CHILDREN(CALL)
#undef CALL
  by_nothing(&r.from_nothing, 0.125, mix(seed + 5), below);
  return sum_of(seed, &r);
}

static uint64_t parallel_tree(uint64_t seed, int depth) {
  struct results r = {0};
  fibril_t frame;
  fibril_init(&frame);
#define FORK(result, function, arguments)                                                                    \
  {                                                                                                          \
    fibril_fork(&frame, &r.result, function, arguments);                                                     \
  }
  CHILDREN(FORK)
#undef FORK
  fibril_fork(&frame, by_nothing, (&r.from_nothing, 0.125, mix(seed + 5), below));
  fibril_join(&frame);
  return sum_of(seed, &r);
}

static uint64_t tree(uint64_t seed, int depth) {
  if (depth <= 0) return leaf(seed);
  return serial ? serial_tree(seed, depth) : parallel_tree(seed, depth);
}

static uint64_t by_stack(uint64_t a, int b, double c, uint64_t d, float e, short f, uint64_t g, uint64_t h,
                         double i, uint64_t depth, uint64_t j) {
  const uint64_t given =
      mix(a + bits_of(c) + d) + bits_of((double)e + i) + (uint64_t)f + mix(g + 3 * h) + depth + j;
  return tree(given, b);
}

static double by_double(double seed, double weight, int depth) {
  return weight * (double)(tree((uint64_t)seed, depth) % 65536);
}

static float by_float(uint64_t seed, float weight, int depth) {
  return weight * (float)(tree(seed, depth) % 4096);
}

static int by_int(unsigned char seed, int depth) { return -(int)(tree(seed, depth) % 100000); }

static short by_short(short seed, int depth) { return (short)(tree((uint64_t)seed, depth) % 30000); }

static _Bool by_bool(uint64_t seed, int depth) { return tree(seed, depth) % 2 == 0; }

static unsigned by_unsigned(unsigned seed, int depth) { return (unsigned)tree(seed, depth); }

static void by_nothing(uint64_t* out, double weight, uint64_t seed, int depth) {
  *out = tree(seed, depth) + bits_of(weight);
}

int fibril_forest_same(uint64_t seed, int depth) {
  serial = 1;
  const uint64_t expected = tree(seed, depth);
  serial = 0;
  return tree(seed, depth) == expected;
}

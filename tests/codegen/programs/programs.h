/* What every generated program uses: numbers that stand for values, a look at the floating-point mode, and the driver that runs
 * the programs of one file. C11 and C++20. */
#ifndef NOPAL_TESTS_PROGRAMS_H
#define NOPAL_TESTS_PROGRAMS_H

#include <fenv.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nopal/nopal.h>

#include "modes.h"

#define ALWAYS_INLINE __attribute__((always_inline)) inline
#define NOINLINE __attribute__((noinline))
#define UNUSED __attribute__((unused))
#define ALIGNED(n) __attribute__((aligned(n)))

typedef uint64_t u64;
typedef unsigned char byte;

#ifdef __cplusplus
extern "C" {
#endif

/* Of the library that takes every continuation; weak, so that programs run on the ordinary one too. */
void nopal_wait_until_taken(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif

/* Lets a thief take what the strand offers. */
static NOINLINE UNUSED void wait_a_little(void) {
#ifndef NOPAL_ELIDE
  if (nopal_wait_until_taken) {
    nopal_wait_until_taken();
  }
#endif
}

static inline UNUSED u64 mix(u64 h, u64 v) {
  h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

static NOINLINE UNUSED u64 opaque(u64 v) {
  __asm__ volatile("" : "+r"(v));
  return v;
}

/* In every mode the same. */
static NOINLINE UNUSED void fill_bytes(void* where, size_t size, u64 seed) {
  byte* const p = (byte*)where;
  for (size_t i = 0; i < size; ++i) {
    p[i] = (byte)(seed >> i % 7 * 8) ^ (byte)(i * 37);
  }
}

static NOINLINE UNUSED u64 number_of_bytes(const void* where, size_t size) {
  const byte* const p = (const byte*)where;
  u64 h = size;
  for (size_t i = 0; i < size; ++i) {
    h = (h ^ p[i]) * UINT64_C(0x100000001b3);
  }
  return h;
}

/* Ends the program with one line: what is wrong was found where it is wrong. */
static NOINLINE UNUSED void wrong(const char* what, int line) {
  fprintf(stderr, "programs: %s is wrong at line %d\n", what, line);
  abort();
}

#define SHOULD_BE(condition, what) ((condition) ? (void)0 : wrong(what, __LINE__))

static inline UNUSED int is_aligned(const void* where, size_t alignment) {
  return (opaque((u64)where) & (alignment - 1)) == 0;
}

/* Rounding, and what else the processor has. */
static NOINLINE UNUSED void set_mode(unsigned mode) {
  static const int roundings[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  fesetround(roundings[mode & 3]);
  set_further_modes(mode);
}

/* A number that depends on the mode: of computations, and of the control words. */
static NOINLINE UNUSED u64 look_at_mode(void) {
  volatile double one = 1, three = 3, tiny = 3e-308, small = 0.25, denormal = 4e-320;
  volatile double third = one / three, minus = -one / three, flushed = tiny * small,
                  zero = denormal * (one + one);
  volatile long double long_one = 1, long_seven = 7, seventh = long_one / long_seven;
  u64 bits, h = 0;
  double all[4] = {third, minus, flushed, zero};
  for (int i = 0; i < 4; ++i) {
    memcpy(&bits, &all[i], sizeof bits);
    h = mix(h, bits);
  }
  long double value = seventh;
  memcpy(&bits, &value, sizeof bits);
  return mix(mix(h, bits), control_words());
}

/* --- an operation that does not commute: x -> a x + b, one after the other --- */

struct affine {
  u64 a, b;
};

static inline UNUSED void compose(struct affine* first, struct affine then) {
  first->a *= then.a;
  first->b = first->b * then.a + then.b;
}

static UNUSED void affine_identity(void* context, void* view) {
  (void)context;
  ((struct affine*)view)->a = 1;
  ((struct affine*)view)->b = 0;
}

static UNUSED void affine_reduce(void* context, void* left, void* right) {
  (void)context;
  compose((struct affine*)left, *(const struct affine*)right);
}

static const nopal_monoid affine_monoid UNUSED = {sizeof(struct affine), 0,    affine_identity,
                                                  affine_reduce,         NULL, NULL};

static NOINLINE UNUSED void update_reducer(nopal_reducer* reducer, u64 n) {
  struct affine then;
  then.a = n | 1;
  then.b = n >> 7;
  compose((struct affine*)nopal_view(reducer), then);
}

/* --- the driver --- */

struct program {
  const char* name;
  u64 (*run)(u64 input);
  void (*endless)(u64 input); /* or null; ends the process with finish() */
};

static UNUSED const char* running_name;
static UNUSED u64 running_input;

/* The end of a program that cannot return. */
static NOINLINE UNUSED __attribute__((noreturn)) void finish(u64 h) {
  char line[128];
  const int length =
      snprintf(line, sizeof line, "%s %" PRIu64 " %016" PRIx64 "\n", running_name, running_input, h);
  if (write(1, line, (size_t)length) != length) {
    abort();
  }
  _exit(0);
}

/* In a process of its own, so that there is one after it. */
static UNUSED int run_endless(const struct program* p, u64 input, int repetitions) {
  for (int i = 0; i < repetitions; ++i) {
    int status;
    running_name = p->name;
    running_input = input;
    const pid_t child = fork();
    if (child == 0) {
      p->endless(input);
      abort();
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      fprintf(stderr, "programs: %s ended with status %x\n", p->name, status);
      return 1;
    }
  }
  return 0;
}

static UNUSED void run_one(const struct program* p, u64 input, int repetitions) {
  u64 first = 0;
  for (int i = 0; i < repetitions; ++i) {
    const u64 h = p->run(input);
    if (i == 0 || h != first) {
      printf("%s %" PRIu64 " %016" PRIx64 "\n", p->name, input, h);
      fflush(stdout);
    }
    first = h;
  }
}

/* usage: PROGRAM INPUTS REPETITIONS. A line for each program and input, and one more for each repetition that differs. */
static UNUSED int run_programs(const struct program* programs, size_t count, int argc, char** argv) {
  const int inputs = argc > 1 ? atoi(argv[1]) : 1;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 1;
  for (size_t i = 0; i < count; ++i) {
    for (int input = 0; input < inputs && programs[i].endless != NULL; ++input) {
      if (run_endless(&programs[i], (u64)input, repetitions < 3 ? repetitions : 3) != 0) {
        return 1;
      }
    }
  }
  for (int input = 0; input < inputs; ++input) {
    for (size_t i = 0; i < count; ++i) {
      if (programs[i].run != NULL) {
        run_one(&programs[i], (u64)input, repetitions);
      }
    }
  }
#ifndef NOPAL_ELIDE
  nopal_statistics counts;
  if (nopal_stats(&counts) == 0) {
    printf("# %" PRIu64 " steals\n", counts.total.steals);
  }
#endif
  return 0;
}

#endif

/* What the regressions share: the kinds of values that several have, and the driver of a file with one program. */
#ifndef NOPAL_TESTS_PROGRAMS_ONE_PROGRAM_H
#define NOPAL_TESTS_PROGRAMS_ONE_PROGRAM_H

#include "programs.h"

/* A struct of bytes, how one is made of a number, and a number of it. */
#define STRUCT_OF_BYTES(name, size, attributes)                                                              \
  typedef struct name {                                                                                      \
    byte a[size];                                                                                            \
  } attributes name;                                                                                         \
  static inline UNUSED name make_##name(u64 n) {                                                             \
    name v;                                                                                                  \
    fill_bytes(v.a, sizeof v.a, n);                                                                          \
    return v;                                                                                                \
  }                                                                                                          \
  static inline UNUSED u64 number_##name(const name* v) { return mix(1, number_of_bytes(v->a, sizeof v->a)); }

/* What an untyped fork of f(u64, int, const byte*) is given: its arguments and result, and the function that calls it. */
#define UNTYPED_CHILD(result_type, f)                                                                        \
  typedef struct args_##f {                                                                                  \
    u64 x;                                                                                                   \
    int d;                                                                                                   \
    const byte* seen;                                                                                        \
    result_type result;                                                                                      \
  } args_##f;                                                                                                \
  static void thunk_##f(void* p) {                                                                           \
    args_##f* const a = (args_##f*)p;                                                                        \
    a->result = f(a->x, a->d, a->seen);                                                                      \
  }

static const byte input_bytes[16] UNUSED = {1, 2, 3};

/* The main function of a file whose program is root(u64, int, const byte*), called with this depth. */
#define ONE_PROGRAM(root, depth)                                                                             \
  static u64 run_##root(u64 input) { return root(input, depth, input_bytes); }                               \
  int main(int argc, char** argv) {                                                                          \
    const struct program one = {#root, run_##root, NULL};                                                    \
    return run_programs(&one, 1, argc, argv);                                                                \
  }

/* The same of a root that never returns. */
#define ONE_ENDLESS_PROGRAM(root, depth)                                                                     \
  static void start_##root(u64 input) { root(input, depth, input_bytes); }                                   \
  int main(int argc, char** argv) {                                                                          \
    const struct program one = {#root, NULL, start_##root};                                                  \
    return run_programs(&one, 1, argc, argv);                                                                \
  }

#endif

// Forks in C with every kind of argument and result, for latent_in_c_test.cpp.
#ifndef NOPAL_TESTS_RUNTIME_LATENT_IN_C_H
#define NOPAL_TESTS_RUNTIME_LATENT_IN_C_H

#ifdef __cplusplus
extern "C" {
#endif

// Of the test: what each child does first, and each continuation.
void child_begins(void);
void continuation_begins(void);

// A function that forks once, and says whether the child had what it was passed, and its result arrived.
struct fork_in_c {
  const char* name;
  int (*is_right)(void);
};
extern const struct fork_in_c forks_in_c[];
extern const int forks_in_c_count;

extern const int forks_in_c_are_latent;

// `depth` forks within each other, which alternate between C and `in_cpp`. What is at the bottom is child_begins; the outermost
// continuation calls continuation_begins. Returns `depth`.
int nested_in_c(int depth, int outermost);
int nested_in_cpp(int depth, int outermost);

#ifdef __cplusplus
}
#endif

#endif

/* C_CASE makes a case of the corpus, as CASE in C++. */
/* clang-format off */
#ifndef NOPAL_TESTS_CHECK_C_CORPUS_H
#define NOPAL_TESTS_CHECK_C_CORPUS_H

void use_in_c(long value);
void register_in_c(const char* name, void (*run)(void));
#define C_CASE(name)                                                                                          \
  static void case_##name(void);                                                                              \
  __attribute__((constructor)) static void register_##name(void) { register_in_c(#name, case_##name); }       \
  static void case_##name(void)

#endif

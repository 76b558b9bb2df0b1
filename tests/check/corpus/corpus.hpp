// Small programs, each with the races that it has. A comment `race: A` marks one line of the pair A, and
// `with: A` the other; a case without such comments has none.
#ifndef NOPAL_TESTS_CHECK_CORPUS_HPP
#define NOPAL_TESTS_CHECK_CORPUS_HPP

#include <cstdint>

struct known_case {
  const char* name;
  void (*run)();
  known_case* next;
  known_case(const char* with_name, void (*function)());
};

/// Uses a value, so that reading it is no dead code.
void use(std::int64_t value);
inline void use_address(const volatile void* p) { asm volatile("" : : "r"(p) : "memory"); }

// NOLINTBEGIN
#define CASE(name)                                                                                           \
  static void case_##name();                                                                                 \
  static known_case registered_##name(#name, case_##name);                                                   \
  static void case_##name()

#endif

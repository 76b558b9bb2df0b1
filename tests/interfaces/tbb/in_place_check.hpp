// How the programs that run in place say what went wrong.
#ifndef NOPAL_TESTS_INTERFACES_TBB_IN_PLACE_CHECK_HPP
#define NOPAL_TESTS_INTERFACES_TBB_IN_PLACE_CHECK_HPP

#include <cstdio>
#include <cstdlib>

#define CHECK(what)                                                                                          \
  do {                                                                                                       \
    if (!(what)) {                                                                                           \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #what);                                                \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (false)

#endif

// Fibril's interface in C++.
// clang-format off
#include <nopal/compat/fibril.h>

#include "corpus.hpp"

namespace fibril_data { int x, y; }
using namespace fibril_data;
static void set_x(int value) { x = value; }
static void set_y() { y = 1; }
static int throws(int value) { x = value; throw value; }

static void set_x_unjoined(int value) {
  x = value;  // race: A
}
CASE(fibril_both_write) {
  fibril_t f;
  fibril_init(&f);
  fibril_fork(&f, set_x_unjoined, (1));
  x = 2;  // with: A
  fibril_join(&f);
}
CASE(fibril_both_write_joined) {
  fibril_t f;
  fibril_init(&f);
  fibril_fork(&f, set_x, (1));
  fibril_join(&f);
  set_x(2);
}
CASE(fibril_exception_caught_before_the_join) {
  int result = 0;
  fibril_t f;
  fibril_init(&f);
  fibril_fork(&f, set_y, ());
  try {
    fibril_fork(&f, &result, throws, (3));
  } catch (int caught) {
    x = caught + y;
  }
  fibril_join(&f);
}

// <nopal/compat/fibril.h> in C++: both forms of a fork, conversions of arguments, callables that C has not.
#include <nopal/compat/fibril.h>

#include <stdexcept>
#include <string>

#include "check.h"

static int workers;

fibril static int parfib(int n) {
  if (n < 2) return n;
  int x, y;
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, x, parfib, (n - 1));
  y = parfib(n - 2);
  fibril_join(&fr);
  return x + y;
}

fibril static int fib(int n) {
  if (n < 2) return n;
  int x, y;
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, &x, fib, (n - 1));
  y = fib(n - 2);
  fibril_join(&fr);
  return x + y;
}

struct large {
  int values[100];
};

static double many(gate* g, const int* none, double b, long c, large l, float d, int e, std::string text) {
  CHECK(gate_wait(g, workers));
  return none == nullptr ? b + static_cast<double>(c) + l.values[99] + static_cast<double>(d) + e +
                               static_cast<double>(text.size())
                         : 0;
}

static int* same(gate* g, int* p) {
  CHECK(gate_wait(g, workers));
  return p;
}

static int seven() noexcept { return 7; }

static void test_forks() {
  gate gates[3] = {{0}, {0}, {0}};
  large l = {};
  l.values[99] = 1000;
  double d = 0;
  int number = 0, plain = 0, counted = 0;
  int* first = nullptr;
  int* second = nullptr;
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, d, many, (&gates[0], 0, 1, 2, l, 3, 4, "12345"));
  l.values[99] = 0;
  gate_open(&gates[0]);
  fibril_fork(&fr, first, same, (&gates[1], &number));
  gate_open(&gates[1]);
  fibril_fork(&fr, &second, same, (&gates[2], &number));
  gate_open(&gates[2]);
  fibril_fork(&fr, plain, seven, ());
  fibril_fork(&fr, seven, ());
  const auto count = [&counted](int by) { counted += by; };
  fibril_fork(&fr, count, (5));
  fibril_join(&fr);
  CHECK(d == 1 + 2 + 1000 + 3 + 4 + 5);
  CHECK(first == &number && second == &number && plain == 7 && counted == 5);
}

static void fails(gate* g) {
  CHECK(gate_wait(g, workers));
  throw std::runtime_error("child");
}

static bool test_exception() {
  gate g = {0};
  bool caught = false;
  fibril_t fr;
  fibril_init(&fr);
  try {
    fibril_fork(&fr, fails, (&g));
    gate_open(&g);
    fibril_join(&fr);
  } catch (const std::runtime_error&) {
    caught = true;
  }
  return caught;
}

int main() {
#ifdef NOPAL_ELIDE
  workers = 1;
#else
  workers = fibril_rt_nprocs();
#endif
  CHECK(parfib(22) == 17711 && fib(22) == 17711);
  for (int i = 0; i < 20; ++i) {
    test_forks();
    CHECK(test_exception());
  }
  CHECK(fibril_rt_exit() == FIBRIL_SUCCESS);
  return failures != 0;
}

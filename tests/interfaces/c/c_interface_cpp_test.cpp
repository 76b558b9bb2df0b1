// <nopal/nopal.h> in C++: arguments with constructors, exceptions of children, misuse as an exception.
#include <nopal/nopal.h>
#include <nopal/runtime.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "check.h"

static int workers;

NOPAL_FORKABLE(long, fib, (int, n))

long fib(int n) {
  if (n < 2) return n;
  long x, y;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_fib(&s, &x, n - 1);
  y = fib(n - 2);
  nopal_join(&s);
  return x + y;
}

static std::string described(gate* g, std::string text, std::unique_ptr<int> number, const double* d);
NOPAL_FORKABLE(std::string, described, (gate*, g), (std::string, text), (std::unique_ptr<int>, number),
               (const double*, d))
static std::string described(gate* g, std::string text, std::unique_ptr<int> number, const double* d) {
  CHECK(gate_wait(g, workers));
  return text + std::to_string(*number + static_cast<int>(*d));
}

static void thrower(gate* g, int value);
NOPAL_FORKABLE_VOID(thrower, (gate*, g), (int, value))
static void thrower(gate* g, int value) {
  CHECK(gate_wait(g, workers));
  if (value >= 0) throw std::runtime_error("child " + std::to_string(value));
}

static void nothing(void);
NOPAL_FORKABLE_VOID(nothing)
static void nothing(void) {}

// A noexcept function that was declared before stays noexcept; another overload, and one that is declared here first, are not.
static int quiet(int value) noexcept;
NOPAL_FORKABLE(int, quiet, (int, value))
static int quiet(int value) noexcept { return value + 1; }
static_assert(noexcept(quiet(1)));

void loud(int value) noexcept;
NOPAL_FORKABLE_VOID(loud, (long*, value))
void loud(long* value) { *value = 5; }
static_assert(!noexcept(loud(static_cast<long*>(nullptr))));
static_assert(!noexcept(fib(1)));

extern "C" {
void quiet_in_c(int* value) noexcept;
NOPAL_FORKABLE_VOID(quiet_in_c, (int*, value))
void quiet_in_c(int* value) noexcept { *value = 4; }
}

namespace {
namespace of_the_same_name {
std::string quiet(std::string text, std::unique_ptr<int> number) noexcept;
NOPAL_FORKABLE(std::string, quiet, (std::string, text), (std::unique_ptr<int>, number))
std::string quiet(std::string text, std::unique_ptr<int> number) noexcept {
  return text + std::to_string(*number);
}
static_assert(noexcept(quiet(std::declval<std::string>(), nullptr)));
}  // namespace of_the_same_name
}  // namespace

static void test_noexcept_functions() {
  int result = 0, in_c = 0;
  long value = 0;
  std::string text;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_quiet(&s, &result, 2);
  nopal_fork_loud(&s, &value);
  nopal_fork_quiet_in_c(&s, &in_c);
  of_the_same_name::nopal_fork_quiet(&s, &text, "x", std::make_unique<int>(7));
  nopal_join(&s);
  CHECK(result == 3 && value == 5 && in_c == 4 && text == "x7");
}

static void test_objects() {
  std::string text(100, 'x'), result;
  const double d = 3;
  gate g = {0};
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_described(&s, &result, &g, text, std::make_unique<int>(4), &d);
  text = "overwritten";
  gate_open(&g);
  nopal_fork_nothing(&s);
  nopal_join(&s);
  CHECK(result == std::string(100, 'x') + "7");
}

// Without a steal the exception leaves the fork, with one the join: in both cases within this function's frame.
static std::string met() {
  gate gates[2] = {{0}, {0}};
  std::string what;
  nopal_scope s;
  nopal_scope_init(&s);
  try {
    nopal_fork_thrower(&s, &gates[0], 1);
    gate_open(&gates[0]);
    nopal_fork_thrower(&s, &gates[1], 2);
    gate_open(&gates[1]);
    nopal_join(&s);
  } catch (const std::runtime_error& thrown) {
    what = thrown.what();
    nopal_join(&s);
  }
  return what;
}

static void fork_on(nopal_scope* s) __attribute__((noinline));
static void fork_on(nopal_scope* s) { nopal_fork_nothing(s); }

static void test_foreign_scope() {
  nopal_scope s;
  nopal_scope_init(&s);
  bool refused = false;
  try {
    fork_on(&s);
  } catch (const nopal::error&) {
    refused = true;
  }
  nopal_join(&s);
  CHECK(refused);
}

int main() {
  workers = nopal_workers();
  CHECK(fib(22) == 17711);
  for (int i = 0; i < 20; ++i) {
    test_noexcept_functions();
    test_objects();
    CHECK(met() == "child 1");
    test_foreign_scope();
  }
  CHECK(nopal_shutdown() == 0);
  return failures != 0;
}

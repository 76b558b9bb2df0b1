// What latent forks call: every kind of callable, where nobody steals and where the continuation runs elsewhere before the
// child ends.
#include <gtest/gtest.h>

#include <array>
#include <cstdarg>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "latent_calls.hpp"

namespace {

using forked::called;
using forked::check;
using forked::check_callable;
using forked::direct;
using forked::each_way;
using forked::indirect;
using forked::without_result;

struct counter {
  virtual ~counter() = default;
  int plain(int by) { return called(), value += by; }
  [[nodiscard]] int constant() const { return called(), value; }
  int unthrowing(short by) noexcept { return called(), value += by; }
  virtual int overridden(int by) { return called(), by; }
  static int fixed(int by) { return called(), by * 2; }
  int value = 0;
};
struct twice final : counter {
  int overridden(int by) override { return called(), 2 * by; }
};

NOPAL_PROGRAM(members) {
  each_way([] {
    counter c;
    int out = 0;
    direct<&counter::plain>(out, &c, 4);
    NOPAL_CHECK(out == 4 && c.value == 4);
  });
  each_way([] {
    counter c;
    int out = 0;
    direct<&counter::unthrowing>(out, std::ref(c), static_cast<short>(5));
    NOPAL_CHECK(out == 5 && c.value == 5);
  });
  const counter c;
  check<&counter::constant>(0, c);
  check<&counter::constant>(0, &c);
  twice t;
  check<&counter::overridden>(12, &t, 6);
  check<&counter::fixed>(12, 6);
  const auto data = [&t] {
    called();
    return t.value;
  };
  check_callable(0, data);
  return 0;
}

int never_throws(int a) noexcept { return called(), a + 1; }
extern "C" int of_c(int a) { return called(), a + 2; }
int sum_of_variable(int count, ...) {
  called();
  va_list rest;
  va_start(rest, count);
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += va_arg(rest, int);
  va_end(rest);
  return sum;
}

template <int words>
struct lambda_of {
  std::array<long, words> kept{};
  long operator()(int a) const {
    called();
    long sum = a;
    for (const long each : kept) sum += each;
    return sum;
  }
};
template <int... words>
void check_captures(std::integer_sequence<int, words...>) {
  const auto check_one = [](auto f) {
    long sum = 3;
    for (long& each : f.kept) sum += each = sum * 7;
    check_callable(sum, f, 3);
  };
  (check_one(lambda_of<words>()), ...);
}

long of_two(int a, char b) { return called(), a * 10L + b; }

NOPAL_PROGRAM(callables) {
  check<never_throws>(4, 3);
  check<of_c>(5, 3);
  check_callable(6, sum_of_variable, 3, 1, 2, 3);
  check_captures(std::make_integer_sequence<int, 10>());

  check_callable(9, [](int a) { return called(), a * 3; }, 3);
  check_callable(9, +[](int a) { return called(), a * 3; }, 3);
  check_callable(9, [](auto a) { return called(), a * 3; }, 3);
  int seen = 0;
  each_way([&seen] {
    seen = 0;
    without_result([&seen](int a) { called(), seen = a; }, 11);
    NOPAL_CHECK(seen == 11);
  });
  const std::string text = "a text that is longer than what a string keeps in itself";
  check_callable(text.size(), [text] { return called(), text.size(); });
  check_callable(3.5, [a = 1.5F, b = 2.0] { return called(), static_cast<double>(a) + b; });
  check_callable(2, [n = 1]() mutable { return called(), ++n; });
  check_callable(8, [](int&& a) { return called(), a; }, 8);
  const std::function<int(int)> held = [](int a) { return called(), a - 1; };
  check_callable(7, held, 8);
  check_callable(7, std::ref(held), 8);
  check_callable(10L, std::bind(of_two, 1, '\0'));
  each_way([] {
    auto owned = std::make_unique<int>(12);
    int out = 0;
    indirect(out, [mine = std::move(owned)] { return called(), *mine; });
    NOPAL_CHECK(out == 12);
  });
  return 0;
}

/// Others may change them, and the fork reads each once.
NOPAL_PROGRAM(volatile_ones) {
  int (*volatile function)(int) = never_throws;
  volatile int number = 5;
  volatile bool truth = true;
  volatile long double wide_number = 7;
  each_way([&] {
    int out = 0;
    indirect(out, function, number);
    NOPAL_CHECK(out == 6);
  });
  each_way([&] {
    long out = 0;
    indirect(
        out, [](auto a, auto b, auto c) { return called(), static_cast<long>(a + b + c); }, number, truth,
        wide_number);
    NOPAL_CHECK(out == 13);
  });
  each_way([&] {
    volatile int out = 0;
    indirect(out, function, 8);
    NOPAL_CHECK(out == 9);
  });
  return 0;
}

class latent_callers : public support::program_at_workers {};

TEST_P(latent_callers, call_members) { EXPECT_TRUE(run("members")); }
TEST_P(latent_callers, call_every_kind_of_callable) { EXPECT_TRUE(run("callables")); }
TEST_P(latent_callers, read_what_is_volatile) { EXPECT_TRUE(run("volatile_ones")); }

INSTANTIATE_TEST_SUITE_P(at_workers, latent_callers, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace

// Everything that can be called.

#include <functional>
#include <memory>
#include <string>

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::linger;
using corpus::opaque;

struct account {
  int balance = 0;
  long history[6] = {};

  int deposit(int amount) {
    linger();
    return balance += amount;
  }
  [[nodiscard]] int peek(int offset) const noexcept {
    linger();
    return balance + offset;
  }
  virtual int rate() { return leaf(1); }
  static int fixed(int value) { return leaf(value * 5); }
  account() = default;
  account(const account&) = default;
  account& operator=(const account&) = default;
  virtual ~account() = default;
};

struct savings : account {
  int rate() override { return leaf(2); }
};

CORPUS_CASE(callables_member_functions) {
  int on_pointer = 0;
  int on_copy = 0;
  int on_reference = 0;
  int on_const = 0;
  int overridden = 0;
  account mine;
  account other;
  savings saved;
  nopal::scope s;
  s.fork_into(on_pointer, &account::deposit, &mine, 5);
  s.fork_into(on_copy, &account::deposit, account(), 7);
  s.fork_into(on_reference, &account::deposit, std::ref(other), 9);
  s.fork_into(overridden, &account::rate, static_cast<account*>(&saved));
  corpus::scribble();
  s.join();
  s.fork_into(on_const, &account::peek, std::as_const(mine), 100);
  mine.balance = 1;
  s.join();
  return on_pointer == 5 && on_copy == 7 && on_reference == 9 && other.balance == 9 && on_const == 105 &&
         overridden == 2;
}

CORPUS_CASE(callables_member_of_smart_pointer) {
  int result = 0;
  int of_derived = 0;
  nopal::scope s;
  s.fork_into(result, &account::deposit, std::make_unique<account>(), 3);
  s.fork_into(of_derived, &account::deposit, savings(), 4);
  corpus::scribble();
  s.join();
  return result == 3 && of_derived == 4;
}

CORPUS_CASE(callables_data_member) {
  account mine;
  mine.balance = opaque(12);
  int result = 0;
  int other = 0;
  nopal::scope s;
  s.fork_into(result, &account::balance, mine);
  mine.balance = 0;
  s.fork_into(other, leaf<int>, 12);
  mine.balance = 1;
  s.join();
  return mine.balance == 1 && other == 12 && result == 12;
}

struct adder {
  int base;
  int operator()(int value) const { return leaf(base + value); }
};

struct large_functor {
  long table[20];
  long operator()(int index) && { return leaf(table[index]); }
};

struct generic {
  template <class T>
  T operator()(T value) {
    return leaf(value + value);
  }
};

CORPUS_CASE(callables_functors) {
  int sum = 0;
  long entry = 0;
  double doubled = 0;
  large_functor large{};
  large.table[19] = opaque(77L);
  nopal::scope s;
  s.fork_into(sum, adder{10}, 5);
  s.fork_into(entry, large, 19);
  large.table[19] = 0;
  s.fork_into(doubled, generic(), 1.25);
  corpus::scribble();
  s.join();
  return sum == 15 && entry == 77 && doubled == 2.5;
}

CORPUS_CASE(callables_lambdas) {
  int by_reference = opaque(1);
  const int by_value = opaque(2);
  const std::string text(80, 'z');
  long results[5] = {};
  int calls = 0;
  nopal::scope s;
  s.fork_into(results[0], [] { return leaf(1); });
  s.fork_into(results[1], [by_value] { return leaf(by_value); });
  s.fork([&by_reference] { by_reference = leaf(30); });
  s.fork_into(results[2], [text, by_value] { return leaf(static_cast<long>(text.size()) + by_value); });
  s.fork_into(results[3], [count = 0]() mutable { return leaf(++count); });
  s.fork_into(results[4], [owned = std::make_unique<int>(6)] { return leaf(*owned); });
  s.fork(
      [&results, &calls, by_value, &text](auto factor) {
        linger();
        calls = by_value * factor + static_cast<int>(text.size());
        static_cast<void>(results);
      },
      3);
  corpus::scribble();
  s.join();
  return results[0] == 1 && results[1] == 2 && by_reference == 30 && results[2] == 82 && results[3] == 1 &&
         results[4] == 6 && calls == 86;
}

[[gnu::noinline]] int quiet(int value) noexcept { return leaf(value + 1); }
[[gnu::noinline]] int overloaded(int value) { return leaf(value); }
[[gnu::noinline]] double overloaded(double value) { return leaf(value * 2); }
template <class T, int Factor>
[[gnu::noinline]] T scaled(T value) {
  return leaf(value * Factor);
}
[[gnu::noinline]] int with_default(int value, int factor = 10) { return leaf(value * factor); }

CORPUS_CASE(callables_functions) {
  int without_exceptions = 0;
  int for_int = 0;
  double for_double = 0;
  int from_template = 0;
  int through_pointer = 0;
  int from_class = 0;
  int defaulted = 0;
  int (*const pointer)(int) = opaque(&quiet);
  nopal::scope s;
  s.fork_into(without_exceptions, quiet, 1);
  s.fork_into(for_int, static_cast<int (*)(int)>(overloaded), 2);
  s.fork_into(for_double, static_cast<double (*)(double)>(overloaded), 2.25);
  s.fork_into(from_template, scaled<int, 3>, 4);
  s.fork_into(through_pointer, pointer, 5);
  s.fork_into(from_class, account::fixed, 6);
  s.fork_into(defaulted, [](int value) { return with_default(value); }, 7);
  corpus::scribble();
  s.join();
  return without_exceptions == 2 && for_int == 2 && for_double == 4.5 && from_template == 12 &&
         through_pointer == 6 && from_class == 30 && defaulted == 70;
}

CORPUS_CASE(callables_erased) {
  std::function<int(int)> erased = [base = opaque(100)](int value) { return leaf(base + value); };
  int first = 0;
  int second = 0;
  int bound = 0;
  nopal::scope s;
  s.fork_into(first, erased, 1);
  s.fork_into(second, std::ref(erased), 2);
  s.fork_into(bound, std::bind_front(with_default, 4), 5);
  const int meanwhile = erased(3);
  s.join();
  return first == 101 && second == 102 && bound == 20 && meanwhile == 103;
}

}  // namespace

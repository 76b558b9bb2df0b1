// Scopes in every kind of function there is.

#include <algorithm>
#include <coroutine>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::linger;
using corpus::opaque;

template <class T, int Depth>
T recursive_template(T value) {
  if constexpr (Depth == 0) {
    return leaf(value);
  } else {
    T left{};
    nopal::scope s;
    s.fork_into(left, recursive_template<T, Depth - 1>, value);
    T right = recursive_template<T, Depth - 1>(value + 1);
    s.join();
    return left + right;
  }
}

CORPUS_CASE(places_template) {
  return recursive_template<int, 4>(1) == 16 + 32 && recursive_template<double, 3>(0.5) == 4 + 12;
}

[[gnu::always_inline]] inline int inlined(int value) {
  int result = 0;
  nopal::scope s;
  s.fork_into(result, leaf<int>, value);
  const int meanwhile = leaf(value + 1);
  s.join();
  return result + meanwhile;
}

CORPUS_CASE(places_inlined) {
  int outer = 0;
  nopal::scope s;
  int sum = inlined(opaque(1));
  s.fork_into(outer, leaf<int>, 100);
  sum += inlined(opaque(2));
  sum += inlined(opaque(3));
  s.join();
  return sum + inlined(4) == 3 + 5 + 7 + 9 && outer == 100;
}

struct worker_object {
  int made = 0;
  int* ended;
  explicit worker_object(int value, int* result) : ended(result) {
    int part = 0;
    nopal::scope s;
    s.fork_into(part, leaf<int>, value);
    made = leaf(value * 2);
    s.join();
    made += part;
  }
  worker_object(const worker_object&) = delete;
  worker_object& operator=(const worker_object&) = delete;
  virtual ~worker_object() {
    int part = 0;
    nopal::scope s;
    s.fork_into(part, leaf<int>, made);
    corpus::scribble();
    s.join();
    *ended = part;
  }
  [[nodiscard]] virtual int work(int value) const = 0;
};

struct base_of_two {
  virtual ~base_of_two() = default;
  virtual int other(int value) = 0;
};

struct concrete final : worker_object, base_of_two {
  using worker_object::worker_object;
  [[nodiscard]] int work(int value) const override {
    int part = 0;
    nopal::scope s;
    s.fork_into(part, leaf<int>, value + made);
    const int mine = leaf(made);
    s.join();
    return part + mine;
  }
  /// Entered through a thunk when called on the second base.
  int other(int value) override {
    int part = 0;
    nopal::scope s;
    s.fork_into(part, &concrete::work, this, value);
    const int mine = leaf(value);
    s.join();
    return part + mine;
  }
};

CORPUS_CASE(places_methods) {
  int ended = 0;
  int worked = 0;
  int other = 0;
  {
    concrete object(opaque(3), &ended);
    const worker_object& base = object;
    base_of_two& second = object;
    worked = base.work(1);
    other = second.other(2);
  }
  return ended == 9 && worked == 10 + 9 && other == 11 + 9 + 2;
}

CORPUS_CASE(places_recursive_lambda) {
  auto fib = [](auto&& self, int n) -> int {
    if (n < 2) {
      return leaf(n);
    }
    int x = 0;
    nopal::scope s;
    s.fork_into(x, [&self](int m) { return self(self, m); }, n - 1);
    const int y = self(self, n - 2);
    s.join();
    return x + y;
  };
  return fib(fib, opaque(7)) == 13;
}

CORPUS_CASE(places_nested_lambdas) {
  int sums[4] = {};
  const auto work = [&sums](int base) {
    nopal::scope outer;
    outer.fork([&sums, base] {
      nopal::scope inner;
      inner.fork([&sums, base] { sums[0] = leaf(base + 1); });
      inner.fork([&sums, base] {
        nopal::scope innermost;
        innermost.fork_into(sums[1], [base] { return leaf(base + 2); });
        sums[2] = leaf(base + 3);
      });
      corpus::scribble();
    });
    sums[3] = leaf(base + 4);
  };
  work(opaque(10));
  return sums[0] == 11 && sums[1] == 12 && sums[2] == 13 && sums[3] == 14;
}

/// A coroutine cannot hold a scope across a suspension, but what it calls forks like anything else.
struct generator {
  struct promise_type {
    int current = 0;
    generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int value) noexcept {
      current = value;
      return {};
    }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};

[[gnu::noinline]] int forking_callee(int value) { return inlined(value); }

generator produce(int count) {
  for (int i = 0; i < count; ++i) {
    co_yield forking_callee(i);
  }
}

CORPUS_CASE(places_coroutine_callee) {
  const generator made = produce(4);
  int sum = 0;
  for (made.handle.resume(); !made.handle.done(); made.handle.resume()) {
    sum += made.handle.promise().current;
  }
  made.handle.destroy();
  return sum == 1 + 3 + 5 + 7;
}

/// A comparator in the C library's code, which knows nothing of stolen continuations.
extern "C" int corpus_compare(const void* left, const void* right) {
  int a = 0;
  nopal::scope s;
  s.fork_into(a, leaf<int>, *static_cast<const int*>(left));
  const int b = leaf(*static_cast<const int*>(right));
  s.join();
  return (a > b) - (a < b);
}

CORPUS_CASE(places_qsort_comparator) {
  int values[20];
  for (int i = 0; i < 20; ++i) {
    values[i] = (i * 7) % 20;
  }
  std::qsort(values, 20, sizeof(int), corpus_compare);
  return std::is_sorted(values, values + 20);
}

CORPUS_CASE(places_std_sort_comparator) {
  std::vector<int> values{5, 3, 8, 1, 9, 2};
  std::sort(values.begin(), values.end(), [](int left, int right) { return inlined(left) < inlined(right); });
  return std::is_sorted(values.begin(), values.end());
}

CORPUS_CASE(places_forked_comparator) {
  int first[12];
  int second[12];
  for (int i = 0; i < 12; ++i) {
    first[i] = second[i] = (i * 5) % 12;
  }
  nopal::scope s;
  s.fork([&first] { std::qsort(first, 12, sizeof(int), corpus_compare); });
  std::qsort(second, 12, sizeof(int), corpus_compare);
  s.join();
  return std::is_sorted(first, first + 12) && std::is_sorted(second, second + 12);
}

CORPUS_CASE(places_other_threads) {
  int results[2] = {};
  std::thread first([&results] { results[0] = recursive_template<int, 3>(opaque(1)); });
  std::thread second([&results] { results[1] = recursive_template<int, 3>(opaque(2)); });
  first.join();
  second.join();
  return results[0] == 8 + 12 && results[1] == 16 + 12 && inlined(1) == 3;
}

int at_start = inlined(20);

CORPUS_CASE(places_static_initializer) { return at_start == 41 && inlined(opaque(1)) == 3; }

struct operators {
  int value;
  operators operator+(const operators& other) const {
    int mine = 0;
    nopal::scope s;
    s.fork_into(mine, leaf<int>, value);
    const int theirs = leaf(other.value);
    s.join();
    return {mine + theirs};
  }
  explicit operator bool() const { return inlined(value) != 0; }
};

CORPUS_CASE(places_operators) {
  const operators sum = operators{1} + operators{2} + operators{3};
  return sum.value == 6 && static_cast<bool>(sum);
}

[[gnu::cold, gnu::noinline]] int in_cold_code(int value) { return inlined(value) * 2; }
[[gnu::hot, gnu::noinline]] int in_hot_code(int value) { return inlined(value) * 3; }
[[gnu::noinline]] int without_exceptions(int value) noexcept { return inlined(value) * 4; }
[[gnu::noinline]] static int default_argument(int value = inlined(2)) { return value; }

CORPUS_CASE(places_attributes) {
  return in_cold_code(1) == 6 && in_hot_code(1) == 9 && without_exceptions(1) == 12 &&
         default_argument() == 5;
}

}  // namespace

// Spawned calls of every kind, in each place where they may stand.
#include <cilk/cilk.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

static long fib(int n) {
  if (n < 2) return n;
  long x = cilk_spawn fib(n - 1);
  long y = fib(n - 2);
  cilk_sync;
  return x + y;
}

// Returns once its children have ended, though an object of its own ends, too.
static long sum_of(const std::vector<long>& values) {
  std::vector<long> parts(4);
  const std::size_t quarter = values.size() / 4;
  auto add = [&](std::size_t part) {
    for (std::size_t i = part * quarter; i < (part + 1) * quarter; ++i) parts[part] += values[i];
  };
  for (std::size_t part = 0; part < 4; ++part) cilk_spawn add(part);
  cilk_sync;
  return parts[0] + parts[1] + parts[2] + parts[3];
}

struct counter {
  long count = 0;
  void add(long n) { count += fib(static_cast<int>(n)); }
  void twice(long n) {
    counter other;
    cilk_spawn other.add(n);
    cilk_spawn this->add(n);
    cilk_sync;
    count += other.count;
  }
};

// References stay references, and values are those at the spawn.
static void store(long& to, int n) { to = fib(n); }
static void append(std::string& to, const std::string& text, std::unique_ptr<int> number) {
  to += text + std::to_string(*number);
}

template <class Iterator>
void quick_sort(Iterator first, Iterator last) {
  if (last - first < 2) return;
  auto middle = first;
  for (auto at = first + 1; at != last; ++at) {
    if (*at < *first) std::swap(*++middle, *at);
  }
  std::swap(*first, *middle);
  cilk_spawn quick_sort(first, middle);
  quick_sort(middle + 1, last);
}

static long scopes(int n) {
  long x = 0;
  long y = 0;
  cilk_scope {
    x = cilk_spawn fib(n);
    cilk_scope { y = cilk_spawn fib(n - 1); }
    y += fib(n - 2);
  }
  return x + y;
}

static long caught(int n) {
  long result = 0;
  try {
    cilk_spawn[](int number) {
      if (fib(number) > 0) throw number;
    }
    (n);
    result = fib(n);
  } catch (int number) {
    result = -number;
  }
  return result;
}

// Children end before the objects that they use, by whichever jump these end.
static void lengthen(std::string* text) {
  if (fib(12) > 0) text[0] += text[0];
}
struct two {
  long a, b;
};
#define LEAVE_WITH(value) return fib(value)
static two in_braces(int n) {
  std::string texts[2] = {std::string(100, 'a'), "b"};
  cilk_spawn lengthen(texts);
  return {fib(n), 2};
}
static long by_macro(int n) {
  const std::vector<std::string>& texts = std::vector<std::string>(2, std::string(100, 'a'));
  cilk_spawn lengthen(const_cast<std::string*>(texts.data()));
  LEAVE_WITH(n);
}
static long by_jumps(int n) {
  long left = 0;
  for (int i = 0; i < 9; ++i) cilk_scope {
      std::vector<std::string> texts(2, std::string(100, 'a'));
      cilk_spawn lengthen(texts.data());
      left += i;
      if (i < 3) continue;
      if (i == n) break;
      if (i == n + 1) return left;
    }
  cilk_for(int i = 0; i < 9; ++i) {
    std::vector<std::string> texts(2, std::string(100, 'a'));
    cilk_spawn lengthen(texts.data());
    if (i % 2 == 0) continue;
    if (fib(5) != 5) lengthen(nullptr);
  }
  return -left;
}
static long joined_in_try(int n) {
  long result = cilk_spawn fib(n);
  try {
    cilk_sync;
    return result;
  } catch (...) {
    return 0;
  }
}

// No end without a value: each way returns.
static long by_switch(int n) {
  long x = cilk_spawn fib(n);
  switch (n % 2) {
  case 0: cilk_sync; return x;
  default: cilk_sync; return -x;
  }
}

// Nor has a lambda one, with its type written down or not.
static long by_switches_in_lambdas(int n) {
  const auto typed = [n]() -> long {
    long x = cilk_spawn fib(n);
    cilk_sync;
    switch (x % 2) {
    case 0: return x;
    default: return -x;
    }
  };
  const auto deduced = [n] {
    long x = cilk_spawn fib(n);
    cilk_sync;
    switch (x % 2) {
    case 0: return x;
    default: return -x;
    }
  };
  // This one does come to its end, before what it waits for is read.
  long result = 0;
  const auto nothing = [&result](int of) -> void {
    if (of == 0) return;
    result = cilk_spawn fib(of);
  };
  nothing(n);
  return typed() * 10000 + deduced() * 100 + result;
}

template <class T>
static T* by_endless_loop(T* at) {
  for (;;) {
    *at = cilk_spawn fib(5);
    cilk_sync;
    if (*at == 5) return at;
  }
}

// Nor may the join be left away where a template turns out to return nothing.
template <class T>
static T by_no_return(long& to) {
  to = cilk_spawn fib(9);
}

int main() {
  std::printf("%ld\n", fib(18));
  std::vector<long> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<long>(i * 7919 % 1000);
  std::printf("%ld\n", sum_of(values));
  counter one;
  one.twice(10);
  std::printf("%ld\n", one.count);
  long results[20];
  for (int i = 0; i < 20; ++i) cilk_spawn store(results[i], i);
  cilk_sync;
  for (const long each : results) std::printf("%ld ", each);
  std::string text;
  cilk_spawn append(text, "text ", std::make_unique<int>(7));
  cilk_sync;
  std::printf("%s\n", text.c_str());
  quick_sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); i += 100) std::printf("%ld ", values[i]);
  std::printf("\n%ld %ld %d\n", scopes(12), caught(10), __LINE__);
  std::printf("%ld %ld %ld %ld %ld\n", in_braces(9).a, by_macro(9), by_jumps(4), by_jumps(1),
              joined_in_try(15));
  long assigned = cilk_spawn fib(7  // comments
  );
  cilk_sync;
  std::printf("%ld\n", assigned);
  long to = 0;
  by_no_return<void>(to);
  std::printf("%ld %ld %ld", by_switch(8), by_switch(9), to);
  std::printf(" %ld %ld", by_switches_in_lambdas(8), by_switches_in_lambdas(9));
  std::printf(" %ld\n", *by_endless_loop(&to));
}

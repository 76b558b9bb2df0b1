// Calls with many arguments on the stack, where the outgoing area is largest, before, between and after forks.

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::opaque;

/// As a C function: the sum of `count` ints, each with the weight of its place.
extern "C" [[gnu::noinline]] long corpus_sum(int count, ...) {
  va_list rest;
  va_start(rest, count);
  long sum = 0;
  for (int i = 1; i <= count; ++i) {
    sum += static_cast<long>(va_arg(rest, int)) * i;
  }
  va_end(rest);
  return sum;
}

/// The same for pairs of an int and a double.
extern "C" [[gnu::noinline]] double corpus_pairs(int count, ...) {
  va_list rest;
  va_start(rest, count);
  double sum = 0;
  for (int i = 1; i <= count; ++i) {
    sum += va_arg(rest, int) * i;
    sum += va_arg(rest, double) * i;
  }
  va_end(rest);
  return sum;
}

template <class... Ts>
[[gnu::noinline]] long many(long a, long b, long c, long d, long e, long f, Ts... rest) {
  long sum = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
  long weight = 7;
  ((sum += static_cast<long>(rest) * weight++), ...);
  corpus::scribble();
  return sum;
}

CORPUS_CASE(variadic_around_fork) {
  const int n = opaque(1);
  int result = 0;
  const long before = corpus_sum(10, n, n, n, n, n, n, n, n, n, n);
  nopal::scope s;
  const long inside = corpus_sum(8, n, n, n, n, n, n, n, n);
  s.fork_into(result, leaf<int>, 5);
  const long between = corpus_sum(12, n, n, n, n, n, n, n, n, n, n, n, n);
  int other = 0;
  s.fork_into(other, leaf<int>, 6);
  const double pairs = corpus_pairs(7, n, 0.5, n, 0.5, n, 0.5, n, 0.5, n, 0.5, n, 0.5, n, 0.5);
  s.join();
  const long after = corpus_sum(9, n, n, n, n, n, n, n, n, n);
  return before == 55 && inside == 36 && between == 78 && pairs == 42 && after == 45 && result == 5 &&
         other == 6;
}

CORPUS_CASE(variadic_prints) {
  char before[200];
  char between[200];
  char after[200];
  const int n = opaque(7);
  int result = 0;
  std::snprintf(before, sizeof before, "%d %d %d %d %d %d %d %d %d", n, 1, 2, 3, 4, 5, 6, 7, 8);
  nopal::scope s;
  s.fork_into(result, leaf<int>, n);
  std::snprintf(between, sizeof between, "%d %s %g %d %g %d %s %d %d %g %d", n, "a", 1.5, 2, 2.5, 3, "b", 4,
                5, 3.5, 6);
  s.join();
  std::snprintf(after, sizeof after, "%d %d %d %d %d %d %d %Lg", n, result, 1, 2, 3, 4, 5, 6.5L);
  return std::strcmp(before, "7 1 2 3 4 5 6 7 8") == 0 &&
         std::strcmp(between, "7 a 1.5 2 2.5 3 b 4 5 3.5 6") == 0 &&
         std::strcmp(after, "7 7 1 2 3 4 5 6.5") == 0;
}

/// GCC leaves arguments of earlier calls on the stack and pops them together: some are pending at each fork.
CORPUS_CASE(variadic_pending_pops) {
  const int n = opaque(2);
  int results[3] = {};
  long sum = 0;
  nopal::scope s;
  sum += many(n, n, n, n, n, n, n, n, n);
  s.fork_into(results[0], leaf<int>, 1);
  sum += many(n, n, n, n, n, n, n);
  sum += many(n, n, n, n, n, n, n, n, n, n, n);
  s.fork_into(results[1], leaf<int>, 2);
  sum += many(n, n, n, n, n, n, n, n);
  s.fork_into(results[2], leaf<int>, 3);
  sum += many(n, n, n, n, n, n, n, n, n, n);
  s.join();
  sum += many(n, n, n, n, n, n, n);
  return sum == 2 * (45 + 28 + 66 + 36 + 55 + 28) && results[0] == 1 && results[1] == 2 && results[2] == 3;
}

/// A fork among the arguments of a call: others may be on the stack already.
CORPUS_CASE(variadic_fork_inside_argument_list) {
  const long n = opaque(3L);
  long result = 0;
  nopal::scope s;
  const long sum = many(n, n, n, n, n, n, many(n, n, n, n, n, n, n, n), n,
                        (s.fork_into(result, leaf<long>, n), many(n, n, n, n, n, n, n)), n);
  s.join();
  const long inner = 3 * (21 + 7 + 8);
  const long other = 3 * (21 + 7);
  return sum == 3 * 21 + 7 * inner + 8 * 3 + 9 * other + 10 * 3 && result == 3;
}

struct large {
  long word[12];
};

[[gnu::noinline]] long sum_of(large first, int between, large second) {
  corpus::scribble();
  return first.word[0] + first.word[11] * 2 + between * 3 + second.word[0] * 4 + second.word[11] * 5;
}

CORPUS_CASE(variadic_structs_on_stack) {
  large given{};
  given.word[0] = opaque(1L);
  given.word[11] = opaque(2L);
  long results[2] = {};
  nopal::scope s;
  s.fork_into(results[0], sum_of, given, 10, given);
  given.word[0] = 5;
  const long between = sum_of(given, 20, given);
  s.fork_into(results[1], sum_of, given, 30, given);
  const long after = sum_of(given, 40, given);
  s.join();
  return results[0] == 1 + 4 + 30 + 4 + 10 && between == 5 + 4 + 60 + 20 + 10 &&
         results[1] == 5 + 4 + 90 + 20 + 10 && after == 5 + 4 + 120 + 20 + 10 && corpus_sum(1, 4) == 4;
}

CORPUS_CASE(variadic_children) {
  long sum = 0;
  double pairs = 0;
  char text[64];
  int length = 0;
  nopal::scope s;
  s.fork_into(sum, [] { return leaf(corpus_sum(8, 1, 2, 3, 4, 5, 6, 7, 8)); });
  s.fork_into(length, [&text] {
    return std::snprintf(text, sizeof text, "%d%d%d%d%d%d%d%d", leaf(1), 2, 3, 4, 5, 6, 7, 8);
  });
  pairs = corpus_pairs(2, 1, 2.5, 3, 4.5);
  s.join();
  return sum == 204 && pairs == 18.5 && length == 8 && std::strcmp(text, "12345678") == 0;
}

}  // namespace

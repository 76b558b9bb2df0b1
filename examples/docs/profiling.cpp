// Tutorial, profiling: the most steps that a number needs to come to 1, halved if even, else tripled
// plus one. First a child for each number of digits, then one loop.
#include <nopal/nopal.hpp>

#include <algorithm>
#include <cstdio>

int steps_from(unsigned long n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

int most_steps(unsigned long first, unsigned long last) {
  int most = 0;
  for (unsigned long n = first; n < last; ++n) most = std::max(most, steps_from(n));
  return most;
}

int by_digits(int digits) {
  int most[20] = {};
  nopal::scope s;
  unsigned long first = 1;
  for (int i = 0; i < digits; ++i, first *= 10) s.fork_into(most[i], most_steps, first, 10 * first);
  s.join();
  return *std::max_element(most, most + digits);
}

int by_a_loop(int digits) {
  unsigned long last = 1;
  for (int i = 0; i < digits; ++i) last *= 10;
  return nopal::parallel_reduce(1UL, last, 0, steps_from, [](int a, int b) { return std::max(a, b); });
}

int main() {
  constexpr int digits = 6;
  nopal::work_span interval;
  interval.begin();
  std::printf("%d steps\n", by_digits(digits));
  interval.end("by digits");
  interval.begin();
  std::printf("%d steps\n", by_a_loop(digits));
  interval.end("by a loop");
}

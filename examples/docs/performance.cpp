// What the performance guide shows.
#include <nopal/nopal.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {

// snippet: grain
constexpr int grain = 10;

long fib_serial(int n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

long fib(int n) {
  if (n <= grain) return fib_serial(n);  // below: thousands of calls, and no fork
  long x;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}
// end snippet

// snippet: false_sharing
long count_even(const std::vector<int>& numbers, std::size_t first, std::size_t last) {
  if (last - first <= 4096) {
    long mine = 0;  // a register, not an element of an array that all strands write to
    for (std::size_t i = first; i < last; ++i) mine += numbers[i] % 2 == 0;
    return mine;
  }
  const std::size_t middle = first + (last - first) / 2;
  long left;
  nopal::scope s;
  s.fork_into(
      left, [&numbers](std::size_t a, std::size_t b) { return count_even(numbers, a, b); }, first, middle);
  const long right = count_even(numbers, middle, last);
  s.join();
  return left + right;
}
// end snippet

// snippet: stats
template <class Work>
void print_counts_of(Work work) {
  const nopal::statistics before = nopal::stats();
  work();
  const nopal::statistics after = nopal::stats();
  std::printf("%d workers: %llu steals, %llu suspensions, %llu parks\n", after.workers,
              static_cast<unsigned long long>(after.total.steals - before.total.steals),
              static_cast<unsigned long long>(after.total.suspensions - before.total.suspensions),
              static_cast<unsigned long long>(after.total.parks - before.total.parks));
}
// end snippet

}  // namespace

int main() {
  std::vector<int> numbers(1'000'001);
  std::iota(numbers.begin(), numbers.end(), 0);
  long even = 0;
  print_counts_of([&] { even = count_even(numbers, 0, numbers.size()); });
  // snippet: configure
  nopal::shutdown();                           // only since something was forked before
  nopal::configure({.workers = 2, .pin = 1});  // before the first fork
  // end snippet
  return fib(25) == 75025 && even == 500'001 && nopal::workers() == 2 ? 0 : 1;
}

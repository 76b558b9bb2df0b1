// The smallest program that uses the library itself and not only its headers.
#include <nopal/nopal.hpp>

#include <cstdio>

static long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  long y = fib(n - 2);
  s.join();
  return x + y;
}

int main() {
  long result = fib(20);
  std::printf("fib(20) = %ld on %d workers\n", result, nopal::workers());
  return result == 6765 && nopal::workers() > 0 ? 0 : 1;
}

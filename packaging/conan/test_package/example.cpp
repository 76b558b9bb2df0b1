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
  std::printf("fib(20) = %ld on %d workers\n", fib(20), nopal::workers());
  return fib(20) == 6765 ? 0 : 1;
}

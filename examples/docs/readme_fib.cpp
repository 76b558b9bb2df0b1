// The smallest fork-join program.
#include <nopal/nopal.hpp>

#include <cstdio>

long fib(int n) {
  if (n < 2) return n;
  long x;  // before the scope
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  long y = fib(n - 2);  // may be stolen
  s.join();
  return x + y;
}

int main() { std::printf("%ld\n", fib(36)); }

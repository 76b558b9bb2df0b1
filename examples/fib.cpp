// The smallest fork-join program.
#include <nopal/nopal.hpp>

#include <cstdio>

// snippet: fib
long fib(int n) {
  if (n < 2) return n;
  long x;  // what children write is declared before the scope
  nopal::scope s;
  s.fork_into(x, fib, n - 1);  // x = fib(n - 1), may run in parallel with what follows
  long y = fib(n - 2);         // the continuation: this is what another worker steals
  s.join();
  return x + y;
}
// end snippet

int main() { std::printf("fib(36) = %ld on %d workers\n", fib(36), nopal::workers()); }

// fib for counting instructions: `count_fib N`. With NOPAL_ELIDE it is the serial program.

#include <cstdio>
#include <cstdlib>

#include <nopal/scope.hpp>

namespace {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

}  // namespace

int main(int argc, char** argv) { std::printf("%ld\n", fib(argc > 1 ? std::atoi(argv[1]) : 10)); }

// Where the library is linked statically, this has a copy of it of its own.
#include <nopal/nopal.hpp>

namespace {

long fib(int n) {
  if (n < 2) return n;
  long first = 0;
  nopal::scope s;
  s.fork_into(first, fib, n - 1);
  const long second = fib(n - 2);
  s.join();
  return first + second;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) long compute_in_plugin(int n) { return fib(n); }

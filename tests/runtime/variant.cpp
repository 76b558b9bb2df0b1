// Runs a recursion, a loop of forks and a deep chain on whatever variant of the library it is linked with, and checks
// answers and counts.
#include <nopal/nopal.hpp>

#include <cstdio>

namespace {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  long x;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

void busy(long* result, int rounds) {
  long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    sum += i;
    asm volatile("" : "+r"(sum));  // the loop is to take its time
  }
  *result = sum;
}

long loop(int forks) {
  static long results[2000];
  nopal::scope s;
  for (int i = 0; i < forks; ++i) {
    s.fork(busy, &results[i], 1000);
  }
  s.join();
  long sum = 0;
  for (int i = 0; i < forks; ++i) {
    sum += results[i];
  }
  return sum;
}

long chain(int depth) {
  if (depth == 0) {
    return 0;
  }
  long below;
  nopal::scope s;
  s.fork_into(below, chain, depth - 1);
  s.join();
  return below + 1;
}

bool check(const char* what, long got, long expected) {
  if (got != expected) {
    std::printf("%s: %ld instead of %ld\n", what, got, expected);
  }
  return got == expected;
}

}  // namespace

int main() {
  bool good = true;
  for (int round = 0; round < 50; ++round) {
    good &= check("fib(20)", fib(20), 6765);
    good &= check("loop", loop(2000), 2000L * 499500);
    good &= check("chain", chain(2000), 2000);
  }
  const nopal::statistics counts = nopal::stats();
  good &= check("children joined", static_cast<long>(counts.joins_with_children),
                static_cast<long>(counts.total.steals));
  good &= check("stacks in use", static_cast<long>(counts.stacks_in_use), 0);
  std::printf("%d workers, %lu steals\n", counts.workers, static_cast<unsigned long>(counts.total.steals));
  return good ? 0 : 1;
}

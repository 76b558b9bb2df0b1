// A sum that overflows, in a stolen strand.
#include "forced.hpp"

#include <climits>
#include <cstdio>

namespace {

[[gnu::noinline]] int add(int a, int b) { return a + b; }

}  // namespace

int main(int count, char**) {
  flag continued{false};
  nopal::scope s;
  s.fork([&continued] { wait_for(continued); });
  set(continued);
  const int got = add(INT_MAX, count);
  s.join();
  std::printf("%d\n", got);
}

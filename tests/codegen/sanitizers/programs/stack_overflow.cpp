// One past the end of an array on the stack that a stolen strand runs on.
#include "forced.hpp"

#include <cstddef>
#include <cstdio>

namespace {

volatile std::size_t past_end = 10;

[[gnu::noinline]] int read_past_end() {
  volatile int values[10] = {};
  return values[past_end];
}

}  // namespace

int main() {
  flag continued{false};
  nopal::scope s;
  s.fork([&continued] { wait_for(continued); });
  set(continued);
  const int got = read_past_end();
  s.join();
  std::printf("%d\n", got);
}

// One past the end of the heap's memory, in a stolen strand.
#include "forced.hpp"

#include <cstdio>
#include <vector>

namespace {

volatile std::size_t past_end = 10;

[[gnu::noinline]] int read_past_end(const volatile int* values) { return values[past_end]; }

}  // namespace

int main() {
  const std::vector<int> values(10, 1);
  flag continued{false};
  nopal::scope s;
  s.fork([&continued] { wait_for(continued); });
  set(continued);
  const int got = read_past_end(values.data());
  s.join();
  std::printf("%d\n", got);
}

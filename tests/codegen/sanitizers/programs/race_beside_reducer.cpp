// A race of two strands that use one reducer, which orders nothing: the second takes its first view after the first has left
// its own to be merged.
#include "forced.hpp"

#include <chrono>
#include <cstdio>

namespace {

long shared_count;

void count_up() {
  for (int i = 0; i < 100; ++i) shared_count = shared_count + 1;
}

}  // namespace

int main() {
  nopal::reducer<nopal::op_add<long>> sum;
  flag continued{false};
  nopal::scope s;
  s.fork([&continued, &sum] {
    ++*sum;
    count_up();
    wait_for(continued);
  });
  set(continued);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ++*sum;
  count_up();
  s.join();
  std::printf("%ld %ld\n", shared_count, *sum);
}

// A race: child and continuation write one variable.
#include "forced.hpp"

#include <cstdio>

namespace {

long shared_count;

void count_up() {
  for (int i = 0; i < 100; ++i) shared_count = shared_count + 1;
}

}  // namespace

int main() {
  flag continued{false};
  nopal::scope s;
  s.fork([&continued] {
    count_up();
    wait_for(continued);
  });
  set(continued);
  count_up();
  s.join();
  std::printf("%ld\n", shared_count);
}

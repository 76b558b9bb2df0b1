// A stolen strand uses a local variable of a function that has returned.
#include "forced.hpp"

#include <cstdio>

namespace {

int* volatile kept;

[[gnu::noinline]] void keep_local() {
  int local[4] = {1, 2, 3, 4};
  kept = local;
}

}  // namespace

int main() {
  flag continued{false};
  nopal::scope s;
  s.fork([&continued] { wait_for(continued); });
  set(continued);
  keep_local();
  const int got = kept[2];
  s.join();
  std::printf("%d\n", got);
}

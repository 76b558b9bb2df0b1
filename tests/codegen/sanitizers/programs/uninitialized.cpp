// A stolen strand decides by what nobody has written.
#include "forced.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

[[gnu::noinline]] bool decide(const volatile int* value) {
  if (*value == 17) {
    std::puts("seventeen");
    return true;
  }
  return false;
}

}  // namespace

int main() {
  auto* const values = static_cast<int*>(std::malloc(10 * sizeof(int)));
  if (values == nullptr) return 1;
  flag continued{false};
  nopal::scope s;
  s.fork([&continued] { wait_for(continued); });
  set(continued);
  const bool got = decide(&values[3]);
  s.join();
  std::free(values);
  return got ? 1 : 0;
}

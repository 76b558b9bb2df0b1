// A leak, of a stolen strand.
#include "forced.hpp"

#include <cstdio>

namespace {

int* volatile lost;

void lose_some() {
  for (int i = 0; i < 10; ++i) lost = new int[100];
  lost = nullptr;
}

}  // namespace

int main() {
  flag continued{false};
  nopal::scope s;
  s.fork([&continued] { wait_for(continued); });
  set(continued);
  lose_some();
  s.join();
}

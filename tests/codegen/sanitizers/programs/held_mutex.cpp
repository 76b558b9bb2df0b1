// A mutex that is locked before a fork and unlocked after it, on another thread.
#include "forced.hpp"

#include <cstdio>
#include <mutex>

int main() {
  std::mutex held;
  flag continued{false};
  nopal::scope s;
  held.lock();
  s.fork([&continued] { wait_for(continued); });
  set(continued);
  held.unlock();
  s.join();
  std::puts("joined");
}

// A race in calls that follow a stolen continuation; or, by an argument, what is not checked in parallel, an exception of
// C's child, scopes that overlap, and large arguments.
#include <cstring>

#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>

extern "C" void fork_in_c(void (*child)(void*));
extern "C" void overlap_in_c();
extern "C" void pass_in_c();
extern "C" void read_result_in_c();

static int shared;

[[gnu::noinline]] static void stay() { asm volatile("" : : : "memory"); }
[[gnu::noinline]] static void innermost() {
  shared = shared + 1;
  stay();
}
[[gnu::noinline]] static void between() {
  innermost();
  stay();
}
[[gnu::noinline]] static void forks() {
  nopal::scope s;
  s.fork([] { shared = 1; });
  between();
  s.join();
  stay();
}
[[gnu::noinline]] static void outer() {
  forks();
  stay();
}

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "throws") == 0) {
    try {
      fork_in_c([](void*) { throw 1; });
    } catch (int) {
    }
    return 0;
  }
  if (count > 1 && std::strcmp(words[1], "overlap") == 0) {
    overlap_in_c();
    return 0;
  }
  if (count > 1 && std::strcmp(words[1], "pass") == 0) {
    pass_in_c();
    return 0;
  }
  if (count > 1 && std::strcmp(words[1], "result") == 0) {
    read_result_in_c();
    return 0;
  }
  if (count > 1) {
    nopal::event event;
    event.set();
    event.wait();
    return 0;
  }
  for (int i = 0; i < 200; ++i) outer();
}

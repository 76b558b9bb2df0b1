"""Programs of programs_test.py in which numbers are given out anew: what came before is still told from what came after."""
# As PROGRAMS there.
NUMBER_PROGRAMS = {
    # What one site does before and after an event is told apart, whoever does it within the child that has the setter.
    "new_numbers_after_an_event": ("""
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int x[2], y[2], z[2];
[[gnu::noinline]] void many() {
  nopal::scope s;
  for (int i = 0; i < 70000; ++i) s.fork([] {});
  s.join();
}
template <class F> void beside(int& at, F f) {
  nopal::event e;
  nopal::scope s;
  s.fork([&] { f(e); });
  e.wait();
  at = 3;
  s.join();
}
int main() {
  beside(x[1], [](nopal::event& e) {
    for (int i = 0; i < 2; ++i) {
      { nopal::scope t; t.fork([i] { x[i] = 1; }); t.join(); }
      if (i == 0) e.set();
    }
    many();
  });
  beside(y[1], [](nopal::event& e) {
    nopal::scope t;
    for (int i = 0; i < 2; ++i) {
      y[i] = 1;
      if (i == 0) t.fork([&] { e.set(); });
    }
    many();
    t.join();
  });
  beside(z[1], [](nopal::event& e) {
    nopal::scope t;
    for (int i = 0; i < 2; ++i) {
      t.fork([i] { z[i] = 1; });
      if (i == 0) t.fork([&] { e.set(); });
    }
    many();
    t.join();
  });
}
""", "-O1", [], 66, ["byte 4 of 'x'", "byte 4 of 'y'", "byte 4 of 'z'", "nopal: check: 3 races\n"]),
    "new_numbers_after_a_count": ("""
#include <atomic>
#include <nopal/scope.hpp>
std::atomic<int> users{2};
int main() {
  int* const p = new int(3);
  nopal::scope s;
  s.fork([p] { users.fetch_sub(1); *p = 4; });
  for (int i = 0; i < 70000; ++i) s.fork([] {});
  s.fork([p] { users.fetch_sub(1); delete p; });
  s.join();
}
""", "-O1", [], 66, ["nopal: race: write at new_numbers_after_a_count.cpp:7 and write at new_numbers_after_a_count.cpp:9"]),
}

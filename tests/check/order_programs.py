"""Programs of programs_test.py about what is in order, and what is not: events, locks, and blocks of the heap."""
TWO = "template <class F> void two(F f) { nopal::scope s; s.fork(f); f(); s.join(); }\n"
# As PROGRAMS there.
ORDER_PROGRAMS = {
    "lock_over_other_forks": ("""
#include <mutex>
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>
int x;
nopal::mutex m;
int main() {
  nopal::scope outer;
  for (int i = 0; i < 20; ++i) {
    outer.fork([i] {
      std::lock_guard g(m);
      nopal::scope s;
      s.fork([i] { if (i == 15) x = 1; });
      x = 2;
      s.join();
    });
  }
  outer.join();
}
""", "-O1", [], 66, ["nopal: race: write at lock_over_other_forks.cpp:12 and write at lock_over_other_forks.cpp:13"]),
}

// Uses of a reducer for tests to disassemble.
#include <nopal/nopal.hpp>

using sum = nopal::reducer<nopal::op_add<long>>;

extern "C" {

[[gnu::noinline]] void update_once(sum& one) { *one += 1; }

[[gnu::noinline]] void update_around_forks(sum& one, void (*child)(sum*)) {
  *one += 1;
  nopal::scope s;
  s.fork(child, &one);
  *one += 1;
  s.join();
  *one += 1;
}
}

int main() {
  sum one;
  update_once(one);
  update_around_forks(one, [](sum* same) { **same += 1; });
  return *one == 5 ? 0 : 1;
}

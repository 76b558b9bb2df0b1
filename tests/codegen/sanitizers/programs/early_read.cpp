// A race: a child's result is read before the join, by a strand that was stolen twice.
#include "forced.hpp"

#include <cstdio>

int main() {
  long first = 0;
  long second = 0;
  flag continued_again{false};
  nopal::scope s;
  s.fork_into(first, [&continued_again] {
    wait_for(continued_again);
    return 1L;
  });
  s.fork_into(second, [&continued_again] {
    wait_for(continued_again);
    return 2L;
  });
  set(continued_again);
  const long early = first;
  s.join();
  std::printf("%ld %ld %ld\n", early, first, second);
}

// The eager half of latent_mix_test.cpp.
#include "latent_mixed.hpp"

#include <nopal/scope.hpp>

#if NOPAL_HAS_LATENT_FORKS
#error "this file is about eager forks"
#endif

namespace mixed {

long by_eager_fork(nest& all, int depth) {
  if (depth == 0) return at_bottom(all);
  long below = -1;
  nopal::scope s;
  s.fork_into(below, [&all, depth] { return by_latent_fork(all, depth - 1); });
  if (depth == all.outermost) support::set(all.went_on);
  s.join();
  return below + 1;
}

long fib_by_eager_forks(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib_by_latent_forks, n - 1);
  const long y = fib_by_latent_forks(n - 2);
  s.join();
  return x + y;
}

}  // namespace mixed

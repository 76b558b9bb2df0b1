// Two files of one program, of which one alone has latent forks.
#ifndef NOPAL_TESTS_RUNTIME_LATENT_MIXED_HPP
#define NOPAL_TESTS_RUNTIME_LATENT_MIXED_HPP

#include "support/strands.hpp"

namespace mixed {

/// What lies at the bottom, and the flag that the outermost continuation sets.
struct nest {
  support::flag& release;
  support::flag went_on{false};
  int outermost = 0;
};

/// Forks the next level, which is in the other file.
long by_latent_fork(nest& all, int depth);
long by_eager_fork(nest& all, int depth);

/// The bottom of a nest.
inline long at_bottom(nest& all) {
  support::set(all.release);
  support::wait_for_continuation(all.went_on);
  return 0;
}

/// Numbers as support::fib has them, by forks of either file in turn.
long fib_by_latent_forks(int n);
long fib_by_eager_forks(int n);

}  // namespace mixed

#endif

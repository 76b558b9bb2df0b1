// What tests of the signals that ask threads for their latent forks share: nests of forks that are promoted by signals, and
// such as promote by themselves.
#ifndef NOPAL_TESTS_PROCESS_LATENT_SIGNALS_HPP
#define NOPAL_TESTS_PROCESS_LATENT_SIGNALS_HPP

#include "support/latent.hpp"

namespace signals {

using nopal::scope;
using support::before_thieves_are_hungry;
using support::flag;
using support::set;

inline bool are_latent() { return support::latent_in(support::compiled_latent); }

/// `depth` forks within each other; the body is called at the bottom, and may wait for `went_on`.
template <class Body>
[[gnu::noinline]] int nested(const Body& body, flag& went_on, int depth, bool outermost = true) {
  if (depth == 0) {
    body();
    return 0;
  }
  int below = -1;
  scope s;
  s.fork_into(below, [&, depth] { return nested(body, went_on, depth - 1, false); });
  if (outermost) set(went_on);
  s.join();
  return below + 1;
}

/// A leaf computes, so that its forks are promoted by signals, where they may be.
inline void use_signals(int depth = 5) {
  before_thieves_are_hungry([depth](flag& release) {
    flag went_on{false};
    const auto leaf = [&] {
      set(release);
      support::wait_for_continuation(went_on);
    };
    NOPAL_CHECK(nested(leaf, went_on, depth) == depth);
  });
}

/// The same where signals do not arrive: the leaf forks.
inline void use_polls(int depth = 5) {
  before_thieves_are_hungry([depth](flag& release) {
    flag went_on{false};
    const auto leaf = [&] {
      set(release);
      support::fork_until_continued(went_on);
    };
    NOPAL_CHECK(nested(leaf, went_on, depth) == depth);
  });
}

inline bool sends_signals() { return are_latent() && nopal::workers() > 1; }

}  // namespace signals

#endif

// Latent forks of C: promoted at a poll of their children and by a signal, with all kinds of arguments and results, and nested with
// those of C++.
#include <gtest/gtest.h>

#include "latent_in_c.h"
#include "support/latent.hpp"

namespace {

using support::before_thieves_are_hungry;
using support::flag;
using support::promotions;
using support::set;

bool are_latent() { return support::latent_in(forks_in_c_are_latent != 0 && support::compiled_latent); }

/// How a child waits until its continuation runs elsewhere.
enum class leaf { forks, spins };
struct meeting {
  flag* release;
  flag went_on;
  leaf how;
};
meeting now;

}  // namespace

void child_begins() {
  set(*now.release);
  if (now.how == leaf::forks) {
    support::fork_until_continued(now.went_on);
  } else {
    support::wait_for_continuation(now.went_on);
  }
}

void continuation_begins() { set(now.went_on); }

int nested_in_cpp(int depth, int outermost) {
  if (depth == 0) {
    child_begins();
    return 0;
  }
  int below = -1;
  nopal::scope s;
  s.fork_into(below, nested_in_c, depth - 1, outermost);
  if (depth == outermost) continuation_begins();
  s.join();
  return below + 1;
}

namespace {

/// Calls `body`, whose youngest child meets hungry thieves. How many forks these had promoted.
template <class Body>
std::uint64_t promoted_in(leaf how, const Body& body) {
  const std::uint64_t before = promotions();
  before_thieves_are_hungry([how, &body](flag& release) {
    now.release = &release;
    now.went_on.store(false);
    now.how = how;
    body();
    set(release);
  });
  return promotions() - before;
}

void all_kinds(leaf how) {
  for (int i = 0; i < forks_in_c_count; ++i) {
    const fork_in_c& kind = forks_in_c[i];
    const std::uint64_t promoted = promoted_in(how, [&kind] {
      if (kind.is_right() == 0) support::check_failed(kind.name, __FILE__, __LINE__);
    });
    NOPAL_CHECK(promoted > 0 || !are_latent() || nopal::workers() == 1);
  }
}

NOPAL_PROGRAM(all_kinds_by_poll) {
  all_kinds(leaf::forks);
  return 0;
}

NOPAL_PROGRAM(all_kinds_by_signal) {
  all_kinds(leaf::spins);
  return 0;
}

NOPAL_PROGRAM(nested_with_those_of_cpp) {
  for (int depth = 1; depth <= 40; ++depth) {
    for (const leaf how : {leaf::forks, leaf::spins}) {
      promoted_in(how, [depth] { NOPAL_CHECK(nested_in_c(depth, depth) == depth); });
      promoted_in(how, [depth] { NOPAL_CHECK(nested_in_cpp(depth, depth) == depth); });
    }
  }
  return 0;
}

class latent_in_c : public support::program_at_workers {};
INSTANTIATE_TEST_SUITE_P(at_workers, latent_in_c, testing::Values(1, 2, 7));

TEST_P(latent_in_c, forks_of_all_kinds_are_promoted_at_a_poll) { EXPECT_TRUE(run("all_kinds_by_poll")); }
TEST_P(latent_in_c, forks_of_all_kinds_are_promoted_by_a_signal) { EXPECT_TRUE(run("all_kinds_by_signal")); }
TEST_P(latent_in_c, forks_nest_with_those_of_cpp) { EXPECT_TRUE(run("nested_with_those_of_cpp")); }

}  // namespace

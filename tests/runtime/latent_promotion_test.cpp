// Promotion: a hungry thief gets what is latent, from a leaf that forks and from one that does not, at every depth and over every
// kind of frame; and what the continuation then finds is what it left.
#include <gtest/gtest.h>

#include <xmmintrin.h>

#include <array>
#include <cfenv>
#include <cstdint>
#include <vector>

#include "support/frames.hpp"
#include "support/latent.hpp"

namespace {

using nopal::scope;
using support::before_thieves_are_hungry;
using support::flag;
using support::promotions;
using support::set;

bool are_latent() { return support::latent_in(support::compiled_latent); }

/// What is at the bottom: waits until `went_on` is set by a continuation above. Nothing in it forks.
[[gnu::noinline]] void long_leaf(flag& release, const flag& went_on) {
  set(release);
  support::wait_for_continuation(went_on);
}

/// The same by one who forks now and then.
[[gnu::noinline]] void forking_leaf(flag& release, const flag& went_on) {
  set(release);
  support::fork_until_continued(went_on);
}

using leaf = void (*)(flag& release, const flag& went_on);

/// `depth` latent forks within each other. The continuation of the outermost sets `went_on`.
struct nest {
  leaf at_bottom;
  flag& release;
  flag went_on{false};
  std::atomic<int> continued{0};
  int outermost = 0;
};
[[gnu::noinline]] int nested(nest& all, int depth) {
  if (depth == 0) {
    all.at_bottom(all.release, all.went_on);
    return 0;
  }
  int below = -1;
  scope s;
  s.fork_into(below, [&all, depth] { return nested(all, depth - 1); });
  ++all.continued;
  if (depth == all.outermost) set(all.went_on);
  s.join();
  return below + 1;
}

/// The forks that a thief must have had. A handler promotes no more than the deque has room for.
void check_promoted_since(std::uint64_t before, int depth) {
  if (are_latent() && nopal::workers() > 1) {
    NOPAL_CHECK(promotions() - before >= static_cast<unsigned>(depth < 100 ? depth : 100));
  }
  if (!are_latent()) NOPAL_CHECK(promotions() == 0);
}

void check_nest(leaf at_bottom, int depth) {
  before_thieves_are_hungry([=](flag& release) {
    nest all{.at_bottom = at_bottom, .release = release};
    all.outermost = depth;
    const std::uint64_t before = promotions();
    NOPAL_CHECK(nested(all, depth) == depth);
    NOPAL_CHECK(all.continued == depth);
    check_promoted_since(before, depth);
  });
}

NOPAL_PROGRAM(by_signal) {
  for (const int depth : {1, 2, 3, 5, 8, 13, 30, 100, 1000}) check_nest(long_leaf, depth);
  if (are_latent() && nopal::workers() > 1) NOPAL_CHECK(support::signals_sent() > 0);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(by_poll) {
  for (const int depth : {1, 2, 3, 5, 8, 13, 30, 100, 1000}) check_nest(forking_leaf, depth);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(by_poll_alone) {
  for (const int depth : {1, 2, 5, 30, 100}) check_nest(forking_leaf, depth);
  NOPAL_CHECK(support::signals_sent() == 0);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(never) {
  for (const int depth : {1, 5, 30}) check_nest(long_leaf, depth);
  NOPAL_CHECK(promotions() == 0 && support::signals_sent() == 0);
  support::check_quiet();
  return 0;
}

// --- What lies between two forks on the stack. -----------------------------------------------------------------------

using support::frame_kinds;
using support::frames;

[[gnu::noinline]] long through_frames(nest& all, int depth) {
  if (depth == 0) {
    all.at_bottom(all.release, all.went_on);
    return 0;
  }
  // Values that stay in registers, or on the stack, across the fork.
  volatile long seed = depth;
  const long a = seed * 3;
  const long b = seed * 5;
  const long c = seed * 7;
  const long d = seed * 11;
  const long e = seed * 13;
  const double f = static_cast<double>(seed) / 4;
  long below = -1;
  scope s;
  s.fork([&all, depth, &below] {
    frames[depth % frame_kinds]([&] { below = through_frames(all, depth - 1); });
  });
  ++all.continued;
  if (depth == all.outermost) set(all.went_on);
  NOPAL_CHECK(a + b + c + d + e == 39L * depth && f * 4 == depth);
  s.join();
  NOPAL_CHECK(a + b + c + d + e == 39L * depth && f * 4 == depth);
  return below + a;
}

NOPAL_PROGRAM(over_all_frames) {
  for (const leaf at_bottom : {long_leaf, forking_leaf}) {
    for (int depth = 1; depth <= 3 * frame_kinds; ++depth) {
      before_thieves_are_hungry([=](flag& release) {
        nest all{.at_bottom = at_bottom, .release = release};
        all.outermost = depth;
        const std::uint64_t before = promotions();
        NOPAL_CHECK(through_frames(all, depth) == 3L * depth * (depth + 1) / 2);
        check_promoted_since(before, depth);
      });
    }
  }
  support::check_quiet();
  return 0;
}

// --- Loops, several forks of a scope. --------------------------------------------------------------------------------

/// Each child waits for its own continuation, which forks the next.
int stolen_at_each_fork(int children) {
  int sum = 0;
  scope s;
  std::vector<int> results(static_cast<std::size_t>(children), -1);
  for (int i = 0; i < children; ++i) {
    flag went_on{false};
    s.fork_into(results[static_cast<std::size_t>(i)], [&went_on, i] {
      support::wait_for_continuation(went_on);
      return i * i;
    });
    set(went_on);
    // The flag lives until the child has seen it.
    s.join();
  }
  for (const int each : results) sum += each;
  return sum;
}

NOPAL_PROGRAM(in_loops) {
  for (int round = 0; round < 20; ++round) NOPAL_CHECK(stolen_at_each_fork(30) == 8555);
  if (nopal::workers() > 1) NOPAL_CHECK(nopal::stats().total.steals >= 600);
  support::check_quiet();
  return 0;
}

/// The scope's last fork is promoted when earlier ones are over, and some of them were stolen.
NOPAL_PROGRAM(after_other_forks_of_the_scope) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> sum{0};
    scope s;
    for (int i = 0; i < 10; ++i) s.fork([&sum, i] { sum += i; });
    flag first{false};
    s.fork([&] {
      support::wait_for_continuation(first);
      sum += 100;
    });
    set(first);
    for (int i = 0; i < 10; ++i) s.fork([&sum, i] { sum += i; });
    s.join();
    NOPAL_CHECK(sum == 190);
    flag second{false};
    s.fork([&] {
      support::wait_for_continuation(second);
      sum += 1000;
    });
    set(second);
    s.join();
    NOPAL_CHECK(sum == 1190);
  }
  support::check_quiet();
  return 0;
}

/// Several scopes of one function, each with a latent fork when thieves come.
int scopes_within(flag& release) {
  flag went_on{false};
  int x = 0;
  int y = 0;
  int z = 0;
  scope a;
  a.fork_into(x, [&] {
    int inner = 0;
    scope b;
    scope c;
    b.fork_into(inner, [&] {
      scope d;
      d.fork([&] { long_leaf(release, went_on); });
      d.join();
      return 1;
    });
    c.fork_into(z, [] { return 10; });
    c.join();
    b.join();
    return inner;
  });
  set(went_on);
  a.fork_into(y, [] { return 100; });
  a.join();
  return x + y + z;
}

NOPAL_PROGRAM(in_several_scopes) {
  for (int round = 0; round < 20; ++round) {
    before_thieves_are_hungry([](flag& release) { NOPAL_CHECK(scopes_within(release) == 111); });
  }
  support::check_quiet();
  return 0;
}

// --- What a continuation finds. --------------------------------------------------------------------------------------

constexpr unsigned sticky_flags = 0x3f;

NOPAL_PROGRAM(with_another_rounding_mode) {
  constexpr int modes[] = {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD, FE_TOWARDZERO};
  for (int round = 0; round < 40; ++round) {
    const int mode = modes[round % 4];
    // The root's mode is that of all its strands, so it is set first.
    std::fesetround(mode);
    _mm_setcsr(_mm_getcsr() ^ 0x8000);  // flush to zero
    const unsigned control = _mm_getcsr() & ~sticky_flags;
    before_thieves_are_hungry([=](flag& release) {
      const leaf at_bottom = round % 8 < 4 ? long_leaf : forking_leaf;
      const auto check = [=] {
        NOPAL_CHECK(std::fegetround() == mode && (_mm_getcsr() & ~sticky_flags) == control);
      };
      flag went_on{false};
      scope s;
      s.fork([&] {
        scope t;
        t.fork([&] {
          at_bottom(release, went_on);
          check();
        });
        check();
        t.join();
        check();
      });
      check();
      set(went_on);
      s.join();
      check();
    });
  }
  std::fesetround(FE_TONEAREST);
  return 0;
}

/// 100,000 forks, one in the other, where a thief gets hungry at the bottom.
constexpr int deep = 100000;

[[gnu::noinline]] int deeper(nest& all, int depth) {
  if (depth == 0) {
    all.at_bottom(all.release, all.went_on);
    return 0;
  }
  int below = -1;
  scope s;
  s.fork_into(below, [&all, depth] { return deeper(all, depth - 1); });
  if (depth == all.outermost) set(all.went_on);
  s.join();
  return below + 1;
}

NOPAL_PROGRAM(very_deep) {
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstacksize(&attributes, std::size_t{1} << 30) == 0);
  const auto body = [](void*) -> void* {
    for (const leaf at_bottom : {forking_leaf, long_leaf, forking_leaf}) {
      before_thieves_are_hungry([=](flag& release) {
        nest all{.at_bottom = at_bottom, .release = release};
        all.outermost = deep;
        const std::uint64_t before = promotions();
        NOPAL_CHECK(deeper(all, deep) == deep);
        check_promoted_since(before, deep);
      });
    }
    return nullptr;
  };
  pthread_t thread;
  NOPAL_CHECK(pthread_create(&thread, &attributes, body, nullptr) == 0 && pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
  support::check_quiet();
  return 0;
}

/// A function whose locals are over-aligned, which goes on on a thief's stack. Whoever ran its child is hungry then.
[[gnu::noinline]] void go_on_elsewhere(int depth) {
  alignas(64) std::array<char, 128> aligned;
  __asm__ volatile("" : : "r"(aligned.data()) : "memory");
  flag release{false};
  flag stolen{false};
  scope s;
  s.fork([&stolen, &release] {
    support::wait_for_continuation(stolen);
    support::wait_for_continuation(release);
  });
  set(stolen);
  nest all{.at_bottom = long_leaf, .release = release};
  all.outermost = depth;
  NOPAL_CHECK(nested(all, depth) == depth);
  s.join();
}

NOPAL_PROGRAM(above_over_aligned_locals) {
  for (const int depth : {1, 2, 5, 30}) go_on_elsewhere(depth);
  NOPAL_CHECK(nopal::stats().total.walks_cut_short == 0);
  support::check_quiet();
  return 0;
}

class latent_forks : public support::program_at_workers {};

TEST_P(latent_forks, are_promoted_while_a_leaf_computes) { EXPECT_TRUE(run("by_signal")); }
TEST_P(latent_forks, are_promoted_by_a_leaf_that_forks) { EXPECT_TRUE(run("by_poll")); }
TEST_P(latent_forks, are_promoted_by_a_leaf_that_forks_where_signals_are_off) {
  EXPECT_TRUE(support::succeeds("by_poll_alone",
                                {{"NOPAL_WORKERS", std::to_string(GetParam())}, {"NOPAL_SIGNAL", "off"}}));
}
TEST_P(latent_forks, are_promoted_by_each_signal_that_may_be_chosen) {
  for (const char* const signal : {"URG", "SIGUSR1", "USR2", "IO", "PWR", "WINCH", "35", "64"}) {
    EXPECT_TRUE(support::succeeds("by_signal",
                                  {{"NOPAL_WORKERS", std::to_string(GetParam())}, {"NOPAL_SIGNAL", signal}}))
        << signal;
  }
}
TEST_P(latent_forks, are_eager_ones_if_the_environment_says_so) {
  EXPECT_TRUE(
      support::succeeds("never", {{"NOPAL_WORKERS", std::to_string(GetParam())}, {"NOPAL_FORKS", "eager"}}));
}
TEST_P(latent_forks, are_found_over_all_kinds_of_frames) { EXPECT_TRUE(run("over_all_frames")); }
TEST_P(latent_forks, are_found_above_a_stolen_function_with_over_aligned_locals) {
  EXPECT_TRUE(run("above_over_aligned_locals"));
}
TEST_P(latent_forks, of_loops_are_promoted_one_by_one) { EXPECT_TRUE(run("in_loops")); }
TEST_P(latent_forks, follow_others_of_their_scope) { EXPECT_TRUE(run("after_other_forks_of_the_scope")); }
TEST_P(latent_forks, of_several_scopes_are_promoted) { EXPECT_TRUE(run("in_several_scopes")); }
TEST_P(latent_forks, keep_the_floating_point_control) { EXPECT_TRUE(run("with_another_rounding_mode")); }
TEST_P(latent_forks, are_promoted_at_a_depth_of_a_hundred_thousand) {
  EXPECT_TRUE(support::succeeds(
      "very_deep", {{"NOPAL_WORKERS", std::to_string(GetParam())}, {"NOPAL_STACK_SIZE", "256M"}}));
}

INSTANTIATE_TEST_SUITE_P(at_workers, latent_forks, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace

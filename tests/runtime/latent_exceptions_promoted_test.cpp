// Exceptions out of latent children after promotions by a fork and by a signal, at many depths. Which one arrives, where, and
// that everything on its way is destroyed once.
#include <gtest/gtest.h>
#include <nopal/detail/pinned.h>
#include <nopal/waiting.hpp>

#include <atomic>
#include <cstdint>
#include <exception>

#include "latent_exceptions.hpp"

namespace {

using counted::are_latent;
using counted::finish;
using counted::living;
using counted::number_thrown_by;
using counted::throw_number;
using counted::thrown;
using counted::witness;
using nopal::scope;
using support::before_thieves_are_hungry;
using support::flag;
using support::set;

enum class promoted_by { poll, signal };
enum class throws { child, continuation, both };

struct nest {
  promoted_by how;
  throws who;
  flag& release;
  flag went_on{false};
  std::atomic<int> continued{0};
  int outermost = 0;
};

void wait_at_bottom(nest& all) {
  set(all.release);
  if (all.how == promoted_by::poll) return support::fork_until_continued(all.went_on);
  support::wait_for_continuation(all.went_on);
}

/// The bottom throws 1, a continuation at that depth 1000 and more.
[[gnu::noinline]] int nested(nest& all, int depth) {
  const witness local;
  if (depth == 0) {
    wait_at_bottom(all);
    return all.who == throws::continuation ? 0 : throw_number(1);
  }
  int below = -1;
  scope s;
  s.fork_into(below, [&all, depth] {
    const witness inner;
    return nested(all, depth - 1);
  });
  const witness after;
  ++all.continued;
  if (depth == all.outermost) set(all.went_on);
  if (all.who != throws::child && depth == all.outermost) throw_number(1000 + depth);
  s.join();
  return below + 1;
}

/// The exception of a continuation that was stolen is in flight, and wins over its child's. On one worker, and where the
/// continuation comes second, the child's is the one.
int expected(throws who, int depth) {
  if (who == throws::child) return 1;
  if (who == throws::continuation) return 1000 + depth;
  return nopal::workers() == 1 ? 1 : 1000 + depth;
}

void check_promoted(promoted_by how, throws who, int depth) {
  before_thieves_are_hungry([=](flag& release) {
    nest all{.how = how, .who = who, .release = release};
    all.outermost = depth;
    const std::uint64_t before = support::promotions();
    NOPAL_CHECK(number_thrown_by([&] { nested(all, depth); }) == expected(who, depth));
    if (are_latent() && nopal::workers() > 1) {
      NOPAL_CHECK(support::promotions() - before >= static_cast<unsigned>(depth));
    }
    if (!are_latent()) NOPAL_CHECK(support::promotions() == 0);
  });
  NOPAL_CHECK(living == 0);
}

int thrown_at_all_depths(promoted_by how) {
  for (int depth = 1; depth <= 50; ++depth) {
    for (const throws who : {throws::child, throws::continuation, throws::both})
      check_promoted(how, who, depth);
  }
  return finish();
}
NOPAL_PROGRAM(promoted_by_a_poll) { return thrown_at_all_depths(promoted_by::poll); }
NOPAL_PROGRAM(promoted_by_a_signal) { return thrown_at_all_depths(promoted_by::signal); }

/// Of two forked halves the first one's exception wins, whoever is promoted.
int first_of_two_halves(promoted_by how, bool second_throws) {
  int number = 0;
  before_thieves_are_hungry([&](flag& release) {
    const witness local;
    number = number_thrown_by([&] {
      nest all{.how = how, .who = throws::child, .release = release};
      int x = 0;
      int y = 0;
      scope s;
      s.fork_into(x, [&all] {
        wait_at_bottom(all);
        return throw_number(1);
      });
      s.fork_into(y, [&all, second_throws] {
        set(all.went_on);
        return second_throws ? throw_number(2) : 2;
      });
      s.join();
    });
  });
  return number;
}

NOPAL_PROGRAM(of_two_halves) {
  for (int round = 0; round < 50; ++round) {
    for (const promoted_by how : {promoted_by::poll, promoted_by::signal}) {
      NOPAL_CHECK(first_of_two_halves(how, round % 2 == 0) == 1);
    }
  }
  return finish();
}

/// Some children were promoted and over before another, which nobody asked for, throws: the join has the earliest.
NOPAL_PROGRAM(earliest_of_several) {
  for (int round = 0; round < 50; ++round) {
    for (const int first : {1, 2, 3}) {
      const int number = number_thrown_by([first] {
        const witness local;
        flag went_on{false};
        scope s;
        s.fork([&went_on, first] {
          support::wait_for_continuation(went_on);
          if (first == 1) throw_number(1);
        });
        set(went_on);
        for (int i = 2; i <= 3; ++i) {
          s.fork([i, first] {
            if (i >= first) throw_number(i);
          });
        }
        s.join();
      });
      NOPAL_CHECK(number == first);
    }
  }
  return finish();
}

/// An exception that is caught within a child which is promoted meanwhile.
int handled_below(nest& all, int depth) {
  const witness local;
  if (depth == 0) {
    const int number = number_thrown_by([] { throw_number(7); });
    wait_at_bottom(all);
    return number + number_thrown_by([] { throw_number(8); });
  }
  int below = 0;
  scope s;
  s.fork_into(below, [&all, depth] { return handled_below(all, depth - 1); });
  if (depth == all.outermost) set(all.went_on);
  const int own = number_thrown_by([] { throw_number(100); });
  s.join();
  return below + own;
}

NOPAL_PROGRAM(handled_on_both_sides) {
  for (int depth = 1; depth <= 30; ++depth) {
    for (const promoted_by how : {promoted_by::poll, promoted_by::signal}) {
      before_thieves_are_hungry([=](flag& release) {
        nest all{.how = how, .who = throws::child, .release = release};
        all.outermost = depth;
        NOPAL_CHECK(handled_below(all, depth) == 15 + 100 * depth);
      });
    }
  }
  return finish();
}

/// Forks under a handler: both sides find what it handles. Older ones may stay where they are once somebody has thrown on.
void under_handlers(int depth) {
  if (depth == 0) return;
  try {
    throw_number(depth);
  } catch (const thrown& caught) {
    flag went_on{false};
    scope s;
    s.fork([&, depth] {
      under_handlers(depth - 1);
      NOPAL_CHECK(caught.number() == depth);
      support::wait_briefly(went_on);
      NOPAL_CHECK(number_thrown_by([] { std::rethrow_exception(std::current_exception()); }) == depth);
    });
    set(went_on);
    NOPAL_CHECK(number_thrown_by([] { std::rethrow_exception(std::current_exception()); }) == depth);
    s.join();
  }
}

NOPAL_PROGRAM(in_handlers) {
  for (int round = 0; round < 20; ++round) {
    for (int depth = 1; depth <= 5; ++depth) under_handlers(depth);
  }
  return finish();
}

/// The forks of the code outside of a call that stays on its thread are promoted where the call's code blocks, each in the handlers
/// that it was made in.
void under_handlers_of_a_call(int depth, flag& release, flag& went_on) {
  try {
    throw_number(depth);
  } catch (const thrown&) {
    scope s;
    s.fork([&, depth] {
      if (depth > 1) return under_handlers_of_a_call(depth - 1, release, went_on);
      nopal::detail::call_pinned([&] {
        set(release);
        nopal::blocking([&went_on] { support::wait_for_continuation(went_on); });
      });
    });
    NOPAL_CHECK(number_thrown_by([] { std::rethrow_exception(std::current_exception()); }) == depth);
    set(went_on);
    s.join();
    NOPAL_CHECK(number_thrown_by([] { std::rethrow_exception(std::current_exception()); }) == depth);
  }
}

NOPAL_PROGRAM(in_handlers_around_a_call) {
  for (int depth = 1; depth <= 5; ++depth) {
    before_thieves_are_hungry([depth](flag& release) {
      flag went_on{false};
      under_handlers_of_a_call(depth, release, went_on);
    });
  }
  return finish();
}

class exceptions_of_promoted_forks : public support::program_at_workers {};

TEST_P(exceptions_of_promoted_forks, leave_joins_after_a_promotion_by_a_fork) {
  EXPECT_TRUE(run("promoted_by_a_poll"));
}
TEST_P(exceptions_of_promoted_forks, leave_joins_after_a_promotion_by_a_signal) {
  EXPECT_TRUE(run("promoted_by_a_signal"));
}
TEST_P(exceptions_of_promoted_forks, of_two_forked_halves_are_the_first_ones) {
  EXPECT_TRUE(run("of_two_halves"));
}
TEST_P(exceptions_of_promoted_forks, of_several_children_are_the_earliest_ones) {
  EXPECT_TRUE(run("earliest_of_several"));
}
TEST_P(exceptions_of_promoted_forks, are_handled_on_both_sides_of_a_promoted_fork) {
  EXPECT_TRUE(run("handled_on_both_sides"));
}
TEST_P(exceptions_of_promoted_forks, stay_handled_where_forks_are_promoted) {
  EXPECT_TRUE(run("in_handlers"));
}
TEST_P(exceptions_of_promoted_forks, stay_handled_around_a_call_that_stays_and_blocks) {
  EXPECT_TRUE(run("in_handlers_around_a_call"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, exceptions_of_promoted_forks, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace

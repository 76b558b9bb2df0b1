// When a thief keeps away, by what became of the strands that it stole.
#include "scheduler/restraint.hpp"

#include <gtest/gtest.h>

#include "scheduler/runtime.hpp"

namespace {

using namespace nopal::internal;

constexpr std::uint64_t start = 200;
constexpr std::uint64_t now = 1'000'000;

/// A thief that needs `start` ticks until a stolen strand starts.
restraint thief() {
  restraint shy{};
  for (int i = 0; i < 100; ++i) {
    shy.began = now;
    note_start(shy, now + start);
  }
  shy.began = 0;
  return shy;
}

void steal(restraint& shy) {
  shy.began = now - start;
  note_start(shy, now);
}

/// A stolen strand that ended after `ticks`, or came to a join: for how long the thief keeps away.
std::uint64_t keeps_away_after(restraint& shy, std::uint64_t ticks, bool arrives = false) {
  steal(shy);
  EXPECT_TRUE(judge_strand(shy, now + ticks, arrives));
  return keeps_away_for(shy);
}

TEST(restraint, knows_what_a_steal_costs_by_how_long_strands_take_to_start) {
  const restraint shy = thief();
  EXPECT_NEAR(static_cast<double>(mean_start(shy)), static_cast<double>(start), start / 8.0);
  EXPECT_EQ(cost_of_steal(shy), mean_start(shy) * restraint::starts_in_cost);
}

TEST(restraint, counts_no_start_that_waited_for_something_else) {
  restraint shy = thief();
  for (int i = 0; i < 1000; ++i) {
    shy.began = now;
    note_start(shy, now + 10'000'000);
  }
  EXPECT_LE(mean_start(shy), restraint::most_start);
}

/// One takes many times as long, and thieves wake one another as a region begins.
TEST(restraint, counts_no_wake_up_on_the_way) {
  constexpr std::uint64_t wake = 10'000;
  restraint shy = thief();
  for (int i = 0; i < 1000; ++i) {
    shy.began = now;
    leave_out(shy, wake);
    note_start(shy, now + wake + start);
  }
  EXPECT_NEAR(static_cast<double>(mean_start(shy)), static_cast<double>(start), start / 8.0);
}

TEST(restraint, begins_after_some_steals_of_no_use) {
  restraint shy = thief();
  for (std::uint64_t i = 0; i < restraint::free_steals; ++i) EXPECT_EQ(keeps_away_after(shy, 500), 0U) << i;
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(static_cast<double>(keeps_away_after(shy, 500)),
                static_cast<double>(cost_of_steal(shy) * restraint::pauses_to_pay), 1000)
        << i;
  }
}

TEST(restraint, is_the_same_for_strands_that_did_little_and_wait) {
  restraint shy = thief();
  for (std::uint64_t i = 0; i < restraint::free_steals; ++i) keeps_away_after(shy, 1000, true);
  EXPECT_NE(keeps_away_after(shy, 1000, true), 0U);
}

TEST(restraint, ends_with_useful_strands) {
  restraint shy = thief();
  for (int i = 0; i < 10; ++i) keeps_away_after(shy, 500);
  EXPECT_EQ(keeps_away_after(shy, 100'000), 0U);
  for (std::uint64_t i = 0; i < restraint::free_steals; ++i) EXPECT_EQ(keeps_away_after(shy, 500), 0U) << i;
  EXPECT_NE(keeps_away_after(shy, 500), 0U);
}

TEST(restraint, begins_anew_once_forgiven) {
  restraint shy = thief();
  for (int i = 0; i < 10; ++i) keeps_away_after(shy, 500);
  forgive(shy);
  for (std::uint64_t i = 0; i < restraint::free_steals; ++i) EXPECT_EQ(keeps_away_after(shy, 500), 0U) << i;
  EXPECT_NE(keeps_away_after(shy, 500), 0U);
}

TEST(restraint, takes_payment_for_each_steal_of_no_use_from_useful_ones) {
  restraint shy = thief();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(keeps_away_after(shy, cost_of_steal(shy) * (restraint::strands_to_pay + 1)), 0U) << i;
    EXPECT_EQ(keeps_away_after(shy, 500), 0U) << i;
  }
}

/// A stolen strand that does nothing but wait; its victim comes to the join after `ticks`, or is not there yet.
std::uint64_t keeps_away_after_waiting(restraint& shy, std::uint64_t ticks, bool victim_comes) {
  steal(shy);
  EXPECT_FALSE(judge_strand(shy, now + start / 2, true));
  shy.resumed = 7;
  shy.is_unjudged = true;
  judge_by_victim(shy, now + ticks, victim_comes ? 8 : 7);
  return keeps_away_for(shy);
}

TEST(restraint, comes_of_strands_that_wait_for_short_children) {
  restraint shy = thief();
  for (std::uint64_t i = 0; i < restraint::free_steals; ++i) {
    EXPECT_EQ(keeps_away_after_waiting(shy, 800, true), 0U) << i;
  }
  EXPECT_NE(keeps_away_after_waiting(shy, 800, true), 0U);
}

TEST(restraint, does_not_come_of_strands_that_wait_for_long_children) {
  restraint shy = thief();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(keeps_away_after_waiting(shy, 800, false), 0U) << "not to be said yet";
    EXPECT_TRUE(shy.is_unjudged);
    EXPECT_EQ(keeps_away_after_waiting(shy, 100'000, false), 0U);
    EXPECT_FALSE(shy.is_unjudged);
  }
}

TEST(restraint, is_not_asked_of_what_was_not_stolen) {
  restraint shy = thief();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(judge_strand(shy, now, i % 2 == 0));
    EXPECT_EQ(keeps_away_for(shy), 0U);
  }
}

TEST(restraint, is_for_where_each_worker_has_a_cpu_and_nobody_blocks) {
  runtime& all = the_runtime();  // nobody has started it
  all.have_own_cpus = true;
  EXPECT_TRUE(may_keep_away(all));
  // Such a strand may wait for what its worker does not do meanwhile.
  all.blocked.store(1);
  EXPECT_FALSE(may_keep_away(all));
  all.blocked.store(0);
  EXPECT_TRUE(may_keep_away(all));
  all.chosen.steals_always = true;
  EXPECT_FALSE(may_keep_away(all));
  all.chosen.steals_always = false;
  all.have_own_cpus = false;
  EXPECT_FALSE(may_keep_away(all));
}

}  // namespace

// When a thief that finds nothing but what is out of its reach uses force.
#include "scheduler/patience.hpp"

#include <gtest/gtest.h>

namespace {

using namespace nopal::internal;

constexpr std::uint64_t price = 50'000;

TEST(patience, waits_for_as_long_as_force_costs) {
  patience spent{true, 0, 0};
  for (int look = 0; look < 1000; ++look) {
    ASSERT_FALSE(is_worth_force(spent, 7'000 + static_cast<std::uint64_t>(look), price)) << look;
  }
  EXPECT_FALSE(is_worth_force(spent, 7'000 + price - 1, price));
  EXPECT_TRUE(is_worth_force(spent, 7'000 + price, price));
}

TEST(patience, begins_anew_once_force_was_used) {
  patience spent{true, 0, 0};
  for (int look = 0; look < looks_before_force - 1; ++look) ASSERT_FALSE(is_worth_force(spent, 0, price));
  ASSERT_TRUE(is_worth_force(spent, price, price));
  for (int look = 0; look < looks_before_force; ++look) ASSERT_FALSE(is_worth_force(spent, 2 * price, price));
  EXPECT_TRUE(is_worth_force(spent, 3 * price, price));
}

TEST(patience, looks_some_times_however_cheap_force_is) {
  for (const bool by_time : {true, false}) {
    patience spent{by_time, 0, 0};
    for (int look = 1; look < looks_before_force; ++look) {
      ASSERT_FALSE(is_worth_force(spent, static_cast<std::uint64_t>(look) * price, 0)) << look;
    }
    EXPECT_TRUE(is_worth_force(spent, looks_before_force * price, 0));
  }
}

TEST(patience, counts_the_looks_alone_where_they_are_few) {
  patience spent{};
  for (int look = 1; look < looks_before_force; ++look) ASSERT_FALSE(is_worth_force(spent, 0, price)) << look;
  EXPECT_TRUE(is_worth_force(spent, 0, price));
}

/// The thief stole, and comes back after `ticks`.
std::uint64_t steal(restraint& shy, std::uint64_t ticks) {
  shy.stole_at = 1'000'000;
  return keeps_away_for(shy, shy.stole_at + ticks);
}

TEST(restraint, grows_with_little_strands) {
  restraint shy{};
  std::uint64_t last = 0;
  for (const std::uint64_t expected : {0, 0, 4000, 8000, 16000, 32000, 64000, 64000, 64000}) {
    last = steal(shy, 500);
    EXPECT_EQ(last, expected);
  }
}

TEST(restraint, ends_with_a_few_larger_ones) {
  restraint shy{};
  for (int i = 0; i < 1000; ++i) steal(shy, 500);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(steal(shy, 50'000), 0U);
  EXPECT_EQ(steal(shy, 500), 0U);
}

TEST(restraint, is_asked_of_steals_alone) {
  restraint shy{};
  for (int i = 0; i < 1000; ++i) steal(shy, 500);
  EXPECT_EQ(keeps_away_for(shy, 1'000'000), 0U) << "it came back from elsewhere";
}

}  // namespace

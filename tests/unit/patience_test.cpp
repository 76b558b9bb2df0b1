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

}  // namespace

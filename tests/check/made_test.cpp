// The race detector's tables of accesses that the running segment has made: none is found in another segment, also where
// marks come again.
#include "made.hpp"

#include <gtest/gtest.h>

namespace [[gnu::visibility("hidden")]] nopal_check {
NOPAL_CHECK_THREAD_LOCAL thread self;
bool has_threads;
}  // namespace nopal_check

namespace {

using namespace nopal_check;

constexpr address some = 0x7fff12345678;

/// Each test begins with one thread, and without a known access.
class made : public testing::Test {
protected:
  void SetUp() override {
    has_threads = false;
    self.lock_set = 0;
    empty_made();
  }
};

TEST_F(made, is_found_until_the_segment_ends) {
  EXPECT_FALSE((is_made<how::read, 8>(some)));
  keep_made<how::read, 8>(some);
  EXPECT_TRUE((is_made<how::read, 8>(some)));
  forget_made();
  EXPECT_FALSE((is_made<how::read, 8>(some)));
}

TEST_F(made, is_of_one_kind_size_and_address) {
  keep_made<how::read, 4>(some);
  EXPECT_FALSE((is_made<how::write, 4>(some)));
  EXPECT_FALSE((is_made<how::read, 8>(some)));
  EXPECT_FALSE((is_made<how::read, 4>(some + 1)));
  EXPECT_FALSE((is_made<how::read, 4>(some + 4 * made_slots)));
  keep_made<how::read, 8>(some);
  EXPECT_FALSE((is_made<how::read, 8>(some + 8 * made_slots_of_8)));
}

TEST_F(made, is_not_found_where_marks_come_again) {
  constexpr int more_than_all_marks = 1 << 18;
  keep_made<how::write, 8>(some);
  for (int i = 0; i < more_than_all_marks; ++i) {
    forget_made();
    ASSERT_NE(made_mark, no_mark);
    ASSERT_FALSE((is_made<how::write, 8>(some))) << "after " << i;
  }
  keep_made<how::write, 8>(some);
  EXPECT_TRUE((is_made<how::write, 8>(some)));
}

TEST_F(made, knows_nothing_of_what_locks_guard) {
  keep_made<how::write, 8>(some);
  self.lock_set = 1;
  forget_made();
  EXPECT_EQ(made_mark, no_mark);
  EXPECT_FALSE((is_made<how::write, 8>(some)));
  self.lock_set = 0;
  forget_made();
  EXPECT_NE(made_mark, no_mark);
  EXPECT_FALSE((is_made<how::write, 8>(some)));
}

TEST_F(made, knows_nothing_where_there_are_threads) {
  keep_made<how::write, 8>(some);
  has_threads = true;
  forget_made();
  EXPECT_EQ(made_mark, no_mark);
  EXPECT_FALSE((is_made<how::write, 8>(some)));
}

}  // namespace

// When the next region is expected, from when those before it were.
#include "scheduler/rhythm.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "scheduler/short_regions.hpp"

namespace {

using namespace nopal::internal;

constexpr std::uint64_t length = 100'000;

/// A root whose regions come at times of its own choice, in ticks.
class root {
public:
  root() : self_(std::make_unique<worker>()) {
    self_->native.native_owner = self_.get();
    set(self_->deque.strand.stack, &self_->native);
  }

  void region_after(std::uint64_t gap) {
    now_ += gap;
    begin_region(self_.get(), &frame_, now_);
    expected_at_begin_ = self_->regions.expected.load();
    now_ += length;
    self_->regions.scope = nullptr;
    note_end(self_.get(), now_);
  }
  void regions_after(std::uint64_t gap, int times) {
    for (int i = 0; i != times; ++i) region_after(gap);
  }
  /// From the end of the last region; 0: it is not known.
  [[nodiscard]] std::uint64_t expected_after() const {
    const std::uint64_t expected = self_->regions.expected.load();
    return expected == 0 ? 0 : expected - now_;
  }
  [[nodiscard]] std::uint64_t leeway() const { return self_->regions.leeway.load(); }
  [[nodiscard]] std::uint64_t expected_at_begin() const { return expected_at_begin_; }

private:
  std::unique_ptr<worker> self_;
  nopal_frame frame_{};
  std::uint64_t now_ = 1'000'000'000;
  std::uint64_t expected_at_begin_ = 1;
};

TEST(rhythm, of_regular_regions_is_known_after_some) {
  root one;
  one.regions_after(5'000'000, 3);
  EXPECT_EQ(one.expected_after(), 0U);
  one.regions_after(5'000'000, 10);
  EXPECT_EQ(one.expected_after(), 5'000'000U);
  EXPECT_LE(2 * one.leeway(), 5'000'000U / 20);
  one.region_after(5'000'000);
  EXPECT_EQ(one.expected_at_begin(), 0U);  // it is there
}

TEST(rhythm, follows_the_mean) {
  root one;
  for (int i = 0; i != 100; ++i) one.region_after(i % 2 == 0 ? 4'990'000 : 5'010'000);
  EXPECT_NEAR(static_cast<double>(one.expected_after()), 5'000'000, 20'000);
  EXPECT_GT(one.leeway(), 10'000U);
}

TEST(rhythm, needs_regular_regions) {
  root one;
  for (int i = 0; i != 100; ++i) {
    one.region_after(i % 3 == 0 ? 3'000'000 : 9'000'000);
    EXPECT_EQ(one.expected_after(), 0U);
  }
}

TEST(rhythm, uses_no_more_than_a_twentieth) {
  root one;
  for (int i = 0; i != 100; ++i) {
    one.region_after(i % 2 == 0 ? 4'600'000 : 5'400'000);
    EXPECT_EQ(one.expected_after(), 0U);  // nobody could wait for so long
  }
  root quick;
  quick.regions_after(300'000, 100);
  EXPECT_EQ(quick.expected_after(), 0U);
}

TEST(rhythm, ends_with_the_second_pause_in_a_row) {
  root one;
  one.regions_after(5'000'000, 20);
  one.region_after(200'000'000);
  one.region_after(5'000'000);
  EXPECT_NE(one.expected_after(), 0U);
  one.regions_after(200'000'000, 2);
  one.region_after(5'000'000);
  EXPECT_EQ(one.expected_after(), 0U);
}

TEST(rhythm, is_that_of_bursts) {
  root one;
  for (int i = 0; i != 20; ++i) {
    one.region_after(5'000'000);
    one.regions_after(50, 7);
  }
  EXPECT_EQ(one.expected_after(), 5'000'000U);
}

}  // namespace

// What is remembered of regions that were taken for short ones.
#include "scheduler/short_regions.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace {

using namespace nopal::internal;

/// A root of which one place forks.
class root {
public:
  root() : all_(std::make_unique<runtime>()), self_(std::make_unique<worker>()) {
    self_->native.native_owner = self_.get();
    set(self_->deque.strand.stack, &self_->native);
    frame_.resume_address = this;
    all_->ticks_worth_a_wake.store(~std::uint64_t{0} >> 1, std::memory_order_relaxed);
  }

  /// Whether the first push of a region wakes nobody yet. The region is over then.
  bool is_late() {
    const bool late = wakes_later(*all_, self_.get(), &frame_);
    end_region(self_.get(), &frame_);
    return late;
  }
  int at_once_until_late() {
    int count = 0;
    while (!is_late()) ++count;
    return count;
  }
  void be_surprised() { note_guess(time_of(self_.get(), this), false); }
  [[nodiscard]] std::uint32_t surprises() { return time_of(self_.get(), this).surprises; }

private:
  std::unique_ptr<runtime> all_;
  std::unique_ptr<worker> self_;
  nopal_frame frame_{};
};

TEST(short_regions, are_late_from_the_second_on) {
  root one;
  EXPECT_FALSE(one.is_late());
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(one.is_late());
}

TEST(short_regions, wake_at_once_for_four_times_as_many_after_each_that_was_long) {
  root one;
  one.at_once_until_late();
  for (const int expected : {4, 15, 62, 250, 1000, 4000, 4096, 4096}) {
    one.be_surprised();
    const int count = one.at_once_until_late();
    EXPECT_GE(count, expected - expected / 8);
    EXPECT_LE(count, expected + expected / 8);
  }
}

TEST(short_regions, are_trusted_again_after_many_that_were_short) {
  root one;
  one.at_once_until_late();
  one.be_surprised();
  one.at_once_until_late();
  while (one.surprises() != 0) EXPECT_TRUE(one.is_late());
  one.be_surprised();
  EXPECT_EQ(one.at_once_until_late(), 4);
}

constexpr nopal_frame frames_of_one_stack[3]{};

// The first is the innermost frame. A region from the second one took `took` and ended `pause` ago.
bool is_next_part_of_second(const nopal_frame* frame, std::uint64_t took, std::uint64_t pause) {
  static constexpr std::uint64_t worth = 200'000;
  region_times regions{};
  regions.outermost = frames_of_one_stack + 1;
  regions.began = 1'000'000;
  regions.ended = regions.began + took;
  return is_next_part(regions, frame, regions.ended + pause, worth);
}

TEST(short_regions, go_on_in_calls_of_the_continuation) {
  EXPECT_TRUE(is_next_part_of_second(frames_of_one_stack, 50'000, 40'000));
  EXPECT_TRUE(is_next_part_of_second(frames_of_one_stack, 50, 500)) << "slow pushes take as long";
}

TEST(short_regions, end_where_the_same_or_an_outer_call_forks) {
  EXPECT_FALSE(is_next_part_of_second(frames_of_one_stack + 1, 50'000, 500));
  EXPECT_FALSE(is_next_part_of_second(frames_of_one_stack + 2, 50'000, 500));
}

TEST(short_regions, end_with_a_pause) {
  EXPECT_FALSE(is_next_part_of_second(frames_of_one_stack, 500'000, 200'000));
}

TEST(short_regions, between_which_more_is_serial_than_parallel_are_several) {
  EXPECT_FALSE(is_next_part_of_second(frames_of_one_stack, 10'000, 15'000));
}

/// Pushes onto one to nine entries, `ticks` apart; returns how many looked.
int looks(region_times& regions, std::uint64_t& now, int pushes, std::uint64_t ticks) {
  int count = 0;
  for (int i = 0; i < pushes; ++i, now += ticks) {
    if (i % 9 + 1 < regions.looking_entries) {
      note_look(regions, now);
      ++count;
    }
  }
  return count;
}

TEST(short_regions, look_at_the_clock_in_few_of_thousands_of_pushes) {
  region_times regions{};
  regions.looking_entries = 3;
  std::uint64_t now = 1'000'000;
  EXPECT_LT(looks(regions, now, 10'000, 50), 10'000 * 50 / 6000 + 10);
}

TEST(short_regions, look_in_most_pushes_that_are_far_apart) {
  region_times regions{};
  regions.looking_entries = 3;
  std::uint64_t now = 1'000'000;
  looks(regions, now, 100, 50'000);
  EXPECT_EQ(looks(regions, now, 90, 50'000), 40) << "those onto four entries or fewer";
}

TEST(short_regions, that_pushed_a_lot_look_oftener_again_once_they_are_slow) {
  region_times regions{};
  regions.looking_entries = 3;
  std::uint64_t now = 1'000'000;
  looks(regions, now, 10'000, 50);
  ASSERT_EQ(regions.looking_entries, 1);
  note_look(regions, now);  // onto no entry
  looks(regions, now, 100, 50'000);
  EXPECT_EQ(regions.looking_entries, 5);
}

}  // namespace

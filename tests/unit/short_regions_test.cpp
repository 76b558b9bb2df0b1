// What is remembered of regions that were taken for short ones.
#include "scheduler/short_regions.hpp"

#include <gtest/gtest.h>

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

}  // namespace

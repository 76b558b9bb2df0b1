// When a thread leaves tasks of another one alone for a while.
#include "scheduler/task_pace.hpp"

#include <gtest/gtest.h>

namespace {

using namespace nopal::internal;

/// A list of another thread, and what this one knows.
struct task_pace_of_a_list : testing::Test {
  task_list list;
  task_pace pace;

  void have(std::uint32_t tasks) { list.count = tasks; }
  void take_one_that_took(std::uint64_t ns) {
    note_taken(pace, list);
    pace.took_ns = ns;
  }
};

TEST_F(task_pace_of_a_list, takes_one_of_several_at_once) {
  have(2);
  EXPECT_FALSE(looks_before_take(pace, list));
}

TEST_F(task_pace_of_a_list, looks_before_it_takes_the_last_one) {
  have(1);
  EXPECT_TRUE(looks_before_take(pace, list));
}

TEST_F(task_pace_of_a_list, looks_after_a_short_one_whose_owner_went_on) {
  have(100);
  take_one_that_took(long_task_ns - 1);
  note_change(list);
  EXPECT_TRUE(looks_before_take(pace, list));
}

TEST_F(task_pace_of_a_list, takes_another_after_a_long_one) {
  have(100);
  take_one_that_took(long_task_ns);
  note_change(list);
  EXPECT_FALSE(looks_before_take(pace, list));
  have(1);
  EXPECT_TRUE(looks_before_take(pace, list));
}

TEST_F(task_pace_of_a_list, takes_all_at_once_that_their_owner_leaves_alone) {
  take_one_that_took(moment_ns);
  for (const std::uint32_t tasks : {100U, 1U}) {
    have(tasks);
    EXPECT_FALSE(looks_before_take(pace, list));
  }
}

TEST_F(task_pace_of_a_list, takes_without_a_pause_what_nobody_is_at) {
  have(1);
  pace.pause_ns = longest_pause_ns;
  keep_pace(pace, list);
  EXPECT_EQ(pace.pause_ns, 0U);
}

TEST_F(task_pace_of_a_list, pauses_longer_each_time_up_to_a_limit) {
  std::uint64_t before = 0;
  while (pace.pause_ns < longest_pause_ns) {
    pace.pause_ns = next_pause(pace);
    ASSERT_GT(pace.pause_ns, before);
    before = pace.pause_ns;
  }
  EXPECT_EQ(next_pause(pace), before);
}

}  // namespace

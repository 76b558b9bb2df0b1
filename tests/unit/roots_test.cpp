// Who may run whose strands: what a pass over workers knows of them, and what a wait's looks for strands start from.
#include <gtest/gtest.h>

#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "support/strands.hpp"

namespace {

/// A thread that waits for a group, beside one whose nested worker runs tasks of this group and of another.
class root_of_tasks : public testing::Test {
public:
  root_of_tasks() {
    root_.outer = &thread_;
    nopal::internal::set_if_changed(root_.deque.setting.root, &root_);
    waits_.waits_for = &waited_;
  }

  void begin(nopal_task_group& group) {
    nopal_task task{};
    task.group = &group;
    nopal::internal::begin_task_root(&root_, &task);
  }

protected:
  nopal_task_group waited_{};
  nopal_task_group other_{};
  nopal::internal::worker waits_{};
  nopal::internal::worker thread_{};
  nopal::internal::worker root_{};
  nopal::internal::known_roots known_{};
};

TEST_F(root_of_tasks, is_known_for_one_task_alone) {
  begin(other_);
  EXPECT_FALSE(nopal::internal::may_run(&waits_, &root_, known_));
  EXPECT_FALSE(nopal::internal::may_take(&waits_, &root_, known_));
  nopal::internal::end_task_root(&root_);
  begin(waited_);
  EXPECT_TRUE(nopal::internal::may_run(&waits_, &root_, known_));
  EXPECT_TRUE(nopal::internal::may_take(&waits_, &root_, known_));
  nopal::internal::end_task_root(&root_);
  begin(other_);
  EXPECT_FALSE(nopal::internal::may_take(&waits_, &root_, known_));
  EXPECT_FALSE(nopal::internal::may_run(&waits_, &root_, known_));
}

TEST_F(root_of_tasks, is_not_known_between_two_of_them) {
  begin(waited_);
  root_.task_number = root_.task_number + 1;  // the first step of its end
  nopal::internal::may_run(&waits_, &root_, known_);
  EXPECT_EQ(known_.roots[0], nullptr);
  EXPECT_EQ(known_.roots[1], nullptr);
  nopal::internal::end_task_root(&root_);
  begin(other_);
  EXPECT_FALSE(nopal::internal::may_take(&waits_, &root_, known_));
}

// Strands of the pool's workers are of no root before these have run any.
TEST_F(root_of_tasks, which_is_none_is_for_the_pool) {
  EXPECT_FALSE(nopal::internal::may_run(&waits_, nullptr, known_));
  EXPECT_FALSE(nopal::internal::may_take(&waits_, nullptr, known_));
  thread_.of_pool = true;
  EXPECT_TRUE(nopal::internal::may_run(&thread_, nullptr, known_));
}

/// At a worker whose thread has ended: it and what is nested in it are not looked at.
TEST(looks_of_a_wait, begin_anew_where_a_thread_has_ended) {
  NOPAL_CHECK(support::fib(5) == 5);
  nopal::internal::worker gone{};
  gone.nested = &gone;
  nopal::internal::strand_search search{};
  search.next = &gone;
  EXPECT_FALSE(nopal::internal::call_scheduler(nopal::internal::this_worker(), search));
  EXPECT_EQ(search.next, nullptr);
}

}  // namespace

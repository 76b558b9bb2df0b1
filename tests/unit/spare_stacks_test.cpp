// The stack that a worker has at hand, on a machine with two memory nodes that a test describes in files.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_root.hpp"
#include "os/os.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/stolen.hpp"

namespace {

using nopal::reclaim;
using nopal::reclaim_call;
using nopal::internal::stack_pool;
using nopal::internal::the_runtime;

constexpr int stacks_of_a_node = 256;
constexpr int here = 0;
constexpr int elsewhere = 1;

/// All CPUs of this process are of the first node; the second has one that nobody runs on.
class spare_stacks : public testing::Test {
protected:
  void SetUp() override {
    constexpr int other_cpu = 1023;
    std::vector<int> cpus = nopal::internal::os::current_affinity();
    ASSERT_FALSE(cpus.empty());
    ASSERT_LT(cpus.back(), other_cpu);
    fake_root root;
    root.write("/sys/devices/system/node/online", "0-1\n");
    root.write("/sys/devices/system/node/node0/cpulist", "0-" + std::to_string(cpus.back()) + "\n");
    root.write("/sys/devices/system/node/node1/cpulist", std::to_string(other_cpu) + "\n");
    cpus.push_back(other_cpu);
    machine_ = nopal::internal::os::read_topology(cpus, root.path());
    ASSERT_EQ(machine_.nodes, 2);
    the_runtime().topology = &machine_;
    ASSERT_TRUE(stacks_.start({16 << 10, 2, reclaim::lazy, reclaim_call::dontneed, machine_.nodes}));
    self_ = nopal::internal::make_worker();
    ASSERT_NE(self_, nullptr);
  }

  void TearDown() override {
    nopal::internal::free_worker(self_);
    stacks_.stop();
    the_runtime().topology = nullptr;
  }

  [[nodiscard]] std::vector<nopal_stack*> take(int count, int node) const {
    std::vector<nopal_stack*> taken;
    for (int i = 0; i < count; ++i) taken.push_back(stacks_.take(nullptr, node));
    return taken;
  }

  stack_pool& stacks_ = the_runtime().stacks;
  nopal::internal::os::topology machine_;
  nopal::internal::worker* self_ = nullptr;
};

TEST_F(spare_stacks, are_of_the_node_that_the_thread_is_on) {
  ASSERT_TRUE(have_stack(self_));
  EXPECT_EQ(stacks_.node_of(self_->spare), here);
  EXPECT_TRUE(nopal::internal::is_near(self_->spare));
}

TEST_F(spare_stacks, are_not_there_once_the_runtime_has_stopped) {
  stacks_.stop();
  the_runtime().topology = nullptr;
  EXPECT_FALSE(have_stack(self_));
}

TEST_F(spare_stacks, are_kept_if_they_are_of_the_node) {
  nopal_stack* const near = stacks_.take(nullptr, here);
  nopal_stack* const far = stacks_.take(nullptr, elsewhere);
  return_stack(self_, far);
  EXPECT_EQ(self_->spare, nullptr);
  return_stack(self_, near);
  EXPECT_EQ(self_->spare, near);
  EXPECT_EQ(stacks_.take(nullptr, elsewhere), far);
}

TEST_F(spare_stacks, of_another_node_are_changed_at_a_steal) {
  nopal_stack* const first = stacks_.take(nullptr, here);
  nopal_stack* const far = stacks_.take(nullptr, elsewhere);
  self_->spare = far;
  nopal_stack* const taken = stack_below(self_, first->low);
  EXPECT_EQ(stacks_.node_of(taken), here);
  EXPECT_LE(taken->high, first->low);
  EXPECT_EQ(self_->spare, nullptr);
  EXPECT_EQ(stacks_.take(nullptr, elsewhere), far);  // it went back
}

TEST_F(spare_stacks, of_the_node_are_used_at_a_steal) {
  nopal_stack* const first = stacks_.take(nullptr, here);
  nopal_stack* const near = stacks_.take(nullptr, here);
  self_->spare = near;
  EXPECT_EQ(stack_below(self_, first->low), near);
}

TEST_F(spare_stacks, of_another_node_are_used_where_the_own_ones_are_out) {
  nopal_stack* const far = stacks_.take(nullptr, elsewhere);
  const std::vector<nopal_stack*> near = take(stacks_of_a_node, here);
  nopal_stack* const next = stacks_.take(nullptr, elsewhere);
  stacks_.give(next);
  self_->spare = far;
  EXPECT_EQ(stack_below(self_, near.front()->low), far);
  EXPECT_EQ(stacks_.take(nullptr, elsewhere), next);
}

// The order of stacks comes first, also where no more regions are mapped for its sake.
TEST_F(spare_stacks, of_another_node_are_used_where_the_own_ones_are_above) {
  constexpr int regions_for_order = 4;
  const std::vector<nopal_stack*> near = take(regions_for_order * stacks_of_a_node, here);
  const std::vector<nopal_stack*> far = take(regions_for_order * stacks_of_a_node, elsewhere);
  stacks_.give(near.front());
  self_->spare = far[2];
  EXPECT_EQ(stack_below(self_, near[1]->low), far[2]);
  EXPECT_EQ(stacks_.take(nullptr, here), near.front());
}

}  // namespace

// The pool of stacks where there are several memory nodes: each has stacks of its own, and takes others'
// only where those are out.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "stack/pool.hpp"

namespace {

using nopal::reclaim;
using nopal::reclaim_call;
using nopal::internal::stack_pool;

constexpr std::size_t stack_bytes = 16 << 10;
/// For each node as many as there are without nodes.
constexpr int stacks_of_a_node = 256;

std::unique_ptr<stack_pool> started_with(int nodes, int workers = 2) {
  auto pool = std::make_unique<stack_pool>();
  EXPECT_TRUE(pool->start({stack_bytes, workers, reclaim::never, reclaim_call::dontneed, nodes}));
  return pool;
}

std::vector<nopal_stack*> take(stack_pool& pool, int count, int node) {
  std::vector<nopal_stack*> taken;
  for (int i = 0; i < count; ++i) taken.push_back(pool.take(nullptr, node));
  return taken;
}

bool all_are_of(const stack_pool& pool, const std::vector<nopal_stack*>& stacks, int node) {
  return std::all_of(stacks.begin(), stacks.end(),
                     [&](nopal_stack* one) { return one != nullptr && pool.node_of(one) == node; });
}

class pool_nodes : public testing::TestWithParam<int> {};

TEST_P(pool_nodes, give_each_taker_stacks_of_its_own) {
  const int nodes = GetParam();
  const auto pool = started_with(nodes);
  std::set<nopal_stack*> all;
  for (int round = 0; round < 4; ++round) {
    for (int node = 0; node < nodes; ++node) {
      const std::vector<nopal_stack*> taken = take(*pool, 5, node);
      EXPECT_TRUE(all_are_of(*pool, taken, node)) << node;
      all.insert(taken.begin(), taken.end());
    }
  }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(20 * nodes));
  pool->stop();
}

TEST_P(pool_nodes, give_the_same_stack_again_to_the_node_that_had_it) {
  const int nodes = GetParam();
  const auto pool = started_with(nodes);
  std::vector<nopal_stack*> first;
  for (int node = 0; node < nodes; ++node) first.push_back(pool->take(nullptr, node));
  for (nopal_stack* const stack : first) pool->give(stack);
  for (int node = nodes - 1; node >= 0; --node) {
    EXPECT_EQ(pool->take(nullptr, node), first[static_cast<std::size_t>(node)]) << node;
  }
  EXPECT_EQ(pool->measure().mapped, static_cast<std::uint64_t>(nodes));
  pool->stop();
}

TEST_P(pool_nodes, have_high_stacks_alike) {
  const int nodes = GetParam();
  constexpr int workers = 16;
  constexpr int words = 8 * workers / 64;
  const auto pool = started_with(nodes, workers);
  for (int node = 0; node < nodes; ++node) {
    const std::vector<nopal_stack*> taken = take(*pool, 8 * workers, node);
    const auto high =
        std::count_if(taken.begin(), taken.end(), [&](nopal_stack* one) { return pool->is_high(one); });
    // Where the nodes do not divide a word of 64 the first ones have one more of each word.
    EXPECT_GE(high, words * (64 / nodes)) << node;
    EXPECT_LE(high, words * ((64 + nodes - 1) / nodes)) << node;
    EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
  }
  pool->stop();
}

INSTANTIATE_TEST_SUITE_P(several, pool_nodes, testing::Values(1, 2, 3, 8, 64),
                         testing::PrintToStringParamName());

TEST(pool_of_two_nodes, gives_the_highest_stack_of_the_node_below_an_address) {
  const auto pool = started_with(2);
  const std::vector<nopal_stack*> near = take(*pool, 6, 1);
  const std::vector<nopal_stack*> far = take(*pool, 6, 0);
  for (const std::size_t i : {0U, 3U, 4U}) {
    pool->give(near[i]);
    pool->give(far[i]);
  }
  // Below the third of each, these are in the order from above: far 3, near 3, far 4, near 4.
  const char* const frame = std::min(near[2]->low, far[2]->low);
  EXPECT_EQ(pool->take(frame, 1), near[3]);
  EXPECT_EQ(pool->take(frame, 0), far[3]);
  EXPECT_EQ(pool->take(near[3]->low, 1), near[4]);
  EXPECT_EQ(pool->take(nullptr, 1), near[0]);
  pool->stop();
}

// What is below on another node lets debuggers unwind; what is above on this one does not.
TEST(pool_of_two_nodes, prefers_the_order_of_stacks_to_the_node) {
  const auto pool = started_with(2);
  const std::vector<nopal_stack*> near = take(*pool, stacks_of_a_node, 1);
  EXPECT_TRUE(all_are_of(*pool, near, 1));
  pool->give(near.front());
  nopal_stack* const other = pool->take(near[100]->low, 1);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(pool->node_of(other), 0);
  EXPECT_LE(other->high, near[100]->low);
  EXPECT_EQ(pool->take(nullptr, 1), near.front());
  pool->stop();
}

TEST(pool_of_two_nodes, gives_those_of_the_other_node_where_there_are_no_more) {
  const auto pool = started_with(2);
  const std::vector<nopal_stack*> near = take(*pool, stacks_of_a_node, 0);
  EXPECT_TRUE(all_are_of(*pool, near, 0));
  const std::vector<nopal_stack*> far = take(*pool, stacks_of_a_node, 0);
  EXPECT_TRUE(all_are_of(*pool, far, 1));
  // One that comes back is the node's again.
  pool->give(far.front());
  pool->give(near.back());
  EXPECT_EQ(pool->take(nullptr, 0), near.back());
  EXPECT_EQ(pool->take(nullptr, 0), far.front());
  // Then there is another region, with stacks of both.
  EXPECT_EQ(pool->node_of(pool->take(nullptr, 1)), 1);
  EXPECT_EQ(pool->node_of(pool->take(nullptr, 0)), 0);
  pool->stop();
}

// As a child of fork(2) has them.
TEST(pool_of_two_nodes, puts_stacks_of_no_region_on_the_first) {
  const auto pool = started_with(2);
  const nopal_stack foreign;
  EXPECT_EQ(pool->node_of(&foreign), 0);
  pool->stop();
}

TEST(pool_of_two_nodes, hands_out_every_stack_once) {
  const auto pool = started_with(2);
  std::set<nopal_stack*> all;
  for (int i = 0; i < 3000; ++i) all.insert(pool->take(nullptr, 1));
  EXPECT_EQ(all.size(), 3000U);
  EXPECT_EQ(all.count(nullptr), 0U);
  pool->stop();
}

TEST(pool_of_two_nodes, gives_each_of_threads_at_once_its_own) {
  const auto pool = started_with(2, 4);
  constexpr int rounds = 3000;
  constexpr std::size_t most_held = 40;  // so four threads hold fewer than a node has
  std::atomic<int> shared{0};
  std::atomic<int> far{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, &shared, &far, t] {
      std::minstd_rand random(static_cast<unsigned>(t) + 1);
      std::vector<nopal_stack*> held;
      for (int i = 0; i < rounds; ++i) {
        if (held.size() < most_held && random() % 5 < 3) {
          held.push_back(pool->take(held.empty() ? nullptr : held.back()->low, t % 2));
          held.back()->low[0] = static_cast<char>(t + 1);
          far += pool->node_of(held.back()) != t % 2 ? 1 : 0;
        } else if (!held.empty()) {
          shared += held.back()->low[0] != t + 1 ? 1 : 0;
          pool->give(held.back());
          held.pop_back();
        }
      }
      for (nopal_stack* const stack : held) pool->give(stack);
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(shared.load(), 0);
  EXPECT_EQ(far.load(), 0);
  EXPECT_EQ(pool->measure().most_out <= 4 * most_held, true);
  pool->stop();
}

}  // namespace

// The reclaim policies change what memory the stacks hold, and no answer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <tuple>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

/// Leaves many touched pages below on the stack that it is called on.
[[gnu::noinline]] char touch_pages() {
  volatile char pages[40 * 4096];
  for (std::size_t i = 0; i < sizeof pages; i += 4096) pages[i] = 1;
  return pages[0];
}

/// The values in its frame outlive the suspension of the stack that they lie on.
long suspended_often(int depth) {
  if (depth == 0) return touch_pages();
  long kept[16];
  for (int i = 0; i < 16; ++i) kept[i] = depth + i;
  long below = 0;
  flag went_on{false};
  scope s;
  s.fork_into(below, [&, depth] {
    wait_for_continuation(went_on);
    return suspended_often(depth - 1);
  });
  set(went_on);
  touch_pages();
  s.join();
  for (int i = 0; i < 16; ++i) NOPAL_CHECK(kept[i] == depth + i);
  return below + 1;
}

NOPAL_PROGRAM(suspensions) {
  for (int i = 0; i < 100; ++i) NOPAL_CHECK(suspended_often(10) == 11);
  NOPAL_CHECK(support::fib(20) == 6765);
  support::check_quiet();
  const nopal::statistics now = nopal::stats();
  const std::string policy = std::getenv("NOPAL_RECLAIM");
  NOPAL_CHECK(policy != "never" || now.total.pages_reclaimed == 0);
  NOPAL_CHECK(policy != "eager" || now.workers == 1 || now.total.pages_reclaimed > 0);
  return 0;
}

/// Serial calls and forks in turns: strands come and go on every level.
long bushy(int depth) {
  support::burn(400);
  if (depth == 1) return 1;
  long nodes = 1 + bushy(depth - 1) + bushy(depth - 1);
  long below[3] = {};
  scope s;
  for (long& one : below) s.fork_into(one, bushy, depth - 1);
  s.join();
  for (const long one : below) nodes += one;
  return nodes;
}

NOPAL_PROGRAM(bushy_trees) {
  for (int i = 0; i < 40; ++i) NOPAL_CHECK(bushy(7) == 19531);
  support::check_quiet();
  NOPAL_CHECK(nopal::stats().stacks_mapped <= 64);  // some dozens are ever needed at once
  return 0;
}

// Each steal's stack lies below the stolen frame's if there is one; chains of them must end high again.
TEST(stacks, do_not_wander_down_the_address_space) {
  for (const int workers : {2, 3})
    EXPECT_TRUE(support::succeeds("bushy_trees", support::on_workers(workers)));
}

class reclaim : public testing::TestWithParam<std::tuple<const char*, const char*, int>> {};

TEST_P(reclaim, keeps_what_suspended_strands_hold) {
  const auto& [policy, call, workers] = GetParam();
  EXPECT_TRUE(support::succeeds(
      "suspensions",
      {{"NOPAL_RECLAIM", policy}, {"NOPAL_RECLAIM_WITH", call}, {"NOPAL_WORKERS", std::to_string(workers)}}));
}

std::string name_of(const testing::TestParamInfo<reclaim::ParamType>& info) {
  const auto& [policy, call, workers] = info.param;
  return std::string(policy) + "_" + call + "_" + std::to_string(workers);
}

INSTANTIATE_TEST_SUITE_P(policies, reclaim,
                         testing::Combine(testing::Values("lazy", "eager", "never"),
                                          testing::Values("dontneed", "free"), testing::Values(1, 2, 7)),
                         name_of);

}  // namespace

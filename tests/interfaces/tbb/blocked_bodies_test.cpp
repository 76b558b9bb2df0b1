// Bodies that block until a task is over which they have started, in great number.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/task_group.h>

#include <atomic>

#include "support/strands.hpp"

namespace {

// More bodies than there may be substitutes: threads that took one body after the other would all block at the end.
NOPAL_PROGRAM(bodies_that_block_for_tasks) {
  constexpr int bodies = 4000;
  std::atomic<int> ended{0};
  nopal::parallel_for(0, bodies, [&ended](int) {
    tbb::task_group group;
    std::atomic<bool> is_run{false};
    group.run([&is_run] {
      is_run = true;
      is_run.notify_one();
    });
    nopal::blocking([&is_run] { is_run.wait(false); });
    group.wait();
    ++ended;
  });
  NOPAL_CHECK(ended == bodies);
  return 0;
}

class blocked_bodies : public support::program_at_workers {};

TEST_P(blocked_bodies, end_in_any_number) { EXPECT_TRUE(run("bodies_that_block_for_tasks")); }

INSTANTIATE_TEST_SUITE_P(tbb, blocked_bodies, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

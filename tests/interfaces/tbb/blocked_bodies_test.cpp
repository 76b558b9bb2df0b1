// Bodies that block until a task is over which they have started, in great number.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include <atomic>

#include "support/busy_thieves.hpp"
#include "support/strands.hpp"

namespace {

void block_for_a_task() {
  tbb::task_group group;
  std::atomic<bool> is_run{false};
  group.run([&is_run] {
    is_run = true;
    is_run.notify_one();
  });
  nopal::blocking([&is_run] { is_run.wait(false); });
  group.wait();
}

// More bodies than there may be substitutes: threads that took one body after the other would all block at the end.
NOPAL_PROGRAM(bodies_that_block_for_tasks) {
  constexpr int bodies = 4000;
  std::atomic<int> ended{0};
  nopal::parallel_for(0, bodies, [&ended](int) {
    block_for_a_task();
    ++ended;
  });
  NOPAL_CHECK(ended == bodies);
  return 0;
}

// No worker of the pool takes anything then: the thread of the program, which sleeps at its join, leaves the task to another one.
NOPAL_PROGRAM(blocks_within_a_limit_of_one) {
  for (int round = 0; round < 5; ++round) {
    nopal::scope s;
    s.fork([] {
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      support::flag went_on{false};
      nopal::scope inner;
      inner.fork([&went_on] { nopal::blocking([&went_on] { support::wait_until(went_on); }); });
      support::set(went_on);
      support::sleep_ms(3);  // that thread comes to its join
      block_for_a_task();
      inner.join();
    });
    s.join();
  }
  return 0;
}

class blocked_bodies : public support::program_at_workers {};

TEST_P(blocked_bodies, end_in_any_number) { EXPECT_TRUE(run("bodies_that_block_for_tasks")); }
TEST_P(blocked_bodies, end_within_a_limit_of_one) { EXPECT_TRUE(run("blocks_within_a_limit_of_one")); }

INSTANTIATE_TEST_SUITE_P(tbb, blocked_bodies, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

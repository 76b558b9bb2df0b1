// Waits end whose tasks others start that were started before, also where threads keep their places for their indices.
#include <gtest/gtest.h>

#include <tbb/task_arena.h>

#include <string>

#include "served_waits.hpp"
#include "support/program.hpp"

namespace {

constexpr int waits = 16;

NOPAL_PROGRAM(served_waits) {
  for (int round = 0; round != 10; ++round) NOPAL_CHECK(served_waits::run(waits) == waits);
  return 0;
}
NOPAL_PROGRAM(served_waits_with_indices) {
  NOPAL_CHECK(tbb::this_task_arena::current_thread_index() <= 0);
  for (int round = 0; round != 10; ++round) NOPAL_CHECK(served_waits::run(waits) == waits);
  return 0;
}

class served : public testing::TestWithParam<int> {
protected:
  static void pass(const char* program) {
    EXPECT_TRUE(support::succeeds(program, {{"NOPAL_WORKERS", std::to_string(GetParam())}}));
  }
};

TEST_P(served, waits_end) { pass("served_waits"); }
TEST_P(served, waits_end_where_the_program_has_asked_for_an_index) { pass("served_waits_with_indices"); }

INSTANTIATE_TEST_SUITE_P(at_workers, served, testing::Values(1, 2, 3, 7), testing::PrintToStringParamName());

}  // namespace

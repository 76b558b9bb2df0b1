// Work and span where a thread's first call is not a fork, and of inlets.

#include <gtest/gtest.h>
#include <nopal/nopal.hpp>

#include <cstdint>
#include <cstdlib>

#include "profiled.hpp"

namespace {

INSTANTIATE_TEST_SUITE_P(workers, profiled, testing::Values(1, 2, 4));

TEST_P(profiled, a_thread_may_begin_with_a_cancel_scope) {
  nopal::cancel_scope s;
  s.fork(tree, 3, std::uint64_t{100});
  s.join();
  expect(800, 100);
}

TEST_P(profiled, a_thread_may_begin_with_a_call_in_an_arena) {
  nopal::arena(2).execute([] { tree(3, 100); });
  expect(800, 100);
}

TEST_P(profiled, inlets_are_work_whoever_runs_them) {
  if (GetParam() != 1) {
    setenv("NOPAL_STEAL", "always", 1);
  }
  nopal::cancel_scope s;
  for (int i = 0; i < 10; ++i) {
    s.fork_inlet(
        [](int) {
          tree(1, 5);
          spend(10);
        },
        [] {
          spend(100);
          return 1;
        });
  }
  s.join();
  EXPECT_EQ(whole()["work_ns"], 1200U);
}

}  // namespace

// Pools that start again: their workers are those of before, on other threads.
#include <gtest/gtest.h>

#include <nopal/detail/pinned.h>

#include <nopal/runtime.hpp>

#include "scheduler/worker.hpp"
#include "support/strands.hpp"

namespace {

using nopal::internal::this_worker;

/// In a continuation on a thread of the pool: the scheduler of a call that stays there must use that thread's stack.
void expect_own_scheduler_stack() {
  support::flag stolen{false};
  nopal::scope s;
  s.fork([&stolen] { support::wait_for_continuation(stolen); });
  nopal::internal::worker* const outer = this_worker();
  NOPAL_CHECK(outer->of_pool);
  nopal_pinned call;
  NOPAL_CHECK(nopal_begin_pinned(&call) == 0);
  NOPAL_CHECK(this_worker() != outer);
  NOPAL_CHECK(this_worker()->scheduler_stack_pointer == outer->scheduler_stack_pointer);
  nopal_end_pinned(&call);
  stolen = true;
  s.join();
}

NOPAL_PROGRAM(starts_again_with_other_stacks) {
  // Threads with larger stacks are not given those of earlier threads.
  for (std::size_t size = std::size_t{64} << 10; size <= std::size_t{4} << 20; size *= 4) {
    nopal::configuration with;
    with.workers = 2;
    with.stack_size = size;
    nopal::configure(with);
    expect_own_scheduler_stack();
    nopal::shutdown();
  }
  return 0;
}

TEST(second_lives, run_calls_that_stay_on_the_new_threads_stacks) {
  EXPECT_TRUE(support::succeeds("starts_again_with_other_stacks"));
}

}  // namespace

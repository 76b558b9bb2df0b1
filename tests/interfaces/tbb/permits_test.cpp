// How long a thread that runs what is enqueued keeps its place in an arena.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support/program.hpp"

namespace {

using tbb::nopal_detail::arena_reference;
using tbb::nopal_detail::arena_state;
using tbb::nopal_detail::permit;

constexpr int workers = 2;

arena_reference arena_of(int places, int reserved) {
  return arena_reference::made(new arena_state(places, reserved, 1, -1));
}

// To leave tells those who may want the place, which takes longer than many a call.
NOPAL_PROGRAM(calls_one_after_the_other) {
  const arena_reference arena = arena_of(2, 1);
  permit with;
  bool stays = false;
  for (int tries = 0; tries != 1000 && !stays;
       ++tries) {  // this thread may be interrupted for as long as it may stay
    NOPAL_CHECK(with.enter(arena.get(), workers, false));
    with.end_call();
    stays = with.is_held() && with.is_for(arena.get());
    permit another;
    NOPAL_CHECK(!stays || !another.enter(arena.get(), workers, false));
    with.leave();
  }
  NOPAL_CHECK(stays);
  NOPAL_CHECK(with.enter(arena.get(), workers, false));
  return 0;
}

NOPAL_PROGRAM(calls_for_a_while) {
  const arena_reference arena = arena_of(2, 1);
  permit with;
  NOPAL_CHECK(with.enter(arena.get(), workers, false));
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  with.end_call();
  NOPAL_CHECK(!with.is_held());
  return 0;
}

NOPAL_PROGRAM(a_call_while_somebody_waits) {
  const arena_reference arena = arena_of(1, 0);
  permit with;
  NOPAL_CHECK(with.enter(arena.get(), workers, false));
  std::atomic<bool> is_in{false};
  std::thread other([&] {
    nopal_arena_enter(arena.get()->seats());
    is_in = true;
    nopal_arena_leave(arena.get()->seats());
  });
  while (!arena.get()->is_waited_for()) std::this_thread::yield();
  NOPAL_CHECK(!is_in);
  with.end_call();
  NOPAL_CHECK(!with.is_held());
  other.join();
  NOPAL_CHECK(is_in);
  return 0;
}

// One thread wakes nobody for each of many; all run, in arenas of every size.
NOPAL_PROGRAM(many_calls) {
  for (const int places : {1, 2, 3}) {
    for (int round = 0; round != 20; ++round) {
      tbb::task_arena arena(places);
      tbb::task_arena other(places);
      std::atomic<int> calls{0};
      constexpr int many = 500;
      for (int i = 0; i != many; ++i) {
        (i % 3 == 0 ? other : arena).enqueue([&] { ++calls; });
        tbb::this_task_arena::enqueue([&] { ++calls; });
      }
      while (calls != 2 * many) std::this_thread::yield();
    }
  }
  return 0;
}

class permits : public support::program_at_workers {};

TEST_P(permits, stay_from_call_to_call) { EXPECT_TRUE(run("calls_one_after_the_other")); }
TEST_P(permits, end_after_a_while) { EXPECT_TRUE(run("calls_for_a_while")); }
TEST_P(permits, end_where_somebody_waits) { EXPECT_TRUE(run("a_call_while_somebody_waits")); }
TEST_P(permits, are_left_for_calls_elsewhere) { EXPECT_TRUE(run("many_calls")); }

INSTANTIATE_TEST_SUITE_P(tbb, permits, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

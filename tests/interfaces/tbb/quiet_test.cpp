// What threads do that have nothing to do: nothing.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support/latent.hpp"
#include "support/program.hpp"

namespace {

using namespace std::chrono_literals;

std::atomic<long> positions{0};

/// Bodies that stay on their threads, with loops of their own in them.
void use_all_threads() {
  tbb::parallel_for(0, 200, [](int) {
    tbb::parallel_for(0, 1000, [](int) { ++positions; });
    std::this_thread::sleep_for(100us);
  });
}

NOPAL_PROGRAM(between_calls) {
  for (int round = 0; round < 5; ++round) use_all_threads();
  std::this_thread::sleep_for(50ms);
  const std::uint64_t before = support::signals_sent();
  std::this_thread::sleep_for(400ms);
  // There may be a last question for each.
  NOPAL_CHECK(support::signals_sent() - before <= 2 * static_cast<unsigned>(nopal::workers()));
  return 0;
}

/// How often threads of this process went to sleep so far.
long sleeps() {
  rusage used{};
  NOPAL_CHECK(getrusage(RUSAGE_SELF, &used) == 0);
  return used.ru_nvcsw;
}

NOPAL_PROGRAM(full_arena) {
  constexpr int tasks = 100;
  tbb::task_arena two(2);
  std::atomic<int> calls{0};
  std::atomic<bool> released{false};
  two.execute([&] {
    two.enqueue([&] {
      while (!released) std::this_thread::sleep_for(5ms);
    });
    for (int i = 0; i < tasks; ++i) {
      two.enqueue([&] { ++calls; });
    }
    std::this_thread::sleep_for(50ms);  // they are all there
    const long before = sleeps();
    std::this_thread::sleep_for(200ms);
    // One thread looks every millisecond.
    NOPAL_CHECK(calls == 0 && sleeps() - before < 1000);
  });
  released = true;
  while (calls != tasks) std::this_thread::sleep_for(1ms);
  return 0;
}

class quiet : public support::program_at_workers {};

TEST_P(quiet, threads_between_calls_are_not_asked_for_forks) { EXPECT_TRUE(run("between_calls")); }
TEST_P(quiet, threads_of_a_full_arena_do_not_all_look_for_room) { EXPECT_TRUE(run("full_arena")); }

INSTANTIATE_TEST_SUITE_P(tbb, quiet, testing::Values(1, 7, 50), testing::PrintToStringParamName());

}  // namespace

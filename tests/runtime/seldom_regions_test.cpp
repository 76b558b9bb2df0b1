// Short regions that come seldom: whom they wake, and how long somebody looks up for the next one.
#include <gtest/gtest.h>

#include <nopal/nopal.hpp>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "support/strands.hpp"

namespace {

using namespace std::chrono_literals;

/// Two parts, of no more than a microsecond, one after some quiet of no regular length.
void region_after_quiet(int round) {
  std::this_thread::sleep_for(25ms + (round * 7 % 20) * 1ms);
  int one = 0;
  int other = 0;
  nopal::scope s;
  s.fork([&one] { ++one; });
  ++other;
  s.join();
  NOPAL_CHECK(one == 1 && other == 1);
}

/// How often threads of this process went to sleep so far.
long sleeps() {
  rusage used{};
  NOPAL_CHECK(getrusage(RUSAGE_SELF, &used) == 0);
  return used.ru_nvcsw;
}

NOPAL_PROGRAM(seldom_regions) {
  support::use_runtime();
  for (int round = 0; round < 20; ++round) region_after_quiet(round);
  const std::uint64_t before = nopal::stats().total.wakes;
  constexpr int regions = 40;
  for (int round = 0; round < regions; ++round) region_after_quiet(round);
  // A thread that loses its processor in one of them makes it a long one, and the next four wake, too. 16 to 18 did when nobody
  // looked up for longer than 31 ms.
  NOPAL_CHECK(nopal::stats().total.wakes - before < regions / 4);
  return 0;
}

NOPAL_PROGRAM(no_more_regions) {
  support::use_runtime();
  for (int round = 0; round < 20; ++round) region_after_quiet(round);
  std::this_thread::sleep_for(5s);
  const long before = sleeps();
  std::this_thread::sleep_for(400ms);
  NOPAL_CHECK(sleeps() - before < 10);  // at 16 ms each there were 25
  return 0;
}

class seldom_regions : public support::program_at_workers {};

TEST_P(seldom_regions, that_are_short_wake_nobody) { EXPECT_TRUE(run("seldom_regions")); }
TEST_P(seldom_regions, are_looked_for_as_long_as_they_come) { EXPECT_TRUE(run("no_more_regions")); }

INSTANTIATE_TEST_SUITE_P(runtime, seldom_regions, testing::Values(2, 7), testing::PrintToStringParamName());

}  // namespace

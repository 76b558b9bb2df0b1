// Indices in random nests of loops, groups and arenas: in an arena no two threads have one at once, each is below the limit, and
// a body keeps its own.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "support/program.hpp"
#include "support/strands.hpp"

#define INDICES_CHECK(what) NOPAL_CHECK(what)
#include "random_indices.hpp"

namespace {

using ::random_indices::run_for_a_while;

constexpr int milliseconds = support::watched ? 3000 : 1000;

NOPAL_PROGRAM(random_indices) {
  run_for_a_while(false, milliseconds);
  return 0;
}
NOPAL_PROGRAM(random_indices_of_more_threads) {
  run_for_a_while(true, milliseconds);
  return 0;
}

/// NESTS_SEED repeats what the failure prints.
class random_indices : public testing::TestWithParam<int> {
protected:
  static void pass(const char* program, support::environment with = {}) {
    const char* const chosen = std::getenv("NESTS_SEED");
    const std::string seed =
        chosen != nullptr ? chosen
                          : std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    with.emplace_back("NOPAL_WORKERS", std::to_string(GetParam()));
    with.emplace_back("NESTS_SEED", seed);
    EXPECT_TRUE(support::succeeds(program, with)) << "NESTS_SEED=" << seed;
  }
};

TEST_P(random_indices, are_one_for_each_thread_in_an_arena) { pass("random_indices"); }
TEST_P(random_indices, are_one_for_each_thread_where_more_than_the_usual_number_are_asked_for) {
  pass("random_indices_of_more_threads");
}

INSTANTIATE_TEST_SUITE_P(at_workers, random_indices, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace

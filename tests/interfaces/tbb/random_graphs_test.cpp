// Random flow graphs, whose bodies run loops, groups, arenas and graphs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "support/program.hpp"
#include "support/strands.hpp"

#define GRAPHS_CHECK(what) NOPAL_CHECK(what)
#include "random_graphs.hpp"

namespace {

NOPAL_PROGRAM(random_graphs) {
  ::random_graphs::run_for_a_while(std::strtoull(std::getenv("NESTS_SEED"), nullptr, 10),
                                   support::watched ? 3000 : 1000);
  return 0;
}

/// NESTS_SEED repeats what the failure prints.
class random_graphs : public testing::TestWithParam<int> {};

TEST_P(random_graphs, give_what_a_serial_walk_gives) {
  const char* const chosen = std::getenv("NESTS_SEED");
  const std::string seed = chosen != nullptr
                               ? chosen
                               : std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  EXPECT_TRUE(support::succeeds("random_graphs",
                                {{"NOPAL_WORKERS", std::to_string(GetParam())}, {"NESTS_SEED", seed}}))
      << "NESTS_SEED=" << seed;
}

INSTANTIATE_TEST_SUITE_P(at_workers, random_graphs, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace

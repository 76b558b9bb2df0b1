// Random flow graphs, whose bodies run loops, groups, arenas and graphs.
#include "seeded_nests.hpp"

#define GRAPHS_CHECK(what) NOPAL_CHECK(what)
#include "random_graphs.hpp"

namespace {

NOPAL_PROGRAM(random_graphs) {
  random_graphs::run_for_a_while(support::seed_given_in("NESTS_SEED"), milliseconds_of_nests);
  return 0;
}

class flow_graphs : public seeded_nests {};

TEST_P(flow_graphs, give_what_a_serial_walk_gives) { pass("random_graphs"); }

INSTANTIATE_TEST_SUITE_P(random, flow_graphs, testing::Values(1, 2, 3, 7), testing::PrintToStringParamName());

}  // namespace

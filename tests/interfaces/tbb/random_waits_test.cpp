// Random waits for what others start: in groups, graphs and loops, in arenas and outside.
#include "seeded_nests.hpp"

#define WAITS_CHECK(what) NOPAL_CHECK(what)
#include "random_waits.hpp"

namespace {

NOPAL_PROGRAM(random_waits) {
  random_waits::run_for_a_while(support::seed_given_in("NESTS_SEED"), milliseconds_of_nests);
  return 0;
}

class waits_for_others : public seeded_nests {};

TEST_P(waits_for_others, end) { pass("random_waits"); }

INSTANTIATE_TEST_SUITE_P(random, waits_for_others, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace

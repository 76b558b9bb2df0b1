// Bodies that throw and cancel in random nests of loops, groups, pipelines and arenas.
#include "seeded_nests.hpp"

#define FAILURES_CHECK(what) NOPAL_CHECK(what)
#include "random_failures.hpp"

namespace {

NOPAL_PROGRAM(random_failures) {
  random_failures::run_for_a_while(support::seed_given_in("NESTS_SEED"), milliseconds_of_nests);
  return 0;
}

class failures : public seeded_nests {};

TEST_P(failures, come_to_their_algorithms_callers_once_all_bodies_are_over) { pass("random_failures"); }

INSTANTIATE_TEST_SUITE_P(random, failures, testing::Values(1, 2, 3, 7), testing::PrintToStringParamName());

}  // namespace

// Indices in random nests of loops, groups and arenas: in an arena no two threads have one at once, each is below the limit, and
// a body keeps its own.
#include "seeded_nests.hpp"

#define INDICES_CHECK(what) NOPAL_CHECK(what)
#include "random_indices.hpp"

namespace {

NOPAL_PROGRAM(random_indices) {
  random_indices::run_for_a_while(false, milliseconds_of_nests);
  return 0;
}
NOPAL_PROGRAM(random_indices_of_more_threads) {
  random_indices::run_for_a_while(true, milliseconds_of_nests);
  return 0;
}

class indices : public seeded_nests {};

TEST_P(indices, are_one_for_each_thread_in_an_arena) { pass("random_indices"); }
TEST_P(indices, are_one_for_each_thread_where_more_than_the_usual_number_are_asked_for) {
  pass("random_indices_of_more_threads");
}

INSTANTIATE_TEST_SUITE_P(random, indices, testing::Values(1, 2, 3, 7), testing::PrintToStringParamName());

}  // namespace

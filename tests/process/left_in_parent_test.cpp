// fork(2) inside of scopes: what only the parent has is one line in the new process, and its end.
#include <gtest/gtest.h>

#include "process/on_the_pool.hpp"
#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::says_it_came_to;
using support::split;
using support::use_runtime;
using support::was_refused;

NOPAL_PROGRAM(join_away_from_home) {
  flag over{false};
  run_on_the_pool(over, [](scope&) {
    const pid_t child = split();
    if (child == 0) return use_runtime();
    was_refused(child);
  });
  return 0;
}

/// With children that the new process has forked as well.
NOPAL_PROGRAM(join_away_with_new_children) {
  flag over{false};
  static flag went_on[3];  // the children look at them until the end
  run_on_the_pool(over, [](scope& s) __attribute__((always_inline)) {
    const pid_t child = split();
    if (child != 0) return was_refused(child);
    for (flag& set : went_on) {
      s.fork([&set] { support::wait_for_continuation(set); });
      support::set(set);
      use_runtime();
    }
  });
  return 0;
}

NOPAL_PROGRAM(end_of_a_child_without_its_continuation) {
  flag stolen{false};
  flag over{false};
  scope s;
  s.fork([&] {
    while (!stolen) std::this_thread::yield();
    const pid_t child = split();
    if (child == 0) return use_runtime();
    was_refused(child);
    support::set(over);
  });
  support::set(stolen);
  while (!over) std::this_thread::yield();
  s.join();
  return 0;
}

/// The strand has come home through the join of one scope; children of another are elsewhere.
NOPAL_PROGRAM(join_of_an_overlapping_scope) {
  flag over{false};
  flag first_over{false};
  scope first;
  scope second;
  second.fork([&] { support::wait_for_continuation(over); });
  first.fork([&] { support::wait_for_continuation(first_over); });
  support::set(first_over);
  first.join();
  const pid_t child = split();
  if (child != 0) {
    was_refused(child);
    support::set(over);
  }
  second.join();
  return 0;
}

class left_in_parent : public support::program_at_workers {};

TEST_P(left_in_parent, says_that_a_strand_away_from_home_cannot_join) {
  EXPECT_TRUE(says_it_came_to("the join of a scope", "join_away_from_home", GetParam()));
}
TEST_P(left_in_parent, says_so_with_children_of_its_own) {
  EXPECT_TRUE(says_it_came_to("the join of a scope", "join_away_with_new_children", GetParam()));
}
TEST_P(left_in_parent, says_that_a_child_without_its_continuation_cannot_end) {
  EXPECT_TRUE(says_it_came_to("the end of a child of a scope", "end_of_a_child_without_its_continuation",
                              GetParam()));
}

INSTANTIATE_TEST_SUITE_P(at_workers, left_in_parent, testing::Values(2, 7),
                         testing::PrintToStringParamName());

TEST(left_in_parent_of_three, says_that_a_scope_that_overlaps_cannot_be_joined) {
  for (const int workers : {3, 7}) {
    EXPECT_TRUE(says_it_came_to("the join of a scope", "join_of_an_overlapping_scope", workers)) << workers;
  }
}

}  // namespace

// Every schedule of a join with one to three children, and faults that must be found.

#include "models/join_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::join_fault;
using explore::join_home;
using explore::memory_kind;

const explore::options early = {.early_timeouts = true};

void expect_right(join_home home, int children, const explore::options& how = {}) {
  explore::expect_right(*make_join_model(home, children, join_fault::none), how);
}

void expect_fault(join_home home, int children, join_fault fault, memory_kind memory,
                  const explore::options& how = {}) {
  explore::expect_failure(*make_join_model(home, children, fault), memory, how);
}

TEST(join, goes_home_to_a_stack_of_the_pool) {
  for (int children = 1; children <= 2; ++children) expect_right(join_home::pooled, children);
}
TEST(join, stays_where_it_arrived) {
  for (int children = 1; children <= 2; ++children) expect_right(join_home::stays, children);
}
TEST(join, is_handed_to_the_thread_of_its_stack) {
  expect_right(join_home::pinned, 1);
  expect_right(join_home::pinned, 1, early);
}
// Of minutes.
TEST(join, goes_home_with_three_children) { expect_right(join_home::pooled, 3); }
TEST(join, stays_with_three_children) { expect_right(join_home::stays, 3); }
TEST(join, is_handed_over_with_two_children) { expect_right(join_home::pinned, 2); }

TEST(join, settles_the_counts_of_a_scope_that_is_stolen_from_without_end) {
  for (const join_home home : {join_home::pooled, join_home::stays}) {
    explore::expect_right(*make_settling_model(home, 2, join_fault::none));
    explore::expect_right(*make_settling_model(home, 3, join_fault::none), {.preemptions = 2});
  }
}
TEST(join, settles_beside_three_preemptions) {
  for (const join_home home : {join_home::pooled, join_home::stays}) {
    explore::expect_right(*make_settling_model(home, 3, join_fault::none), {.preemptions = 3});
  }
}

TEST(join_faults, unfinished_settled) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(*make_settling_model(join_home::pooled, 3, join_fault::none), memory,
                            {.broken = "unfinished settled"});
  }
}
TEST(join_faults, torn_settling) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(*make_settling_model(join_home::pooled, 2, join_fault::torn), memory);
  }
}

TEST(join_faults, torn_step) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_fault(join_home::pooled, 2, join_fault::torn, memory);
  }
}
TEST(join_faults, nothing_released) {
  expect_fault(join_home::pooled, 1, join_fault::nothing_released, memory_kind::views);
}
TEST(join_faults, nothing_acquired) {
  expect_fault(join_home::pooled, 1, join_fault::nothing_acquired, memory_kind::views);
}
TEST(join_faults, inbox_unseen) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_fault(join_home::pinned, 1, join_fault::inbox_unseen, memory);
  }
}
TEST(join_faults, no_wake) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_fault(join_home::pinned, 1, join_fault::no_wake, memory, early);
  }
}

}  // namespace

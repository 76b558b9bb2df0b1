// Every schedule of functions with two scopes that are stolen from, and faults that must be found.

#include "models/second_scope_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::memory_kind;
using explore::second_scope_fault;

void expect_right(const char* program, int steals, int preemptions = -1) {
  explore::expect_right(*explore::make_second_scope_model(program, steals), {.preemptions = preemptions});
}

void expect_broken(const char* program, int steals, const char* fault) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(*explore::make_second_scope_model(program, steals), memory, {.broken = fault});
  }
}

// Empty: every program.
TEST(second_scopes, any_program_with_two_steals) { expect_right("", 2); }
TEST(second_scopes, any_program_with_three_steals) { expect_right("", 3, 1); }

void expect_weak(const char* program, int steals, second_scope_fault fault) {
  explore::expect_failure(*explore::make_second_scope_model(program, steals, fault), memory_kind::views);
}

TEST(second_scope_faults, given_back_by_both) { expect_broken("abAB", 2, "given back by both"); }
TEST(second_scope_faults, not_cleared_at_resume) { expect_broken("abBbAB", 3, "not cleared at resume"); }
TEST(second_scope_faults, child_does_not_look) { expect_broken("abAB", 2, "child does not look"); }
TEST(second_scope_faults, strand_does_not_look) { expect_broken("abAB", 2, "strand does not look"); }
TEST(second_scope_faults, left_without_a_word) { expect_broken("abaBA", 3, "left without a word"); }
TEST(second_scope_faults, stale_bits) { expect_broken("abAB", 2, "stale bits"); }
TEST(second_scope_faults, one_way_home) { expect_broken("abAB", 2, "one way home"); }
TEST(second_scope_faults, nothing_released) { expect_weak("abAB", 2, second_scope_fault::nothing_released); }
TEST(second_scope_faults, nothing_acquired) { expect_weak("abAB", 2, second_scope_fault::nothing_acquired); }

}  // namespace

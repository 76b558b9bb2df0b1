// The deque on a processor that exchanges no 16 bytes at once: its word is changed by halves, under a lock of a few
// instructions that lies in one of them.

#include <gtest/gtest.h>

#include "models/deque_model.hpp"
#include "models/deque_scenarios.hpp"
#include "models/report.hpp"

namespace {

using explore::anew;
using explore::deque_scenario;
using explore::force_against_pops;
using explore::force_against_push;
using explore::force_beside_a_thief;
using explore::growth;
using explore::poisoned_pushes;
using explore::pops_against_a_thief;
using explore::pops_against_two_thieves;
using explore::refused_force;
using explore::shown_pop_against_force;
using explore::without_barrier;

/// Three threads have too many schedules for all of them; `preemptions` bounds these.
void expect_right(const deque_scenario& with, int preemptions = -1) {
  explore::deque_model program(with);
  explore::expect_right(program, {.preemptions = preemptions, .looks_are_no_moves = true});
}

void expect_found(const deque_scenario& with, const char* broken) {
  explore::deque_model program(with);
  explore::expect_failure(program, explore::memory_kind::views,
                          {.preemptions = 2, .looks_are_no_moves = true, .broken = broken});
}

const deque_scenario pushes_against_two = {.owner = "+-+", .thieves = {"s", "s"}, .without_barrier = true};

TEST(halves, pops_against_a_thief) { expect_right(pops_against_a_thief); }
TEST(halves, pops_against_two_thieves) { expect_right(pops_against_two_thieves, 2); }
TEST(halves, force_against_pops) { expect_right(force_against_pops, 3); }
TEST(halves, force_against_push) { expect_right(force_against_push); }
TEST(halves, force_beside_a_thief) { expect_right(force_beside_a_thief, 2); }
TEST(halves, refused_force) { expect_right(refused_force, 3); }
TEST(halves, poisoned_pushes) { expect_right(poisoned_pushes, 3); }
TEST(halves, growth) { expect_right(growth, 3); }
TEST(halves, anew) { expect_right(anew, 3); }
TEST(halves, without_barrier) { expect_right(without_barrier, 2); }
TEST(halves, shown_pop_against_force) { expect_right(shown_pop_against_force, 3); }

TEST(halves_faults, change_not_heeded) { expect_found(pops_against_two_thieves, "change not heeded"); }
TEST(halves_faults, lower_half_first) { expect_found(force_against_pops, "lower half first"); }
TEST(halves_faults, taken_relaxed) { expect_found(pushes_against_two, "taken relaxed"); }
TEST(halves_faults, freed_relaxed) { expect_found(pushes_against_two, "freed relaxed"); }
TEST(halves_faults, upper_half_without_release) {
  expect_found(pushes_against_two, "upper half without release");
}

}  // namespace

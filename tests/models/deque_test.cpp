// Every schedule of some short meetings of a deque's owner and its thieves, and faults that must be found.

#include <gtest/gtest.h>

#include "models/deque_model.hpp"
#include "models/deque_scenarios.hpp"
#include "models/report.hpp"

namespace {

using explore::anew;
using explore::deque_fault;
using explore::deque_scenario;
using explore::force_against_pops;
using explore::force_against_push;
using explore::force_beside_a_thief;
using explore::growth;
using explore::memory_kind;
using explore::poisoned_pushes;
using explore::pops_against_a_thief;
using explore::pops_against_two_thieves;
using explore::refused_force;
using explore::shown_pop_against_force;
using explore::without_barrier;

void expect_right(const deque_scenario& with) {
  explore::deque_model program(with);
  explore::expect_right(program);
}

void expect_found(const deque_scenario& with, const char* broken) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::deque_model program(with);
    explore::expect_failure(program, memory, {.broken = broken});
  }
}

void expect_fault(deque_scenario with, deque_fault fault, memory_kind memory) {
  with.fault = fault;
  explore::deque_model program(with);
  explore::expect_failure(program, memory);
}

const deque_scenario refused_and_granted = {.owner = "--", .thieves = {"r", "fs"}, .pushed = 2};
const deque_scenario two_forces = {.owner = "--", .thieves = {"fs", "f"}, .pushed = 2};
const deque_scenario force_pops_and_pushes = {.owner = "-+-", .thieves = {"fs"}, .pushed = 2};
const deque_scenario poison_on_the_way = {.owner = "+-+-", .thieves = {"ps", "s"}};
const deque_scenario growth_beside_force = {.owner = "+-", .thieves = {"fs"}, .pushed = 2, .capacity = 2};
const deque_scenario anew_beside_force = {
    .owner = "-!+-", .thieves = {"s", "f"}, .pushed = 1, .published = 1, .capacity = 16, .first = 8};
const deque_scenario a_few_places_further = {
    .owner = "-!+-", .thieves = {"sf"}, .pushed = 1, .published = 1, .first = 2};
const deque_scenario shown_pops_against_force = {
    .owner = "++--", .thieves = {"fs"}, .poisoned = true, .shows_pops = true};
const deque_scenario shown_pops_against_two = {
    .owner = "+-", .thieves = {"f", "s"}, .poisoned = true, .shows_pops = true};
const deque_scenario shown_pops_against_refused_force = {
    .owner = "+-+-", .thieves = {"rf"}, .poisoned = true, .shows_pops = true};
const deque_scenario shown_pops_in_a_handler = {
    .owner = "+{+-}-", .thieves = {"fks"}, .poisoned = true, .shows_pops = true};

const deque_scenario handler_after_pop = {.owner = "-{+-", .thieves = {"fs"}, .pushed = 1};
const deque_scenario handler_and_another_pop = {.owner = "-{++-", .thieves = {"fs"}, .pushed = 1};
const deque_scenario handler_left = {.owner = "{+-}+-", .thieves = {"fs"}};
const deque_scenario pops_in_a_handler = {.owner = "{+++--", .thieves = {"fs"}};
const deque_scenario publish_in_a_handler = {
    .owner = "{+-", .thieves = {"kss"}, .pushed = 1, .poisoned = true};

TEST(deque, pops_against_a_thief) { expect_right(pops_against_a_thief); }
TEST(deque, pops_against_two_thieves) { expect_right(pops_against_two_thieves); }
TEST(deque, force_against_pops) { expect_right(force_against_pops); }
TEST(deque, force_against_push) { expect_right(force_against_push); }
TEST(deque, force_beside_a_thief) { expect_right(force_beside_a_thief); }
TEST(deque, refused_force) { expect_right(refused_force); }
TEST(deque, refused_and_granted) { expect_right(refused_and_granted); }
TEST(deque, two_forces) { expect_right(two_forces); }
TEST(deque, force_pops_and_pushes) { expect_right(force_pops_and_pushes); }
TEST(deque, poisoned_pushes) { expect_right(poisoned_pushes); }
TEST(deque, poison_on_the_way) { expect_right(poison_on_the_way); }
TEST(deque, growth) { expect_right(growth); }
TEST(deque, growth_beside_force) { expect_right(growth_beside_force); }
TEST(deque, anew) { expect_right(anew); }
TEST(deque, anew_beside_force) { expect_right(anew_beside_force); }
TEST(deque, a_few_places_further) { expect_right(a_few_places_further); }
TEST(deque, shown_pop_against_force) { expect_right(shown_pop_against_force); }
TEST(deque, shown_pops_against_force) { expect_right(shown_pops_against_force); }
TEST(deque, shown_pops_against_two) { expect_right(shown_pops_against_two); }
TEST(deque, shown_pops_against_refused_force) { expect_right(shown_pops_against_refused_force); }
TEST(deque, shown_pops_in_a_handler) { expect_right(shown_pops_in_a_handler); }
TEST(deque, handler_after_pop) { expect_right(handler_after_pop); }
TEST(deque, handler_and_another_pop) { expect_right(handler_and_another_pop); }
TEST(deque, handler_left) { expect_right(handler_left); }
TEST(deque, pops_in_a_handler) { expect_right(pops_in_a_handler); }
TEST(deque, publish_in_a_handler) { expect_right(publish_in_a_handler); }
TEST(deque, without_barrier) { expect_right(without_barrier); }

// No fault without handlers: what the first look at `bottom` found, the process-wide barrier after it acquires, and the second
// look can only leave less of it.
TEST(deque, force_needs_no_acquire_beside_its_barrier) {
  deque_scenario with = force_against_push;
  with.fault = deque_fault::bottom_relaxed;
  expect_right(with);
}

// For ports whose exchange is no full barrier.
TEST(deque, needs_no_more_than_a_sequentially_consistent_exchange) {
  const explore::options how = {.memory = memory_kind::views, .exchange_is_barrier = false};
  for (const deque_scenario& with : {pops_against_two_thieves, force_beside_a_thief, force_against_push,
                                     poison_on_the_way, growth, growth_beside_force, anew, without_barrier}) {
    explore::deque_model program(with);
    const explore::outcome result = explore::explored(program, memory_kind::views, how);
    EXPECT_FALSE(result.failed) << result.message << "\n" << result.trace;
  }
}

TEST(deque_faults, no_barrier) {
  expect_fault(force_against_pops, deque_fault::no_barrier, memory_kind::tso);
  expect_fault(force_against_pops, deque_fault::no_barrier, memory_kind::views);
}
TEST(deque_faults, no_new_version) {
  expect_fault(without_barrier, deque_fault::no_new_version, memory_kind::tso);
  expect_fault(without_barrier, deque_fault::no_new_version, memory_kind::views);
}
TEST(deque_faults, no_raising) {
  expect_fault(force_beside_a_thief, deque_fault::no_raising, memory_kind::tso);
  expect_fault(force_beside_a_thief, deque_fault::no_raising, memory_kind::views);
}
TEST(deque_faults, raise_kept) {
  expect_fault(shown_pop_against_force, deque_fault::raise_kept, memory_kind::tso);
  expect_fault(shown_pop_against_force, deque_fault::raise_kept, memory_kind::views);
  expect_fault(shown_pops_against_force, deque_fault::raise_kept, memory_kind::tso);
}
TEST(deque_faults, raised_split_believed) { expect_found(shown_pop_against_force, "raised split believed"); }
TEST(deque_faults, permission_asked_too_early) { expect_found(handler_after_pop, "allowed too early"); }
TEST(deque_faults, raise_ended_unchecked) { expect_found(pops_in_a_handler, "raise ended unchecked"); }
TEST(deque_faults, recorded_at_first_only) { expect_found(publish_in_a_handler, "recorded at first only"); }
TEST(deque_faults, pop_relaxed) {
  expect_fault(handler_and_another_pop, deque_fault::pop_relaxed, memory_kind::views);
}
TEST(deque_faults, bottom_relaxed) {
  expect_fault(handler_after_pop, deque_fault::bottom_relaxed, memory_kind::views);
}
TEST(deque_faults, push_relaxed) {
  expect_fault(force_against_push, deque_fault::push_relaxed, memory_kind::views);
}
TEST(deque_faults, install_relaxed) {
  expect_fault(growth, deque_fault::install_relaxed, memory_kind::views);
}
TEST(deque_faults, slots_relaxed) { expect_fault(growth, deque_fault::slots_relaxed, memory_kind::views); }

}  // namespace

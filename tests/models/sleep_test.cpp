// Every schedule of pushes beside workers that go to sleep, and faults that must be found.

#include "models/sleep_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::memory_kind;
using explore::sleep_fault;
using explore::sleep_scenario;

explore::options how_for(const sleep_scenario& with, int preemptions) {
  explore::options how;
  how.early_timeouts = with.hasty;
  how.preemptions = preemptions;
  how.also_broken = with.short_regions ? "regions are short" : with.beats ? "a beat is kept" : "";
  return how;
}

void expect_right(const sleep_scenario& with, int preemptions = -1) {
  explore::expect_right(*make_sleep_model(with), how_for(with, preemptions));
}

void expect_fault(sleep_scenario with, sleep_fault fault) {
  with.fault = fault;
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(*make_sleep_model(with), memory, how_for(with, -1));
  }
}

TEST(sleep, beside_one_fast_push) { expect_right({.owner = "+"}); }
TEST(sleep, beside_one_slow_push) { expect_right({.owner = "+", .poisoned = true}); }
TEST(sleep, beside_two_pushes) { expect_right({.owner = "++"}, 3); }
TEST(sleep, beside_a_push_and_a_pop) { expect_right({.owner = "+-"}, 3); }
TEST(sleep, hasty_beside_pushes) { expect_right({.owner = "++", .hasty = true}, 3); }
// The second sleeper passes no barrier.
TEST(sleep, of_two_beside_one_fast_push) { expect_right({.owner = "+", .thieves = 2}, 1); }
TEST(sleep, of_two_beside_one_slow_push) { expect_right({.owner = "+", .thieves = 2, .poisoned = true}, 1); }

TEST(sleep, kept_off_the_wakers_cpu_beside_pushes) { expect_right({.owner = "++", .elsewhere = true}, 3); }
TEST(sleep, hasty_and_kept_off_the_wakers_cpu) {
  expect_right({.owner = "++", .hasty = true, .elsewhere = true}, 3);
}

// A thread of the program that waits for a root of its own sleeps, is not woken for another's, and takes nothing of it.
TEST(sleep, beside_a_stranger_and_a_slow_push) {
  expect_right({.owner = "+", .poisoned = true, .strangers = 1}, 1);
}
TEST(sleep, beside_a_stranger_and_a_fast_push) { expect_right({.owner = "+", .strangers = 1}, 1); }

// A barrier that worked at the start is refused later, or not.
TEST(sleep, with_a_barrier_refused_beside_two_pushes) { expect_right({.owner = "++", .refusals = 1}, 3); }
TEST(sleep, hasty_with_a_barrier_refused) { expect_right({.owner = "++", .hasty = true, .refusals = 1}, 2); }

// A sleeper that expects a region, while pushes wake nobody.
TEST(sleep, beside_pushes_that_are_expected) {
  expect_right({.owner = "+", .poisoned = true, .beats = true});
  expect_right({.owner = "++", .poisoned = true, .beats = true}, 2);
  expect_right({.owner = "++", .poisoned = true, .hasty = true, .beats = true}, 1);
}
TEST(sleep, of_two_beside_pushes_that_are_expected) {
  expect_right({.owner = "++", .thieves = 2, .poisoned = true, .beats = true}, 0);
}

// Regions that are too short for a wake-up, and a sleeper that looks up.
TEST(sleep, beside_a_push_of_a_short_region) {
  expect_right({.owner = "+", .poisoned = true, .short_regions = true}, 3);
}
TEST(sleep, beside_short_regions) {
  expect_right({.owner = "+-+", .poisoned = true, .short_regions = true}, 1);
}
TEST(sleep, of_two_beside_short_regions) {
  expect_right({.owner = "+", .thieves = 2, .poisoned = true, .short_regions = true}, 0);
}

// For ports whose exchange is no full barrier.
void expect_right_without_barrier(const sleep_scenario& with, int preemptions) {
  explore::options how = how_for(with, preemptions);
  how.exchange_is_barrier = false;
  const explore::outcome result = explore::explored(*make_sleep_model(with), memory_kind::views, how);
  EXPECT_FALSE(result.failed) << result.message << "\n" << result.trace;
}

TEST(sleep, beside_a_push_with_no_more_than_a_sequentially_consistent_exchange) {
  expect_right_without_barrier({.owner = "+", .poisoned = true}, -1);
}
TEST(sleep, beside_short_regions_with_no_more_than_a_sequentially_consistent_exchange) {
  expect_right_without_barrier({.owner = "+-+", .poisoned = true, .short_regions = true}, 1);
}

TEST(sleep_faults, no_look) { expect_fault({.owner = "+"}, sleep_fault::no_look); }
TEST(sleep_faults, no_barrier) { expect_fault({.owner = "++", .hasty = true}, sleep_fault::no_barrier); }
TEST(sleep_faults, unannounced) {
  expect_fault({.owner = "+", .poisoned = true, .hasty = true}, sleep_fault::unannounced);
}
TEST(sleep_faults, unpoisoned) { expect_fault({.owner = "++", .hasty = true}, sleep_fault::unpoisoned); }
void expect_broken(const sleep_scenario& with, memory_kind memory, const char* fault, int preemptions = -1) {
  explore::options how = how_for(with, preemptions);
  how.broken = fault;
  explore::expect_failure(*make_sleep_model(with), memory, how);
}

TEST(sleep_faults, refusal_ignored) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views})
    expect_broken({.owner = "++", .hasty = true, .refusals = 1}, memory, "refusal ignored");
}
TEST(sleep_faults, sleeper_not_held) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views})
    expect_broken({.owner = "++", .hasty = true, .elsewhere = true}, memory, "sleeper not held");
}
TEST(sleep_faults, end_of_waking_relaxed) {
  expect_broken({.owner = "++", .elsewhere = true}, memory_kind::views, "end of waking relaxed");
}
TEST(sleep_faults, strangers_woken) {
  // No matter of memory orders: one kind of memory is enough.
  expect_broken({.owner = "++", .poisoned = true, .hasty = true, .strangers = 1}, memory_kind::tso,
                "strangers woken", 0);
}
TEST(sleep_faults, looks_up_relaxed) {
  const sleep_scenario with = {.owner = "+-++", .poisoned = true, .hasty = true, .short_regions = true};
  explore::options how = how_for(with, 2);
  how.exchange_is_barrier = false;
  how.broken = "looks up relaxed";
  explore::expect_failure(*make_sleep_model(with), memory_kind::views, how);
}
TEST(sleep_faults, nobody_looks_up) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views})
    expect_broken({.owner = "++", .poisoned = true, .hasty = true, .short_regions = true}, memory,
                  "nobody looks up", 1);
}
TEST(sleep_faults, expected_for_good) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views})
    expect_broken({.owner = "++", .poisoned = true, .hasty = true, .beats = true}, memory,
                  "expected for good", 2);
}
TEST(sleep_faults, no_wake) { expect_fault({.owner = "++", .hasty = true}, sleep_fault::no_wake); }

}  // namespace

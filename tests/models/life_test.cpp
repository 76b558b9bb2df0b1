// Every schedule of short lives of a runtime and of the threads that it adopts, and faults that must be found.

#include <gtest/gtest.h>

#include "models/life_model.hpp"
#include "models/report.hpp"

namespace {

using explore::life_scenario;
using explore::memory_kind;

void expect_right(const life_scenario& with, int preemptions = -1, int preemptions_of_views = -1) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    const int bound = memory == memory_kind::tso ? preemptions : preemptions_of_views;
    const explore::outcome result = explore::explored(*make_life_model(with), memory,
                                                      {.preemptions = bound, .early_timeouts = with.hasty});
    EXPECT_FALSE(result.failed) << result.message << "\n" << result.trace;
  }
}

void expect_fault(const life_scenario& with, const char* fault, std::initializer_list<memory_kind> memories,
                  int preemptions = -1) {
  for (const memory_kind memory : memories) {
    explore::expect_failure(*make_life_model(with), memory,
                            {.preemptions = preemptions, .early_timeouts = with.hasty, .broken = fault});
  }
}

const auto anywhere = {memory_kind::tso, memory_kind::views};

// Start.
const life_scenario first_fork = {.program = {"+-"}};
const life_scenario two_first_forks = {.program = {"+-", "+-"}, .pool_threads = 0};
TEST(start, by_a_first_fork) { expect_right(first_fork, 2, 1); }
TEST(start, by_two_first_forks_at_once) { expect_right(two_first_forks); }

const life_scenario two_first_forks_and_a_thief = {.program = {"+-", "+-"}};
const life_scenario refused_thread = {.program = {"+-"}, .pool_threads = 2, .threads_granted = 1};
TEST(start, by_two_first_forks_at_once_beside_a_thief) { expect_right(two_first_forks_and_a_thief, 1, 0); }
TEST(start, with_a_thread_refused) { expect_right(refused_thread, 1, 0); }

TEST(start_faults, no_lock) { expect_fault(two_first_forks, "no lock", anywhere); }
TEST(start_faults, refused_worker_freed) {
  expect_fault(refused_thread, "refused worker freed", anywhere, 1);
}
TEST(start_faults, table_relaxed) {
  life_scenario with = two_first_forks_and_a_thief;
  with.relaxed_table = true;
  expect_fault(with, "", {memory_kind::views}, 1);
}

// Adoption and the end of threads.
const life_scenario adopted = {.program = {"+-", "+-"}, .adopted_at_first = 1};
const life_scenario value_refused = {.program = {"+-", "+-"}, .adopted_at_first = 1, .values_granted = 1};
const life_scenario visited_end = {
    .program = {"+-e", "v"}, .pool_threads = 0, .adopted_at_first = 2, .poisoned = false};
const life_scenario end_beside_a_thief = {.program = {"+-e"}, .adopted_at_first = 1};
const life_scenario worker_used_again = {
    .program = {"+-e", "+-", "vv"}, .pool_threads = 0, .adopted_at_first = 1, .poisoned = false};
TEST(adoption, beside_a_thief) { expect_right(adopted, 0, 0); }
TEST(adoption, without_room_for_a_key_s_value) { expect_right(value_refused, 1, 0); }
TEST(adoption, of_an_ended_thread_s_worker) { expect_right(worker_used_again, 1, 1); }
TEST(end, beside_a_visitor) { expect_right(visited_end); }
TEST(end, beside_a_thief) { expect_right(end_beside_a_thief, 2, 1); }

TEST(end_faults, visitors_not_awaited) { expect_fault(visited_end, "visitors not awaited", anywhere); }
TEST(end_faults, not_told) { expect_fault(visited_end, "end not told", anywhere); }
TEST(end_faults, told_by_a_release) { expect_fault(visited_end, "end told by a release", anywhere); }
TEST(end_faults, visit_relaxed) { expect_fault(visited_end, "visit relaxed", {memory_kind::views}); }
TEST(end_faults, worker_freed) { expect_fault(visited_end, "ended worker freed", anywhere); }

// Stop.
const life_scenario stop = {.program = {"x"}, .adopted_at_first = 1, .hasty = true};
const life_scenario stop_and_start = {.program = {"x+-"}, .adopted_at_first = 1, .lives = 2};
const life_scenario stop_after_fork = {.program = {"+-x"}, .adopted_at_first = 1};
const life_scenario stop_beside_end = {.program = {"x", "e"}, .adopted_at_first = 2};
const life_scenario stop_beside_start = {.program = {"x", "+-"}, .adopted_at_first = 1, .lives = 2};
const life_scenario stop_beside_fork = {.program = {"x", "+-"}, .adopted_at_first = 2, .lives = 2};
const life_scenario stop_beside_wake = {.program = {"x", "w"}, .adopted_at_first = 2};
TEST(stop, beside_a_push_that_wakes) { expect_right(stop_beside_wake, 2, 1); }
TEST(stop, beside_a_thief) { expect_right(stop, 3, 3); }
TEST(stop, and_start) { expect_right(stop_and_start, 1, 0); }
TEST(stop, after_a_fork) { expect_right(stop_after_fork, 1, 1); }
TEST(stop, beside_a_thread_s_end) { expect_right(stop_beside_end, 1, 1); }
TEST(stop, beside_a_first_fork) { expect_right(stop_beside_start, 0, 0); }
TEST(stop, beside_a_fork) { expect_right(stop_beside_fork, 0, 0); }

// A thread of the pool that stood by for a stop that was given up.
const life_scenario stop_after_one_in_vain = {
    .program = {"ax", "b"}, .pool_threads = 0, .adopted_at_first = 2};
TEST(stop, after_one_that_was_given_up) { expect_right(stop_after_one_in_vain, 4, 4); }
TEST(stop_faults, stands_by_for_good) {
  expect_fault(stop_after_one_in_vain, "stands by for good", anywhere, 4);
}

// A strand of the pool that began beside the stop and blocks for good unless another thread comes.
const life_scenario stop_beside_blocking = {
    .program = {"x", "k"}, .pool_threads = 0, .adopted_at_first = 2, .substitutes = 1};
TEST(stop, beside_a_strand_that_blocks) { expect_right(stop_beside_blocking, 2, 1); }
TEST(stop_faults, blocked_not_replaced) {
  expect_fault(stop_beside_blocking, "blocked not replaced", anywhere, 2);
}

// The end of the process, while another thread goes on.
const life_scenario exit_beside_wake = {.program = {"q", "w"}, .adopted_at_first = 2};
const life_scenario exit_beside_look = {.program = {"q", "v"}, .pool_threads = 0, .adopted_at_first = 2};
TEST(stop, for_good_beside_a_push_that_wakes) { expect_right(exit_beside_wake, 2, 1); }
TEST(stop, for_good_beside_a_look) { expect_right(exit_beside_look); }
TEST(stop_faults, freed_beside_workers) {
  expect_fault(exit_beside_wake, "freed beside workers", anywhere, 2);
  expect_fault(exit_beside_look, "freed beside workers", anywhere);
}

// A wait for a group that takes a stack of the pool.
const life_scenario stop_beside_stack = {.program = {"x", "s"}, .adopted_at_first = 2, .lives = 2};
const life_scenario stop_of_none_beside_stack = {
    .program = {"x", "s"}, .pool_threads = 0, .adopted_at_first = 2, .lives = 2};
TEST(stop, beside_a_stack_in_use) {
  expect_right(stop_of_none_beside_stack);
  expect_right(stop_beside_stack, 0, 0);
}
TEST(stop_faults, stacks_not_held) { expect_fault(stop_of_none_beside_stack, "stacks not held", anywhere); }

// What the program runs when a thread of the pool ends, and several who stop at once.
const life_scenario stop_and_fork_at_end = {.program = {"x"}, .pool_end = "+-", .adopted_at_first = 1};
const life_scenario stop_and_stop_at_end = {.program = {"x"}, .pool_end = "x", .adopted_at_first = 1};
const life_scenario stop_by_two = {.program = {"x", "x"}, .adopted_at_first = 1};
const life_scenario stop_by_two_and_start = {
    .program = {"x", "x+-"}, .pool_threads = 0, .adopted_at_first = 1, .lives = 2};
const life_scenario last_end = {.program = {"+-e"}, .first_thread_over = true, .adopted_at_first = 1};
TEST(stop, of_a_thread_that_forks_at_its_end) { expect_right(stop_and_fork_at_end, 1, 1); }
TEST(stop, of_a_thread_that_stops_at_its_end) { expect_right(stop_and_stop_at_end, 2, 1); }
TEST(stop, by_two_at_once) { expect_right(stop_by_two, 1, 1); }
TEST(stop, by_two_at_once_and_start) { expect_right(stop_by_two_and_start, 2, 1); }
TEST(stop, by_the_last_thread_s_end) { expect_right(last_end, 2, 1); }
TEST(stop_faults, joined_with_the_lock) {
  expect_fault(stop_and_fork_at_end, "joined with the lock", anywhere, 1);
  expect_fault(stop_and_stop_at_end, "joined with the lock", anywhere, 1);
}
TEST(stop_faults, waits_for_itself) { expect_fault(stop_and_stop_at_end, "waits for itself", anywhere, 1); }
TEST(stop_faults, by_two) { expect_fault(stop_by_two, "stopped by two", anywhere, 2); }
TEST(stop_faults, end_not_told) { expect_fault(stop_by_two, "end of stop not told", anywhere, 2); }
TEST(stop_faults, worker_freed) { expect_fault(stop_beside_wake, "stopped worker freed", anywhere, 2); }
TEST(stop_faults, not_joined) { expect_fault(stop, "not joined", anywhere, 3); }
TEST(stop_faults, sleepers_not_woken) { expect_fault(stop, "sleepers not woken", anywhere, 3); }
TEST(stop_faults, not_seen) { expect_fault(stop, "stop not seen", anywhere, 3); }

}  // namespace

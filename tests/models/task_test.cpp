// Every schedule of waits for groups of tasks and for arenas, and faults that must be found.

#include "models/task_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::memory_kind;
using explore::task_scene;

void expect_right(task_scene scene, const char* threads, const explore::options& how = {}) {
  explore::expect_right(*explore::make_task_model(scene, threads), how);
}

TEST(tasks, wait_beside_an_end) {
  expect_right(task_scene::finish, "ww", {.preemptions = 4});
  expect_right(task_scene::finish, "sw");
}
TEST(tasks, wait_beside_two_ends) { expect_right(task_scene::finish, "www", {.preemptions = 2}); }
TEST(tasks, two_wait) { expect_right(task_scene::both_wait, "www", {.preemptions = 1}); }
TEST(tasks, wait_beside_a_push) {
  expect_right(task_scene::push, "ww", {.preemptions = 3});
  expect_right(task_scene::push, "sw");
}
TEST(tasks, wait_beside_the_last_push) {
  expect_right(task_scene::push_last, "ww", {.preemptions = 4});
  expect_right(task_scene::push_last, "sw");
}
TEST(tasks, wait_beside_a_push_to_its_arena) {
  expect_right(task_scene::push_to_arena, "ww", {.preemptions = 2});
}
TEST(tasks, wait_beside_the_end_of_the_pushers_thread) {
  expect_right(task_scene::push_and_end, "ww", {.preemptions = 2});
}
TEST(tasks, are_taken_by_the_pool_at_the_end_of_the_pushers_thread) {
  expect_right(task_scene::pool_at_end, "wp", {.preemptions = 2});
  expect_right(task_scene::pool_at_end, "wp", {.preemptions = 2, .early_timeouts = true});
}
TEST(tasks, are_taken_by_the_pool) {
  expect_right(task_scene::pool, "wp", {.preemptions = 4});
  expect_right(task_scene::pool, "wp", {.preemptions = 3, .early_timeouts = true});
}
TEST(tasks, are_given_the_place_of_who_sleeps_in_a_call) {
  expect_right(task_scene::place, "wp", {.preemptions = 4});
  expect_right(task_scene::place, "wp", {.preemptions = 3, .early_timeouts = true});
  expect_right(task_scene::place_in_arena, "wp", {.preemptions = 3});
  expect_right(task_scene::place_in_arena, "wp", {.preemptions = 2, .early_timeouts = true});
}
TEST(tasks, are_taken_beside_a_worker_of_arenas_alone) {
  expect_right(task_scene::pool, "wpa", {.preemptions = 1});
  expect_right(task_scene::place, "wpa", {.preemptions = 1});
}
TEST(tasks, are_given_the_place_of_another_where_the_one_that_is_told_goes_on) {
  expect_right(task_scene::place_of_another, "wpp", {.preemptions = 1});
}
TEST(tasks, are_given_the_place_of_another_whose_second_look_came_early) {
  expect_right(task_scene::place_of_another, "wpp", {.preemptions = 1, .early_timeouts = true});
}
TEST(scheduler_calls, run_a_task_on_a_stack_of_the_pool) {
  const explore::options no_room = {.preemptions = 2, .broken = "no room on the stack"};
  expect_right(task_scene::push, "ww", no_room);
  expect_right(task_scene::push_last, "ww", no_room);
}
TEST(scheduler_calls, take_a_continuation_of_the_group) {
  explore::expect_right(*explore::make_scheduler_call_model(false), {.preemptions = 1});
}
TEST(scheduler_calls, take_what_is_needed) {
  explore::expect_right(*explore::make_scheduler_call_model(true), {.preemptions = 1});
}
TEST(arenas, tell_each_thread_that_waits_of_room) {
  expect_right(task_scene::enter, "ww");
  expect_right(task_scene::enter, "www", {.preemptions = 3});
}
TEST(arenas, tell_a_worker_of_arenas_alone) {
  expect_right(task_scene::arena, "wa", {.preemptions = 3});
  expect_right(task_scene::arena, "wa", {.preemptions = 2, .early_timeouts = true});
}
TEST(arenas, tell_the_pool_of_a_seat_that_is_lent) {
  expect_right(task_scene::lend, "wp", {.preemptions = 3});
  expect_right(task_scene::lend, "wp", {.preemptions = 2, .early_timeouts = true});
}
TEST(arenas, tell_the_pool_of_room) {
  expect_right(task_scene::arena, "wp", {.preemptions = 3});
  expect_right(task_scene::arena, "wp", {.preemptions = 3, .early_timeouts = true});
}

void expect_broken(task_scene scene, const char* threads, const char* fault, bool is_hasty = false,
                   int preemptions = 2) {
  const explore::options how = {.preemptions = preemptions, .early_timeouts = is_hasty, .broken = fault};
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(*explore::make_task_model(scene, threads), memory, how);
  }
}

TEST(task_faults, announced_late) {
  expect_broken(task_scene::finish, "ww", "announced late");
  expect_broken(task_scene::push, "ww", "announced late");
}
TEST(task_faults, event_before_the_push) { expect_broken(task_scene::push, "ww", "event before the push"); }
TEST(task_faults, count_relaxed) { expect_broken(task_scene::push, "ww", "count relaxed"); }
TEST(task_faults, place_kept_beside_a_task) {
  expect_broken(task_scene::place, "wp", "place kept beside a task");
}
TEST(task_faults, places_not_told) {
  expect_broken(task_scene::place, "wp", "places not told", true);
  expect_broken(task_scene::place_in_arena, "wp", "places not told", true);
}
TEST(task_faults, place_kept_to_itself) {
  expect_broken(task_scene::place_of_another, "wpp", "place kept to itself", true);
}
TEST(task_faults, place_kept_in_silence) { expect_broken(task_scene::place, "wp", "place kept in silence"); }
TEST(task_faults, told_to_who_may_not_take_it) {
  expect_broken(task_scene::pool, "wpa", "told to who may not take it", true, 1);
}
TEST(task_faults, gone_before_there) {
  expect_broken(task_scene::push_and_end, "ww", "gone before there");
  expect_broken(task_scene::pool_at_end, "wp", "gone before there", true);
}
TEST(task_faults, arenas_read_relaxed) {
  explore::expect_failure(*explore::make_task_model(task_scene::push_to_arena, "ww"), memory_kind::views,
                          {.preemptions = 2, .broken = "arenas read relaxed"});
}
TEST(task_faults, group_read_after_the_push) {
  expect_broken(task_scene::push_last, "ww", "group read after the push");
}
TEST(task_faults, task_read_after_the_push) {
  expect_broken(task_scene::push_to_arena, "ww", "task read after the push");
}
TEST(task_faults, group_read_after_its_end) {
  expect_broken(task_scene::finish, "ww", "group read after its end");
}
TEST(task_faults, no_event) { expect_broken(task_scene::finish, "ww", "no event"); }
TEST(task_faults, event_read_late) { expect_broken(task_scene::push, "ww", "event read late"); }
TEST(task_faults, nap_does_not_look) { expect_broken(task_scene::finish, "ww", "nap does not look"); }
TEST(task_faults, wait_not_told) { expect_broken(task_scene::finish, "ww", "wait not told"); }
TEST(task_faults, words_not_woken) { expect_broken(task_scene::finish, "sw", "words not woken"); }
TEST(task_faults, sleeper_not_counted) { expect_broken(task_scene::finish, "sw", "sleeper not counted"); }
TEST(task_faults, end_relaxed) {
  explore::expect_failure(*explore::make_task_model(task_scene::finish, "ww"), memory_kind::views,
                          {.broken = "end relaxed"});
}
void expect_scheduler_call_broken(bool needed, const char* fault) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(*explore::make_scheduler_call_model(needed), memory,
                            {.preemptions = 1, .broken = fault});
  }
}

TEST(scheduler_call_faults, does_not_end) {
  expect_scheduler_call_broken(false, "scheduler call does not end");
}
TEST(scheduler_call_faults, nap_looks_for_no_strand) {
  expect_scheduler_call_broken(true, "nap looks for no strand");
}
TEST(scheduler_call_faults, wait_not_told) { expect_scheduler_call_broken(true, "wait not told"); }
TEST(scheduler_call_faults, stack_not_given_back) {
  expect_scheduler_call_broken(false, "stack not given back");
}
TEST(arena_faults, room_not_counted) { expect_broken(task_scene::enter, "ww", "room not counted"); }
TEST(arena_faults, room_counted_by_one_bit) {
  expect_broken(task_scene::enter, "www", "room counted by one bit");
}
TEST(arena_faults, room_not_told) { expect_broken(task_scene::enter, "ww", "room not told"); }
TEST(arena_faults, room_not_looked_for) { expect_broken(task_scene::enter, "ww", "room not looked for"); }
TEST(arena_faults, room_told_first) { expect_broken(task_scene::enter, "ww", "room told first"); }
TEST(arena_faults, lent_seat_not_told) { expect_broken(task_scene::lend, "wp", "lent seat not told", true); }
TEST(arena_faults, pool_not_told) { expect_broken(task_scene::arena, "wp", "pool not told", true); }

}  // namespace

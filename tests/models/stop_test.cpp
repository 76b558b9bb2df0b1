// Every schedule of parts that may be stopped beside thieves and requests, and faults that must be found.

#include "models/stop_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::memory_kind;
using explore::stop_scenario;

explore::options how_for(int preemptions, const char* fault = "") {
  explore::options how;
  how.preemptions = preemptions;
  how.broken = fault;
  return how;
}

void expect_right(const stop_scenario& with, int preemptions) {
  explore::expect_right(*make_stop_model(with), how_for(preemptions));
}
void expect_broken(const stop_scenario& with, memory_kind memory, const char* fault, int preemptions) {
  explore::expect_failure(*make_stop_model(with), memory, how_for(preemptions, fault));
}

TEST(stops, one_part_around_a_fork) { expect_right({.owner = "(+-)", .poisoned = true}, 1); }
TEST(stops, a_part_inside_of_a_child) { expect_right({.owner = "(+(+-)-)", .poisoned = true}, 0); }
TEST(stops, a_part_after_a_fork) { expect_right({.owner = "+()-(+-)", .poisoned = true}, 0); }
TEST(stops, parts_one_after_the_other) { expect_right({.owner = "+()(+-)-", .poisoned = true}, 0); }
TEST(stops, beside_two_thieves) { expect_right({.owner = "(+(+-)-)", .thieves = 2, .poisoned = true}, 0); }
TEST(stops, a_request_beside_forks) { expect_right({.owner = "(+-+-", .stops = 1}, 0); }
TEST(stops, a_request_beside_forks_without_thieves) {
  expect_right({.owner = "(+-+-+-", .thieves = 0, .stops = 1, .poisoned = true}, -1);
}
TEST(stops, two_requests_at_a_time) {
  expect_right({.owner = "(+-!+-", .thieves = 0, .stops = 1, .poisoned = true}, -1);
}

TEST(stops, a_request_that_is_withdrawn) {
  expect_right({.owner = "(~+-", .thieves = 0, .stops = 1, .poisoned = true}, -1);
  expect_right({.owner = "(!~+-", .thieves = 0, .stops = 1, .poisoned = true}, -1);
}

TEST(stops, a_request_after_one_that_is_withdrawn) {
  expect_right({.owner = "(~+-!+-", .thieves = 0, .stops = 2, .poisoned = true}, 2);
}

TEST(stops, a_request_beside_one_who_begins_to_follow) {
  expect_right({.owner = "(f", .thieves = 0, .stops = 1, .poisoned = true}, -1);
  expect_right({.owner = "(fu", .thieves = 0, .stops = 1, .poisoned = true}, -1);
}
TEST(stops, a_request_beside_the_end_of_what_is_followed) {
  expect_right({.owner = "((f)", .thieves = 0, .stops = 1, .poisoned = true}, -1);
  expect_right({.owner = "((f)u", .thieves = 0, .stops = 1, .poisoned = true}, 3);
}

TEST(stop_faults, follower_not_fenced) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_broken({.owner = "(f", .thieves = 0, .stops = 1, .poisoned = true}, memory, "follower not fenced",
                  -1);
  }
}
TEST(stop_faults, follows_what_is_gone) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_broken({.owner = "((f)", .thieves = 0, .stops = 1, .poisoned = true}, memory,
                  "follows what is gone", -1);
  }
}
TEST(stop_faults, withdrawn_and_told) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_broken({.owner = "(~+-", .thieves = 0, .stops = 1, .poisoned = true}, memory, "withdrawn and told",
                  -1);
  }
}
TEST(stop_faults, told_of_another) {
  expect_broken({.owner = "(~+-!+-", .thieves = 0, .stops = 2, .poisoned = true}, memory_kind::tso,
                "told of another", 4);
}
TEST(stop_faults, path_read_late) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_broken({.owner = "(+(+-)-)", .poisoned = true}, memory, "path read late", 2);
  }
}
TEST(stop_faults, step_told_late) {
  expect_broken({.owner = "(+(+-)-)", .poisoned = true}, memory_kind::views, "step told late", 2);
}
TEST(stop_faults, look_not_fenced) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_broken({.owner = "(+-+-", .thieves = 0, .stops = 1, .poisoned = true}, memory, "look not fenced",
                  -1);
  }
}
TEST(stop_faults, second_request_returns_early) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    expect_broken({.owner = "(+-!+-", .thieves = 0, .stops = 1, .poisoned = true}, memory,
                  "second request returns early", -1);
  }
}

}  // namespace

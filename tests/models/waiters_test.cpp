// Every schedule of short waits for events and mutexes, and faults that must be found.

#include <gtest/gtest.h>

#include "models/report.hpp"
#include "models/waiters_model.hpp"

namespace {

using explore::memory_kind;
using explore::waiters_scenario;

void expect_right(const waiters_scenario& with) { explore::expect_right(*make_waiters_model(with)); }

void expect_fault(const waiters_scenario& with, const char* fault,
                  std::initializer_list<memory_kind> memories) {
  for (const memory_kind memory : memories) {
    explore::expect_failure(*make_waiters_model(with), memory, {.broken = fault});
  }
}

const auto anywhere = {memory_kind::tso, memory_kind::views};
const auto relaxed = {memory_kind::views};

const waiters_scenario two_wait = {.threads = {"w", "w", "s"}};
const waiters_scenario event_ends = {.threads = {"wd", "s"}};
const waiters_scenario three_hold = {.threads = {"l", "l", "l"}};

TEST(events, wake_all_that_wait) { expect_right(two_wait); }
TEST(events, may_end_after_the_wait) { expect_right(event_ends); }
TEST(mutexes, are_had_by_one_at_a_time) { expect_right(three_hold); }

TEST(waiters_faults, a_record_that_is_entered_without_release) {
  expect_fault(two_wait, "entered relaxed", relaxed);
}
TEST(waiters_faults, a_waiter_that_is_woken_without_release) {
  expect_fault(three_hold, "woken relaxed", relaxed);
}
TEST(waiters_faults, a_mutex_that_is_unlocked_without_release) {
  expect_fault(three_hold, "unlocked relaxed", relaxed);
}
TEST(waiters_faults, a_list_that_is_taken_without_acquire) {
  expect_fault(three_hold, "list taken relaxed", relaxed);
}
TEST(waiters_faults, waiters_that_are_passed_over) {
  expect_fault(three_hold, "waiters passed over", anywhere);
}

}  // namespace

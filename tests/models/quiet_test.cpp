// Every schedule of a thread that notes the number of workers for its quiet loops, and who chooses another.

#include "models/quiet_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::memory_kind;

TEST(quiet_loops, never_go_by_a_number_of_workers_that_is_over) {
  explore::expect_right(*explore::make_quiet_model(1));
  explore::expect_right(*explore::make_quiet_model(2));
}

void expect_fault(const char* fault, memory_kind memory) {
  explore::expect_failure(*explore::make_quiet_model(2), memory, {.broken = fault});
}

TEST(quiet_loop_faults, told_before_the_number) {
  expect_fault("told before the number", memory_kind::tso);
  expect_fault("told before the number", memory_kind::views);
}
TEST(quiet_loop_faults, no_look_after_the_number) {
  expect_fault("no look after the number", memory_kind::tso);
  expect_fault("no look after the number", memory_kind::views);
}
TEST(quiet_loop_faults, words_noted_relaxed) { expect_fault("words noted relaxed", memory_kind::views); }

}  // namespace

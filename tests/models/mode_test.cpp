// Every schedule of a root that changes its floating-point mode between regions beside thieves, and faults that must be found.

#include "models/mode_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::memory_kind;
using explore::mode_scenario;

void expect_right(const mode_scenario& with, int preemptions = -1) {
  explore::expect_right(*make_mode_model(with), {.preemptions = preemptions});
}

void expect_found(const mode_scenario& with, const char* broken) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(*make_mode_model(with), memory, {.broken = broken});
  }
}

const mode_scenario force_at_the_first_push = {.owner = "m+-", .thieves = {"fs"}};
const mode_scenario force_beside_a_region = {.owner = "+-m", .thieves = {"f"}};

TEST(mode, forced_publish_at_the_first_push) { expect_right(force_at_the_first_push); }
TEST(mode, forced_publish_beside_a_region) { expect_right(force_beside_a_region); }
TEST(mode, forced_publish_beside_a_deeper_region) { expect_right({.owner = "++--m", .thieves = {"f"}}); }
TEST(mode, forced_publish_without_barrier) { expect_right({.owner = "+-+-m", .thieves = {"r"}}); }
TEST(mode, forced_publish_beside_an_exception) { expect_right({.owner = "+-+-m", .thieves = {"k"}}); }
TEST(mode, forced_publish_and_a_thief) { expect_right({.owner = "++--m", .thieves = {"s", "f"}}, 2); }
TEST(mode, two_forced_publishes) { expect_right({.owner = "++--m", .thieves = {"f", "f"}}, 2); }
TEST(mode, two_regions) { expect_right({.owner = "+-m+-", .thieves = {"ffs"}}, 2); }

TEST(mode_faults, mode_told_late) { expect_found(force_at_the_first_push, "mode told late"); }
TEST(mode_faults, raised_taken_for_public) { expect_found(force_beside_a_region, "raised taken for public"); }
TEST(mode_faults, oldest_private) { expect_found(force_beside_a_region, "oldest private"); }
TEST(mode_faults, emptied_unpoisoned) { expect_found(force_beside_a_region, "emptied unpoisoned"); }

}  // namespace

// Every schedule of short meetings in the pool of stacks, and faults that must be found.

#include <gtest/gtest.h>

#include "models/pool_model.hpp"
#include "models/report.hpp"

namespace {

using explore::memory_kind;
using explore::pool_scenario;

void expect_right(const pool_scenario& with) { explore::expect_right(*make_pool_model(with)); }

void expect_fault(const pool_scenario& with, const char* fault, std::initializer_list<memory_kind> memories) {
  for (const memory_kind memory : memories) {
    explore::expect_failure(*make_pool_model(with), memory, {.broken = fault});
  }
}

const auto anywhere = {memory_kind::tso, memory_kind::views};

const pool_scenario exchange_of_stacks = {.threads = {"tgtg", "tgt"}};
const pool_scenario three_takers = {.threads = {"tg", "t", "t"}, .enough = false};
const pool_scenario growth = {.threads = {"tt", "tt"}, .regions = 2};
const pool_scenario exhaustion = {.threads = {"tt", "tg"}, .enough = false};
const pool_scenario refused_stack = {.threads = {"tgt", "tg"}, .stacks = 1, .enough = false};

TEST(pool, takes_and_gives) { expect_right(exchange_of_stacks); }
TEST(pool, three_takers) { expect_right(three_takers); }
TEST(pool, growth_by_two_at_once) { expect_right(growth); }
TEST(pool, exhaustion) { expect_right(exhaustion); }
TEST(pool, a_stack_refused) { expect_right(refused_stack); }

TEST(pool_faults, taken_by_two) { expect_fault(exchange_of_stacks, "taken in two steps", anywhere); }
TEST(pool_faults, given_without_release) {
  expect_fault(exchange_of_stacks, "given without release", {memory_kind::views});
}
TEST(pool_faults, taken_without_acquire) {
  expect_fault(exchange_of_stacks, "taken without acquire", {memory_kind::views});
}
TEST(pool_faults, grown_by_two) { expect_fault(growth, "grown by two", anywhere); }
TEST(pool_faults, counted_without_release) {
  expect_fault(growth, "counted without release", {memory_kind::views});
}

}  // namespace

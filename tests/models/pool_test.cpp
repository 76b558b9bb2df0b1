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

// A region has one stack of each of two nodes.
const pool_scenario one_of_each_node = {.threads = {"tgtg", "tgt"}, .nodes = 2, .near = true};
const pool_scenario both_of_one_node = {.threads = {"ttgg", "tg"}, .enough = false, .nodes = 2};
const pool_scenario one_node_takes_all = {.threads = {"ttg", "g"}, .nodes = 2};
const pool_scenario growth_on_nodes = {.threads = {"tt", "tt"}, .regions = 2, .nodes = 2};
const pool_scenario refused_near = {.threads = {"tgt", "tg"}, .stacks = 1, .enough = false, .nodes = 2};

TEST(pool, takes_and_gives) { expect_right(exchange_of_stacks); }
TEST(pool, three_takers) { expect_right(three_takers); }
TEST(pool, growth_by_two_at_once) { expect_right(growth); }
TEST(pool, exhaustion) { expect_right(exhaustion); }
TEST(pool, a_stack_refused) { expect_right(refused_stack); }
TEST(pool, each_node_takes_its_own) { expect_right(one_of_each_node); }
TEST(pool, nodes_take_one_anothers) { expect_right(both_of_one_node); }
TEST(pool, a_node_takes_all) { expect_right(one_node_takes_all); }
TEST(pool, growth_by_two_nodes_at_once) { expect_right(growth_on_nodes); }
TEST(pool, a_stack_refused_on_a_node) { expect_right(refused_near); }

TEST(pool_faults, taken_by_two) { expect_fault(exchange_of_stacks, "taken in two steps", anywhere); }
TEST(pool_faults, taken_by_two_nodes) { expect_fault(both_of_one_node, "taken in two steps", anywhere); }
TEST(pool_faults, taken_from_any_node) { expect_fault(one_of_each_node, "taken from any node", anywhere); }
TEST(pool_faults, none_of_another_node) {
  expect_fault(one_node_takes_all, "none of another node", anywhere);
}
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

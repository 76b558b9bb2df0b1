// Every schedule of short meetings at the end of a reducer and where segments of strands end, and faults that must be found.

#include <gtest/gtest.h>

#include "models/deposits_model.hpp"
#include "models/registry_model.hpp"
#include "models/report.hpp"

namespace {

using explore::deposits_scenario;
using explore::memory_kind;
using explore::registry_scenario;

void expect_right(const registry_scenario& with) { explore::expect_right(*make_registry_model(with)); }
void expect_right(const deposits_scenario& with) { explore::expect_right(*make_deposits_model(with)); }

template <class Made>
void expect_fault(const Made& made, const char* fault, std::initializer_list<memory_kind> memories) {
  for (const memory_kind memory : memories) {
    explore::expect_failure(*made, memory, {.broken = fault});
  }
}

const auto anywhere = {memory_kind::tso, memory_kind::views};
const auto relaxed = {memory_kind::views};

const registry_scenario reduction_beside_end = {.threads = {"e", "r"}};
const registry_scenario end_and_next = {.threads = {"en", "rd"}};
const registry_scenario last_views = {.threads = {"enx", "d", "d"}};
const registry_scenario strangers = {.threads = {"e", "d", "nxn"}};
const registry_scenario two_reductions = {.threads = {"en", "r", "r"}};

TEST(registry, a_reduction_beside_the_end) { expect_right(reduction_beside_end); }
TEST(registry, the_end_and_the_next_reducer) { expect_right(end_and_next); }
TEST(registry, the_last_two_views) { expect_right(last_views); }
TEST(registry, another_strand_that_makes_reducers) { expect_right(strangers); }
TEST(registry, two_reductions_beside_the_end) { expect_right(two_reductions); }

TEST(registry_faults, an_end_that_does_not_wait) {
  expect_fault(make_registry_model(reduction_beside_end), "end does not wait", anywhere);
}
TEST(registry_faults, an_end_that_acquires_nothing) {
  expect_fault(make_registry_model(reduction_beside_end), "let go relaxed", relaxed);
}
TEST(registry_faults, a_pin_that_ends_without_release) {
  expect_fault(make_registry_model(reduction_beside_end), "pin ends without release", relaxed);
}
TEST(registry_faults, a_reduction_that_does_not_ask) {
  expect_fault(make_registry_model(reduction_beside_end), "end not heeded", anywhere);
}
TEST(registry_faults, views_let_go_without_order) {
  expect_fault(make_registry_model(last_views), "let go relaxed", relaxed);
}
TEST(registry_faults, a_number_recycled_by_each_view) {
  expect_fault(make_registry_model(last_views), "recycled by each", anywhere);
}
TEST(registry_faults, a_number_recycled_by_the_end_alone) {
  expect_fault(make_registry_model(strangers), "holders not heeded", anywhere);
}
TEST(registry_faults, numbers_without_the_lock) {
  expect_fault(make_registry_model(strangers), "no lock", anywhere);
}

const deposits_scenario two_segments = {.threads = {"0", "1"}};
const deposits_scenario three_segments = {.threads = {"0", "1", "2"}};
const deposits_scenario middle_last = {.threads = {"02", "1"}};
const deposits_scenario five_segments = {.threads = {"04", "31", "2"}};
const deposits_scenario two_scopes = {.threads = {"0b", "1a", "c"}};

TEST(deposits, two_segments) { expect_right(two_segments); }
TEST(deposits, three_segments) { expect_right(three_segments); }
TEST(deposits, a_segment_between_two) { expect_right(middle_last); }
TEST(deposits, five_segments) { expect_right(five_segments); }
TEST(deposits, of_two_scopes) { expect_right(two_scopes); }

TEST(deposits_faults, without_the_lock) {
  expect_fault(make_deposits_model(two_segments), "no lock", anywhere);
}
TEST(deposits_faults, neighbours_on_one_side_only) {
  expect_fault(make_deposits_model(two_segments), "one side only", anywhere);
}
}  // namespace

// Every schedule of a wait's look at whose strand something is, and faults that must be found.

#include "models/root_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::memory_kind;
using explore::root_fault;

TEST(roots, of_a_task_whose_pusher_is_over) { explore::expect_right(*explore::make_walk_model()); }
TEST(roots, of_a_task_whose_pushers_group_was_where_the_wait_s_is) {
  explore::expect_right(*explore::make_same_address_model());
}
TEST(roots, are_taken_from_by_who_waits_for_them_alone) {
  for (const int first : {0, 1}) explore::expect_right(*explore::make_take_model(first));
}

void expect_broken(explore::model& program, const char* fault) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(program, memory, {.broken = fault});
  }
}

TEST(root_faults, number_ignored) { expect_broken(*explore::make_walk_model(), "number ignored"); }
TEST(root_faults, number_last) { expect_broken(*explore::make_walk_model(), "number last"); }
TEST(root_faults, nothing_released) {
  explore::expect_failure(*explore::make_walk_model(root_fault::nothing_released), memory_kind::views);
}
TEST(root_faults, nothing_acquired) {
  explore::expect_failure(*explore::make_walk_model(root_fault::nothing_acquired), memory_kind::views);
}
TEST(root_faults, asked_too_early) { expect_broken(*explore::make_take_model(0), "asked too early"); }

}  // namespace

// Every schedule of questions to threads that end, and faults that must be found.

#include "models/question_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::memory_kind;
using explore::question_scenario;

void expect_right(const question_scenario& with, int preemptions = -1) {
  explore::expect_right(*make_question_model(with), {.preemptions = preemptions});
}
void expect_fault(const question_scenario& with, const char* broken,
                  std::initializer_list<memory_kind> memories = {memory_kind::tso, memory_kind::views}) {
  for (const memory_kind memory : memories) {
    explore::expect_failure(*make_question_model(with), memory, {.broken = broken});
  }
}

const question_scenario end = {.program = {"e", "a"}};
const question_scenario end_beside_two = {.program = {"e", "a", "a"}};
const question_scenario used_again = {.program = {"e", "n", "a"}};

TEST(question, to_a_thread_that_ends) { expect_right(end); }
TEST(question, by_two_to_a_thread_that_ends) { expect_right(end_beside_two, 1); }
TEST(question, to_a_worker_that_is_used_again) { expect_right(used_again, 2); }

TEST(question_faults, without_a_visit) { expect_fault(end, "question without a visit"); }
TEST(question_faults, visit_relaxed) {
  expect_fault(end, "visit of a question relaxed", {memory_kind::views});
}
TEST(question_faults, asked_without_a_thread) { expect_fault(end, "asked without a thread"); }
TEST(question_faults, visitors_not_awaited) { expect_fault(end, "visitors not awaited"); }
TEST(question_faults, end_not_told) { expect_fault(end, "end not told"); }
TEST(question_faults, end_told_by_a_release) { expect_fault(end, "end told by a release"); }

}  // namespace

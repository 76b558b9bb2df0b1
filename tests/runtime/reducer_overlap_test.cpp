// Scopes of one function that overlap: what their strands appended comes out in serial order, though deposits of one scope lie
// between those of another.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

nopal::reducer<nopal::op_string_append> text;

/// The first scope's join comes between two children of the second, the first of which has not ended by then, as a rule.
void outer_joined_first() {
  flag first{false};
  flag second{false};
  scope s1;
  scope s2;
  s1.fork([&] {
    wait_for_continuation(first);
    *text += 'a';
  });
  set(first);
  *text += 'b';
  s2.fork([&] {
    wait_for_continuation(second);
    support::burn(50'000);
    *text += 'c';
  });
  set(second);
  *text += 'd';
  s1.join();
  NOPAL_CHECK(text.value() == "abcd");
  *text += 'e';
  s2.fork([] { *text += 'f'; });
  *text += 'g';
}

NOPAL_PROGRAM(joins_wait_for_what_lies_between) {
  for (int i = 0; i < 1000; ++i) {
    outer_joined_first();
    NOPAL_CHECK(text.take() == "abcdefg");
  }
  support::check_quiet();
  return 0;
}

enum class act { append, fork, join };

struct step {
  act what;
  std::size_t which;  ///< of the scopes
  int rounds;         ///< of work
  int depth;          ///< of forks below a child
};

std::string label(std::size_t number) { return std::to_string(number) + ','; }

void append_leaves(std::size_t number, int rounds, int depth) {
  if (depth == 0) {
    if (rounds % 3 == 0) std::this_thread::yield();
    support::burn(rounds);
    *text += label(number);
    return;
  }
  scope s;
  s.fork(append_leaves, number * 2, rounds, depth - 1);
  append_leaves(number * 2 + 1, rounds / 2, depth - 1);
  s.join();
}

void append_serially(std::string& to, std::size_t number, int depth) {
  if (depth == 0) {
    to += label(number);
    return;
  }
  append_serially(to, number * 2, depth - 1);
  append_serially(to, number * 2 + 1, depth - 1);
}

std::vector<step> random_steps(std::mt19937& random) {
  const auto below = [&random](unsigned limit) { return static_cast<int>(random() % limit); };
  std::vector<step> steps(2 + random() % 12);
  for (step& one : steps) {
    const int kind = below(8);
    one = {.what = kind == 0  ? act::append
                   : kind < 3 ? act::join
                              : act::fork,
           .which = random() % 3,
           .rounds = below(100'000),
           .depth = below(3)};
  }
  return steps;
}

void run(const std::vector<step>& steps) {
  scope s0;
  scope s1;
  scope s2;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const step& one = steps[i];
    // The scopes' own function forks and joins them, so no array of them is handed to another.
    if (one.what == act::append) *text += label(i);
    if (one.what == act::fork && one.which == 0) s0.fork(append_leaves, i, one.rounds, one.depth);
    if (one.what == act::fork && one.which == 1) s1.fork(append_leaves, i, one.rounds, one.depth);
    if (one.what == act::fork && one.which == 2) s2.fork(append_leaves, i, one.rounds, one.depth);
    if (one.what == act::join && one.which == 0) s0.join();
    if (one.what == act::join && one.which == 1) s1.join();
    if (one.what == act::join && one.which == 2) s2.join();
  }
}

std::string serial_result(const std::vector<step>& steps) {
  std::string result;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].what == act::append) result += label(i);
    if (steps[i].what == act::fork) append_serially(result, i, steps[i].depth);
  }
  return result;
}

NOPAL_PROGRAM(random_overlaps) {
  std::mt19937 random(20'261'121);  // any: the schedules differ in each run
  for (int i = 0; i < 1500; ++i) {
    const std::vector<step> steps = random_steps(random);
    run(steps);
    NOPAL_CHECK(text.take() == serial_result(steps));
  }
  support::check_quiet();
  return 0;
}

class reducer_overlap : public support::program_at_workers {};

TEST_P(reducer_overlap, joins_wait_for_what_lies_between) {
  EXPECT_TRUE(run("joins_wait_for_what_lies_between"));
}
TEST_P(reducer_overlap, random_programs_come_out_in_serial_order) { EXPECT_TRUE(run("random_overlaps")); }

INSTANTIATE_TEST_SUITE_P(at_workers, reducer_overlap, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace

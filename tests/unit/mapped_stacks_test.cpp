// The mapped stacks of bench/mapped_stacks: which pages a worker sees where, and what the kernel holds of them.
#include <gtest/gtest.h>

#include "mapped_stacks/memory.hpp"
#include "mapped_stacks/programs.hpp"
#include "mapped_stacks/runtime.hpp"
#include "mapped_stacks/workers.hpp"

namespace {

using mapped::kind;

struct mapped_memory : testing::Test {
  mapped::memory all{mapped::options{}};
  mapped::counts counted{};
  mapped::region seen{all, counted};

  mapped::stack& stack_at(int number) { return all.table().stacks[static_cast<std::size_t>(number)]; }
  /// A stack whose strand's pages above `first_page` are the parent's.
  int make(int parent, int first_page) {
    const int made = seen.take();
    stack_at(made) = {parent, first_page, nullptr};
    return made;
  }
  /// The last byte of the page, at whatever stack is shown.
  volatile char& byte_of(int page) const { return *reinterpret_cast<volatile char*>(all.edge(0, page) - 1); }
};

TEST_F(mapped_memory, shows_the_prefix_of_the_parent_and_pages_of_its_own) {
  const int parent = make(mapped::no_stack, 0);
  seen.show(parent);
  for (int page = 0; page < 4; ++page) byte_of(page) = static_cast<char>('a' + page);
  const int thief = make(parent, 2);
  seen.show(thief);
  EXPECT_EQ(byte_of(0), 'a');
  EXPECT_EQ(byte_of(1), 'b');
  EXPECT_EQ(byte_of(2), 0);
  byte_of(1) = 'x';
  byte_of(2) = 'y';
  seen.show(parent);
  EXPECT_EQ(byte_of(1), 'x');
  EXPECT_EQ(byte_of(2), 'c');
}

TEST_F(mapped_memory, maps_what_differs_and_no_more) {
  const int parent = make(mapped::no_stack, 0);
  const int first = make(parent, 3);
  const int second = make(parent, 5);
  seen.show(first);
  EXPECT_EQ(counted.mmap_calls, 2U);
  EXPECT_EQ(counted.pages_mapped, 3U);
  seen.show(second);
  EXPECT_EQ(counted.mmap_calls, 4U);
  EXPECT_EQ(counted.pages_mapped, 5U);
  seen.show(second);
  EXPECT_EQ(counted.mmap_calls, 4U);
}

TEST_F(mapped_memory, gives_pages_back) {
  const int stack = make(mapped::no_stack, 0);
  seen.show(stack);
  for (int page = 0; page < 8; ++page) byte_of(page) = 1;
  EXPECT_EQ(all.resident_pages(), 8);
  all.give_back(stack, 3, counted);
  EXPECT_EQ(all.resident_pages(), 3);
  EXPECT_EQ(byte_of(2), 1);
  EXPECT_EQ(byte_of(3), 0);
}

struct at_workers : testing::TestWithParam<int> {};

TEST_P(at_workers, programs_are_right_on_both_kinds_of_stacks) {
  for (const kind stacks : {kind::mapped, kind::separate}) {
    for (const bool eager : {false, true}) {
      const mapped::options with{.stacks = stacks, .workers = GetParam(), .populate = eager, .eager = eager};
      EXPECT_EQ(mapped::run(with, [](int n) { return mapped::fib(n); }, 22, 8).value, 17711);
      EXPECT_EQ(mapped::run(with, mapped::nqueens, 8, 8).value, 92);
      EXPECT_EQ(mapped::run(with, mapped::chain, 50, 8).value, 50);
    }
  }
}

long others_that_look_for_work(int /*size*/) { return mapped::state->begun.load(std::memory_order_relaxed); }

TEST_P(at_workers, all_have_begun_before_the_program_does) {
  for (const kind stacks : {kind::mapped, kind::separate}) {
    const mapped::options with{.stacks = stacks, .workers = GetParam()};
    EXPECT_EQ(mapped::run(with, others_that_look_for_work, 1, 1).value, GetParam() - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(mapped_stacks, at_workers, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace

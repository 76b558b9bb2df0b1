// Arguments of hundreds of kilobytes that a stolen continuation passes by value, from frames with and without large locals.
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <string>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;

constexpr std::size_t kib = 1024;

template <std::size_t Bytes>
struct large {
  char bytes[Bytes];
};

template <std::size_t Bytes>
[[gnu::noinline]] long sum(large<Bytes> of, int begin) {
  long total = begin;
  for (const char byte : of.bytes) total += byte;
  return total;
}

template <std::size_t Bytes>
large<Bytes> argument;  // NOLINT: compilers copy it straight to where it is passed

template <std::size_t Bytes>
[[gnu::noinline]] void pass_by_value() {
  std::memset(argument<Bytes>.bytes, 1, Bytes);
  flag went_on{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(went_on); });
  const long seen = sum(argument<Bytes>, 5);
  support::set(went_on);
  s.join();
  NOPAL_CHECK(seen == static_cast<long>(Bytes) + 5);
}

template <std::size_t Bytes, std::size_t LocalBytes>
[[gnu::noinline]] void pass_by_value_beside_locals() {
  volatile char locals[LocalBytes];
  std::memset(argument<Bytes>.bytes, 1, Bytes);
  locals[0] = 3;
  locals[LocalBytes - 1] = 3;
  flag went_on{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(went_on); });
  const long seen = sum(argument<Bytes>, locals[0] + locals[LocalBytes - 1]);
  support::set(went_on);
  s.join();
  NOPAL_CHECK(seen == static_cast<long>(Bytes) + 6 && locals[0] == 3);
}

NOPAL_PROGRAM(passes_large_arguments) {
  for (int i = 0; i < 10; ++i) {
    pass_by_value<300 * kib>();
    pass_by_value_beside_locals<300 * kib, 100 * kib>();
    pass_by_value_beside_locals<300 * kib, 3000 * kib>();
  }
  return 0;
}

NOPAL_PROGRAM(passes_larger_arguments) {
  for (int i = 0; i < 10; ++i) pass_by_value<2500 * kib>();
  return 0;
}

NOPAL_PROGRAM(passes_small_arguments_beside_large_locals) {
  for (int i = 0; i < 10; ++i) pass_by_value_beside_locals<1 * kib, 300 * kib>();
  return 0;
}

void pass_some_time(int rounds) {
  for (int i = 0; i < rounds; ++i) asm volatile("" : : : "memory");
}

template <std::size_t Bytes>
[[gnu::noinline]] int first_and_last(large<Bytes> one, int sent, large<Bytes> two) {
  pass_some_time(20'000);
  return one.bytes[0] == two.bytes[Bytes - 1] ? sent : -1;
}

template <std::size_t Bytes>
[[gnu::noinline]] void fork_with_two() {
  int seen[8];
  scope s;
  for (int v = 0; v < 8; ++v) {
    s.fork_into(seen[v], first_and_last<Bytes>, argument<Bytes>, v, argument<Bytes>);
    pass_some_time(800);
  }
  s.join();
  for (int v = 0; v < 8; ++v) NOPAL_CHECK(seen[v] == v);
}

/// Compilers keep several copies of each argument: some need more than a stack for these.
template <std::size_t Bytes>
int fork_often_with_two() {
  support::no_core();
  std::memset(argument<Bytes>.bytes, 1, Bytes);
  for (int i = 0; i < 50; ++i) fork_with_two<Bytes>();
  return 0;
}
NOPAL_PROGRAM(forks_with_two_of_200_kB) { return fork_often_with_two<200'000>(); }
NOPAL_PROGRAM(forks_with_two_of_20_kB) { return fork_often_with_two<20'000>(); }

NOPAL_PROGRAM(passes_too_much) {
  support::no_core();
  pass_by_value<80 * kib>();
  return 0;
}

TEST(large_arguments, fit_by_default) {
  EXPECT_TRUE(support::succeeds("passes_large_arguments", support::on_workers(3)));
}

TEST(large_arguments, fit_where_the_stacks_are_made_larger) {
  EXPECT_TRUE(
      support::succeeds("passes_larger_arguments", {{"NOPAL_WORKERS", "3"}, {"NOPAL_STACK_SIZE", "8M"}}));
}

TEST(large_arguments, small_ones_fit_small_stacks_beside_large_locals) {
  EXPECT_TRUE(support::succeeds("passes_small_arguments_beside_large_locals",
                                {{"NOPAL_WORKERS", "3"}, {"NOPAL_STACK_SIZE", "64K"}}));
}

// Whether they fit depends on the compiler.
void expect_right_or_one_line(const char* program, const char* workers, const char* stack) {
  for (int i = 0; i < 10; ++i) {
    const support::outcome end =
        support::run_program(program, {{"NOPAL_WORKERS", workers}, {"NOPAL_STACK_SIZE", stack}});
    if (end.signal == 0) {
      EXPECT_EQ(end.exit_code, 0) << end.description();
      continue;
    }
    EXPECT_EQ(end.signal, SIGSEGV) << end.description();
    EXPECT_TRUE(end.err.starts_with("nopal: stack overflow on worker") ||
                end.err.starts_with("nopal: arguments passed by value do not fit worker"))
        << end.description();
  }
}

TEST(large_arguments, that_are_copied_past_the_end_of_a_stack_are_one_line) {
  for (const char* const workers : {"1", "2", "7"}) {
    expect_right_or_one_line("forks_with_two_of_200_kB", workers, "1M");
    expect_right_or_one_line("forks_with_two_of_20_kB", workers, "64K");
  }
}

TEST(large_arguments, that_do_not_fit_are_one_line_and_a_segmentation_fault) {
  const support::outcome end =
      support::run_program("passes_too_much", {{"NOPAL_WORKERS", "2"}, {"NOPAL_STACK_SIZE", "64K"}});
  EXPECT_EQ(end.signal, SIGSEGV) << end.description();
  EXPECT_EQ(
      end.err,
      "nopal: arguments passed by value do not fit worker 1's stack of 65536 bytes; raise NOPAL_STACK_SIZE "
      "or pass references\n");
}

}  // namespace

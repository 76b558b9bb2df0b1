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

// What threads have of AArch64's floating point, for strand_test.cpp.
#include <gtest/gtest.h>

#include "runtime/two_threads.hpp"
#include "support/float_control.hpp"

namespace {

using support::float_control;
using support::set_float_control;
using two_threads::on_two_threads;
using two_threads::passes;

// Rounding down, flush-to-zero, default NaNs. Traps are not on every processor of this kind.
constexpr std::uint64_t modes = std::uint64_t{0x2} << 22 | support::flush_to_zero | std::uint64_t{1} << 25;

NOPAL_PROGRAM(float_modes) {
  const std::uint64_t before = float_control();
  for (int i = 0; i < 20; ++i) {
    set_float_control(modes);
    const auto is_ours = [] { NOPAL_CHECK(float_control() == modes); };
    on_two_threads(is_ours, is_ours);
    is_ours();
    set_float_control(before);
    const auto is_usual = [&] { NOPAL_CHECK(float_control() == before); };
    on_two_threads(is_usual, is_usual);
  }
  return 0;
}

/// A continuation's own are still there after its join, on another thread again.
NOPAL_PROGRAM(float_modes_at_joins) {
  const std::uint64_t before = float_control();
  for (int i = 0; i < 20; ++i) {
    on_two_threads([] {}, [] { set_float_control(modes); });
    NOPAL_CHECK(float_control() == modes);
    set_float_control(before);
  }
  return 0;
}

TEST(strand_carries, floating_point_modes) { EXPECT_TRUE(passes("float_modes")); }
TEST(strand_carries, floating_point_modes_home) { EXPECT_TRUE(passes("float_modes_at_joins")); }

}  // namespace

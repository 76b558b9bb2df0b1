// Rounding mode and flush-to-zero of a root are those of all its strands, and of the root after its joins.
#include <gtest/gtest.h>

#include <cfenv>
#include <limits>
#include <thread>

#include <nopal/waiting.hpp>

#include "support/float_control.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

struct control {
  int rounding;
  bool flushes;
};

void apply(const control& one) {
  NOPAL_CHECK(std::fesetround(one.rounding) == 0);
  using support::flush_to_zero;
  support::set_float_control((support::float_control() & ~flush_to_zero) |
                             (one.flushes ? flush_to_zero : 0U));
}

// Volatile operands keep the compiler from computing at its own rounding.
void check_in_force(const control& one) {
  volatile double third = 1.0;
  third = third / 3.0;
  const bool up = third * 3.0L > 1.0L;
  NOPAL_CHECK(up == (one.rounding == FE_UPWARD));
  NOPAL_CHECK(std::fegetround() == one.rounding);
  volatile double least = std::numeric_limits<double>::min();
  least = least / 2.0;
  NOPAL_CHECK((least == 0.0) == (one.flushes && support::flush_to_zero != 0));
}

void strands(const control& one, int depth) {
  if (depth == 0) return check_in_force(one);
  flag went_on{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(went_on);
    check_in_force(one);
  });
  check_in_force(one);
  set(went_on);
  strands(one, depth - 1);
  check_in_force(one);
  s.join();
  check_in_force(one);
}

void root(const control& one) {
  apply(one);
  for (int i = 0; i < 100; ++i) strands(one, 4);
  apply({FE_TONEAREST, false});
}

NOPAL_PROGRAM(one_root_after_another) {
  for (int i = 0; i < 5; ++i) {
    root({FE_UPWARD, true});
    root({FE_TONEAREST, false});
    root({FE_DOWNWARD, false});
    root({FE_TOWARDZERO, true});
  }
  return 0;
}

NOPAL_PROGRAM(roots_at_once) {
  std::thread other([] { root({FE_UPWARD, true}); });
  root({FE_DOWNWARD, false});
  other.join();
  support::check_quiet();
  return 0;
}

/// The child has another mode than its region, as code has between the instructions of some conversions, when
/// it is asked for the continuation.
void child_with_a_mode_of_its_own(const control& region) {
  flag waits{false};
  flag went_on{false};
  scope outermost;
  outermost.fork([&] {
    scope outer;
    outer.fork([&] {
      scope inner;
      inner.fork([&] {
        apply({FE_DOWNWARD, !region.flushes});
        set(waits);
        wait_for_continuation(went_on);
        apply(region);
      });
      check_in_force(region);
      set(went_on);
      inner.join();
      check_in_force(region);
    });
    check_in_force(region);
    outer.join();
  });
  // A thief that waits here lets the forks below be latent.
  while (nopal::workers() > 1 && !waits.load(std::memory_order_acquire)) std::this_thread::yield();
  outermost.join();
}

NOPAL_PROGRAM(modes_of_children) {
  for (int i = 0; i < 200; ++i) {
    const control region = {i % 2 == 0 ? FE_UPWARD : FE_TOWARDZERO, i % 3 == 0};
    apply(region);
    child_with_a_mode_of_its_own(region);
    check_in_force(region);
    apply({FE_TONEAREST, false});
  }
  return 0;
}

/// The first push of a process is on its thread's own stack, and takes long. A thread that is asked meanwhile has nothing latent
/// yet, and then children that wait for what only thieves of latent forks do.
NOPAL_PROGRAM(mode_of_a_first_child) {
  const control region = {FE_UPWARD, true};
  apply(region);
  child_with_a_mode_of_its_own(region);
  return 0;
}

#if NOPAL_HAS_LATENT_FORKS
// Alone, a thread pushes fast, and nobody is told of the mode. A substitute for another's strand asks.
NOPAL_PROGRAM(mode_on_one_worker_beside_a_substitute) {
  const auto leaf = [] { asm volatile(""); };
  {
    scope s;
    s.fork(leaf);
    s.join();
  }
  apply({FE_UPWARD, true});
  flag is_forked{false};
  flag went_on{false};
  std::thread other([&] {
    while (!is_forked.load(std::memory_order_acquire)) std::this_thread::yield();
    scope s;
    s.fork([&] {
      nopal::blocking([&] {
        for (int i = 0; i != 500 && !went_on.load(std::memory_order_acquire); ++i) support::sleep_ms(1);
      });
    });
    s.join();
  });
  scope s;
  s.fork([&] {
    set(is_forked);
    for (int i = 0; i != 100'000'000 && !went_on.load(std::memory_order_acquire); ++i) {
    }
  });
  check_in_force({FE_UPWARD, true});
  set(went_on);
  s.join();
  apply({FE_TONEAREST, false});
  other.join();
  return 0;
}
TEST(float_control_at, one_worker_is_that_of_the_region_beside_a_substitute) {
  EXPECT_TRUE(support::succeeds("mode_on_one_worker_beside_a_substitute", support::on_workers(1)));
}
#endif

class float_control : public support::program_at_workers {};

TEST_P(float_control, of_a_root_is_that_of_its_strands) { EXPECT_TRUE(run("one_root_after_another")); }
TEST_P(float_control, differs_between_roots_at_once) { EXPECT_TRUE(run("roots_at_once")); }
TEST_P(float_control, of_a_child_for_a_while_is_its_own) { EXPECT_TRUE(run("modes_of_children")); }

#if NOPAL_HAS_LATENT_FORKS
/// Where the answer hid the latent forks that came next, one process in some hundred hung on a busy machine.
TEST_P(float_control, of_a_processs_first_child_is_its_own) {
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(run("mode_of_a_first_child")) << i;
}
#endif

INSTANTIATE_TEST_SUITE_P(at_workers, float_control, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

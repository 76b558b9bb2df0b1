// The counts are exact when the pool is quiet, whatever happened before.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <nopal/arena.hpp>
#include <nopal/waiting.hpp>

#include "support/strands.hpp"

extern "C" void nopal_print_workers() noexcept;  // for watchdogs and debuggers

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

void stolen_once() {
  flag went_on{false};
  scope s;
  s.fork([&] { wait_for_continuation(went_on); });
  set(went_on);
  s.join();
}

int throw_from_both() {
  try {
    flag went_on{false};
    scope s;
    s.fork([&] {
      wait_for_continuation(went_on);
      throw 1;
    });
    set(went_on);
    throw 2;
  } catch (const int number) {
    return number;
  }
}

NOPAL_PROGRAM(balanced_after_every_kind_of_work) {
  for (int round = 0; round < 50; ++round) {
    support::fib(14);
    support::check_quiet();
    stolen_once();
    support::check_quiet();
    throw_from_both();
    support::check_quiet();
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([] {
        support::fib(12);
        throw_from_both();
      });
    }
    for (std::thread& one : threads) one.join();
    support::check_quiet();
    if (round % 10 == 9) {
      nopal::shutdown();
      support::check_quiet();
    }
  }
  return 0;
}

NOPAL_PROGRAM(every_steal_is_counted) {
  const nopal::statistics before = nopal::stats();
  NOPAL_CHECK(before.total.steals == 0 && before.stacks_peak == 0);
  for (int i = 0; i < 100; ++i) stolen_once();
  const nopal::statistics after = nopal::stats();
  NOPAL_CHECK(after.total.steals == (nopal::workers() > 1 ? 100U : 0U));
  NOPAL_CHECK(after.total.resumptions == after.total.steals);
  NOPAL_CHECK(after.total.suspensions <= after.total.steals);
  // One held the strand; every worker of the pool may have kept another at hand.
  const auto workers = static_cast<std::uint64_t>(nopal::workers());
  NOPAL_CHECK(after.stacks_peak >= (workers > 1 ? 1U : 0U) && after.stacks_peak <= workers + 1);
  NOPAL_CHECK(after.stacks_mapped >= after.stacks_peak);
  NOPAL_CHECK(after.stack_pages_peak >= after.stack_pages_in_use);
  return 0;
}

/// A recursion that is over before a wake-up would have paid, while all others sleep: most of its forks are as fast as ever.
NOPAL_PROGRAM(short_recursions_publish_little) {
  constexpr int forks = 986;
  constexpr std::uint64_t ticks_in_a_ns = 6;  // no processor has more
  constexpr std::uint64_t ticks_between_looks = 6000;
  for (int round = 0; round < 300; ++round) {
    // No rhythm: each is far from those about it.
    constexpr int pauses[] = {500, 2300, 1100, 3100, 700};
    std::this_thread::sleep_for(std::chrono::microseconds(pauses[round % 5]));
    const nopal::worker_statistics before = nopal::stats().total;
    const auto began = std::chrono::steady_clock::now();
    support::fib(15);
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
    const nopal::worker_statistics after = nopal::stats().total;
    if (after.failed_steals != before.failed_steals || after.steals != before.steals) {
      continue;  // thieves ask for more
    }
    const std::uint64_t looks =
        static_cast<std::uint64_t>(took.count()) * ticks_in_a_ns / ticks_between_looks;
    NOPAL_CHECK(after.publishes - before.publishes <= forks / 16 + looks);
  }
  return 0;
}

/// Where all that can be stolen takes some nanoseconds, thieves keep away: of a hundred forks fewer than five are stolen by
/// each, in most of the loops. They may look again in others, and have much to learn at the first.
NOPAL_PROGRAM(little_strands_are_seldom_stolen) {
  constexpr int loops = 31;
  constexpr int forks = 10'000;
  const auto spin = [] {
    for (int i = 0; i < 300; ++i) asm volatile("" ::: "memory");
  };
  const auto others = static_cast<std::uint64_t>(nopal::workers()) - 1;
  int with_few = 0;
  for (int i = 0; i < loops; ++i) {
    const std::uint64_t before = nopal::stats().total.steals;
    scope s;
    for (int child = 0; child < forks; ++child) s.fork(spin);
    s.join();
    if (nopal::stats().total.steals - before <= others * (forks / 20)) ++with_few;
  }
  NOPAL_CHECK(with_few > loops / 2);
  return 0;
}

/// Forks again and again beneath two forks. Where that is long, the first of them goes on until whoever looked up has
/// taken the oldest continuation, which is then work for as long as there are more forks. How many these publish.
std::uint64_t publishes_of_second_forks(bool is_long, int forks) {
  flag stolen{false};
  flag over{false};
  std::uint64_t publishes = 0;
  const auto inner = [&] {
    scope first;
    first.fork([&] {
      if (is_long) wait_for_continuation(stolen);
    });
    first.join();
    if (!is_long) return;
    const std::uint64_t before = nopal::stats().total.publishes;
    for (int i = 0; i < forks; ++i) {
      scope next;
      next.fork([] {});
      next.join();
    }
    publishes = nopal::stats().total.publishes - before;
    set(over);
  };
  scope outermost;
  outermost.fork([&] {
    scope outer;
    outer.fork(inner);
    outer.join();
  });
  set(stolen);
  while (is_long && nopal::workers() > 1 && !over.load(std::memory_order_acquire)) std::this_thread::yield();
  outermost.join();
  return publishes;
}

/// A region was taken for a short one, and whoever looked up has taken part: nobody is owed a wake-up any more.
NOPAL_PROGRAM(late_regions_publish_little) {
  constexpr int forks = 10'000;
  constexpr int short_ones = 100;
  std::uint64_t publishes = 0;
  // One call for both kinds: regions are known by the place of their first fork.
  for (int i = 0; i <= short_ones; ++i) {
    const bool is_long = i == short_ones;
    std::this_thread::sleep_for(std::chrono::microseconds(is_long ? 5000 : 1500 + i * 7919 % 3000));
    publishes = publishes_of_second_forks(is_long, forks);
  }
  NOPAL_CHECK(publishes <= forks / 16);
  return 0;
}

NOPAL_PROGRAM(sums_are_the_sums) {
  support::fib(20);
  const nopal::statistics now = nopal::stats();
  nopal::worker_statistics sum;
  for (const nopal::worker_statistics& one : now.per_worker) {
    sum.steals += one.steals;
    sum.stacks_taken += one.stacks_taken;
    sum.suspensions += one.suspensions;
  }
  NOPAL_CHECK(now.per_worker.size() == static_cast<std::size_t>(nopal::workers()));
  NOPAL_CHECK(sum.steals == now.total.steals);
  NOPAL_CHECK(sum.stacks_taken == now.total.stacks_taken);
  NOPAL_CHECK(sum.suspensions == now.total.suspensions);
  return 0;
}

NOPAL_PROGRAM(indices) {
  NOPAL_CHECK(nopal::worker_index() == -1);
  stolen_once();
  NOPAL_CHECK(nopal::worker_index() == 0);
  std::thread([] {
    NOPAL_CHECK(nopal::worker_index() == -1);
    stolen_once();
    NOPAL_CHECK(nopal::worker_index() == nopal::workers());
  }).join();
  int in_continuation = 0;
  flag went_on{false};
  scope s;
  s.fork([&] { wait_for_continuation(went_on); });
  in_continuation = nopal::worker_index();
  set(went_on);
  s.join();
  NOPAL_CHECK(nopal::workers() == 1 ? in_continuation == 0
                                    : in_continuation > 0 && in_continuation < nopal::workers());
  return 0;
}

NOPAL_PROGRAM(prints_workers) {
  nopal_print_workers();
  stolen_once();
  std::thread(stolen_once).join();  // its place is empty afterwards
  flag went_on{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(went_on);
    nopal_print_workers();
  });
  nopal_print_workers();
  set(went_on);
  s.join();
  return 0;
}

NOPAL_PROGRAM(prints_arenas) {
  nopal::arena two(2);
  two.execute([] { nopal::blocking(nopal_print_workers); });
  return 0;
}

class statistics : public support::program_at_workers {};

TEST_P(statistics, balance_after_every_kind_of_work) {
  EXPECT_TRUE(run("balanced_after_every_kind_of_work"));
}
TEST_P(statistics, count_every_steal) { EXPECT_TRUE(run("every_steal_is_counted")); }
TEST_P(statistics, sum_up_the_workers) { EXPECT_TRUE(run("sums_are_the_sums")); }
TEST_P(statistics, show_that_short_recursions_publish_little) {
  EXPECT_TRUE(run("short_recursions_publish_little"));
}
TEST_P(statistics, show_that_little_strands_are_seldom_stolen) {
  EXPECT_TRUE(run("little_strands_are_seldom_stolen"));
}
TEST_P(statistics, come_with_a_worker_index) { EXPECT_TRUE(run("indices")); }

TEST(statistics_of_two, show_that_regions_that_became_long_publish_little) {
  EXPECT_TRUE(support::succeeds("late_regions_publish_little", support::on_workers(2)));
}

TEST(worker_report, has_a_line_for_every_worker) {
  const support::outcome seen = support::run_program("prints_workers", support::on_workers(3));
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  EXPECT_TRUE(seen.err.starts_with("nopal: not running; 0 asleep")) << seen.err;
  for (const char* const line :
       {"nopal: running; ", "nopal: worker 0 (program): on the stack of its thread; deque top ",
        "nopal: worker 1 (pool): ", "nopal: worker 2 (pool): ",
        " (pool): on a stack of the pool; deque top "}) {
    EXPECT_NE(seen.err.find(line), std::string::npos) << line << seen.err;
  }
  EXPECT_EQ(seen.err.find("worker 3"), std::string::npos) << seen.err;
  EXPECT_EQ(seen.err.find("arena"), std::string::npos) << seen.err;
}

TEST(worker_report, tells_of_arenas_and_blocking_calls) {
  const support::outcome seen = support::run_program("prints_arenas", support::on_workers(3));
  EXPECT_EQ(seen.exit_code, 0) << seen.description();
  for (const char* const line : {" strands at joins, 1 in blocking calls, ", "nopal: worker 0 is in arena 0x",
                                 ", 2 at most, 0 wait to enter"}) {
    EXPECT_NE(seen.err.find(line), std::string::npos) << line << seen.err;
  }
}

INSTANTIATE_TEST_SUITE_P(at_workers, statistics, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

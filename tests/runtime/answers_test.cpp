// The right answers at every number of workers, and memory that does not grow with the number of forks.
#include <gtest/gtest.h>

#include <pthread.h>

#include <array>
#include <numeric>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::scope;

int workers() { return nopal::workers(); }

NOPAL_PROGRAM(fib) {
  NOPAL_CHECK(support::fib(24) == 46368);
  support::check_quiet();
  return 0;
}

using board = std::array<signed char, 12>;

bool safe(const board& queens, int row, int column) {
  for (int i = 0; i < row; ++i) {
    const int other = queens[static_cast<std::size_t>(i)];
    if (other == column || other - column == row - i || column - other == row - i) return false;
  }
  return true;
}

long queens(int size, int row, board placed) {
  if (row == size) return 1;
  std::array<long, 12> counts{};
  scope s;
  for (int column = 0; column < size; ++column) {
    if (!safe(placed, row, column)) continue;
    board next = placed;
    next[static_cast<std::size_t>(row)] = static_cast<signed char>(column);
    s.fork_into(counts[static_cast<std::size_t>(column)], queens, size, row + 1, next);
  }
  s.join();
  return std::accumulate(counts.begin(), counts.end(), 0L);
}

NOPAL_PROGRAM(nqueens) {
  NOPAL_CHECK(queens(9, 0, {}) == 352);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(loops) {
  constexpr int count = 20000;
  std::vector<int> squares(count);
  for (int round = 0; round < 5; ++round) {
    scope s;
    for (int i = 0; i < count; ++i) {
      s.fork([&squares, i] { squares[static_cast<std::size_t>(i)] = i * 3; });
    }
    s.join();
    for (int i = 0; i < count; ++i) NOPAL_CHECK(squares[static_cast<std::size_t>(i)] == i * 3);
  }
  support::check_quiet();
  return 0;
}

/// What is written before a fork or in a child is there after the join, through four levels of stolen strands.
long tree(int depth, int fan_out) {
  if (depth == 0) return 1;
  std::vector<long> sums(static_cast<std::size_t>(fan_out));
  scope s;
  for (long& sum : sums) s.fork_into(sum, tree, depth - 1, fan_out);
  s.join();
  return std::accumulate(sums.begin(), sums.end(), 0L);
}

NOPAL_PROGRAM(trees) {
  NOPAL_CHECK(tree(4, 12) == 20736);
  NOPAL_CHECK(tree(12, 2) == 4096);
  support::check_quiet();
  return 0;
}

// Every continuation is stolen, since each child waits for it: as deep as there are workers.
void chain(int depth, std::atomic<int>& reached) {
  if (depth == 0) {
    ++reached;
    return;
  }
  support::flag went_on{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(went_on); });
  support::set(went_on);
  chain(depth - 1, reached);
  s.join();
}

NOPAL_PROGRAM(chains) {
  std::atomic<int> reached{0};
  for (int i = 0; i < 50; ++i) chain(20, reached);
  NOPAL_CHECK(reached == 50);
  NOPAL_CHECK(workers() == 1 || nopal::stats().total.steals >= 1000);
  support::check_quiet();
  return 0;
}

long million_children() {
  std::atomic<long> ran{0};
  scope s;
  for (int i = 0; i < 1000000; ++i) s.fork([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
  s.join();
  return ran.load();
}

/// Memory that a worker, its stack and its deque may take once, beyond what one round used.
long settled_growth_kib() {
  const long of_sanitizers = support::watched ? 1L << 20 : 0;
  return 4096 + 64L * workers() + of_sanitizers;
}

NOPAL_PROGRAM(million_forks_stay_flat) {
  NOPAL_CHECK(million_children() == 1000000);
  const long before = support::resident_kib();
  NOPAL_CHECK(million_children() == 1000000);
  NOPAL_CHECK(support::resident_kib() - before < settled_growth_kib());
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(thousand_trees_stay_flat) {
  for (int i = 0; i < 100; ++i) NOPAL_CHECK(tree(10, 2) == 1024);
  const long before = support::resident_kib();
  for (int i = 0; i < 1000; ++i) NOPAL_CHECK(tree(10, 2) == 1024);
  NOPAL_CHECK(support::resident_kib() - before < settled_growth_kib());
  support::check_quiet();
  return 0;
}

class at_workers : public support::program_at_workers {};

TEST_P(at_workers, fib) { EXPECT_TRUE(run("fib")); }
TEST_P(at_workers, nqueens) { EXPECT_TRUE(run("nqueens")); }
TEST_P(at_workers, loops) { EXPECT_TRUE(run("loops")); }
TEST_P(at_workers, trees) { EXPECT_TRUE(run("trees")); }
TEST_P(at_workers, chains_of_steals) { EXPECT_TRUE(run("chains")); }

INSTANTIATE_TEST_SUITE_P(answers, at_workers, testing::Values(1, 2, 7, 300),
                         testing::PrintToStringParamName());

class memory_at_workers : public support::program_at_workers {};

TEST_P(memory_at_workers, a_loop_of_a_million_forks_stays_flat) {
  EXPECT_TRUE(run("million_forks_stay_flat"));
}
TEST_P(memory_at_workers, a_thousand_trees_stay_flat) { EXPECT_TRUE(run("thousand_trees_stay_flat")); }

INSTANTIATE_TEST_SUITE_P(answers, memory_at_workers, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

constexpr int deep = 100000;

int comb(int depth) {
  if (depth == 0) return 0;
  int below = 0;
  scope s;
  s.fork_into(below, comb, depth - 1);
  s.join();
  return below + 1;
}

/// The same with the depth in the continuation, so that stolen strands are deep as well.
int staircase(int depth) {
  if (depth == 0) return 0;
  int step = 0;
  scope s;
  s.fork_into(step, [] { return 1; });
  const int below = staircase(depth - 1);
  s.join();
  return below + step;
}

void run_on_big_thread(void* (*body)(void*)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  NOPAL_CHECK(pthread_attr_setstacksize(&attributes, std::size_t{256} << 20) == 0);
  pthread_t thread;
  NOPAL_CHECK(pthread_create(&thread, &attributes, body, nullptr) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

NOPAL_PROGRAM(deep_trees) {
  run_on_big_thread([](void*) -> void* {
    for (int i = 0; i < 3; ++i) {
      NOPAL_CHECK(comb(deep) == deep);
      NOPAL_CHECK(staircase(deep) == deep);
    }
    return nullptr;
  });
  support::check_quiet();
  return 0;
}

TEST(deep_tree, of_a_hundred_thousand_forks_runs_where_the_stacks_are_large) {
  for (const char* const count : {"1", "2", "7"}) {
    EXPECT_TRUE(support::succeeds("deep_trees", {{"NOPAL_WORKERS", count}, {"NOPAL_STACK_SIZE", "256M"}}))
        << count;
  }
}

NOPAL_PROGRAM(shallow) {
  NOPAL_CHECK(support::fib(18) == 2584);
  NOPAL_CHECK(tree(3, 8) == 512);
  return 0;
}

TEST(small_stacks, are_enough_for_shallow_programs) {
  EXPECT_TRUE(support::succeeds("shallow", {{"NOPAL_WORKERS", "7"}, {"NOPAL_STACK_SIZE", "64K"}}));
}

}  // namespace

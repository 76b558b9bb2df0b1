// Strands and OpenMP in one program: regions in strands, forks in regions, both nested. Built by a compiler of each OpenMP
// library, and run on several numbers of workers. OpenMP's threads are more than most machines here have CPUs.
#include <gtest/gtest.h>

#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <nopal/nopal.hpp>
#include <nopal/openmp.hpp>
#include <nopal/parallel.hpp>

#include "support/strands.hpp"

namespace {

constexpr int team = 3;

// GCC takes omp_get_thread_num for constant within a function, so it is asked through what GCC cannot see through.
int (*volatile const thread_number)() = omp_get_thread_num;
long os_thread() { return syscall(SYS_gettid); }

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

/// A scope whose continuation goes on behind the join on the thread of a thief, if one comes soon.
void move_to_another_thread() {
  support::flag stolen = false, ended = false;
  nopal::scope s;
  s.fork([&] {
    support::wait_briefly(stolen);
    ended = true;
  });
  stolen = true;
  while (!ended) std::this_thread::yield();
  s.join();
}

/// The sum of the numbers below `n`, by a team.
long sum_below(int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(team) schedule(dynamic, 16)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}

/// A region at every node of a tree of forks.
long sums_at_every_depth(int depth) {
  long left = 0;
  nopal::scope s;
  if (depth > 0) s.fork_into(left, sums_at_every_depth, depth - 1);
  const long own = nopal::openmp::region([] { return sum_below(100); });
  const long right = depth > 0 ? sums_at_every_depth(depth - 1) : 0;
  s.join();
  return left + own + right;
}

TEST(regions, in_strands_of_every_depth_are_right) {
  constexpr long nodes = (1 << 6) - 1;
  EXPECT_EQ(sums_at_every_depth(5), nodes * 4950);
  nopal::shutdown();
  EXPECT_EQ(sums_at_every_depth(3), 15 * 4950);
}

TEST(regions, in_every_pass_of_a_parallel_loop_are_right) {
  std::vector<long> sums(64);
  nopal::parallel_for(0, 64, [&](int i) {
    sums[static_cast<std::size_t>(i)] = nopal::openmp::region(1, [&] { return sum_below(i); });
  });
  for (int i = 0; i < 64; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], i * (i - 1) / 2);
}

TEST(regions, of_tasks_in_strands_are_right) {
  std::array<std::atomic<long>, 8> sums{};
  nopal::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t which) {
    std::atomic<long>& sum = sums[which];
    nopal::openmp::region([&] {
#pragma omp parallel num_threads(team)
#pragma omp single
      {
#pragma omp taskloop grainsize(8)
        for (unsigned long i = 0; i < 100; ++i) sum += static_cast<long>(i);
#pragma omp task
        sum += 50;
#pragma omp taskwait
      }
    });
  });
  for (const std::atomic<long>& sum : sums) EXPECT_EQ(sum.load(), 5000);
}

TEST(forks, in_a_region_come_back_on_their_thread) {
  std::array<int, team> numbers_before{}, numbers_after{};
  std::array<bool, team> same_thread{};
  std::array<long, team> results{};
#pragma omp parallel num_threads(team)
  {
    const auto own = static_cast<std::size_t>(thread_number());
    for (int round = 0; round < 20; ++round) {
      const long before = os_thread();
      numbers_before[own] = thread_number();
      results[own] = fib(14 + static_cast<int>(own));
      numbers_after[own] = thread_number();
      same_thread[own] = before == os_thread();
#pragma omp barrier
    }
  }
  EXPECT_EQ(numbers_before, (std::array<int, team>{0, 1, 2}));
  EXPECT_EQ(numbers_after, (std::array<int, team>{0, 1, 2}));
  EXPECT_EQ(same_thread, (std::array<bool, team>{true, true, true}));
  EXPECT_EQ(results, (std::array<long, team>{377, 610, 987}));
}

TEST(forks, in_worksharing_single_sections_and_tasks_are_right) {
  std::vector<long> loop(24);
  long single = 0, first = 0, second = 0, task = 0;
#pragma omp parallel num_threads(team)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 24; ++i) loop[static_cast<std::size_t>(i)] = fib(i % 12);
#pragma omp single
    single = fib(15);
#pragma omp sections
    {
#pragma omp section
      first = fib(13);
#pragma omp section
      second = fib(14);
    }
#pragma omp single
    {
#pragma omp task shared(task)
      task = fib(16);
#pragma omp taskwait
    }
  }
  for (int i = 0; i < 24; ++i) EXPECT_EQ(loop[static_cast<std::size_t>(i)], fib(i % 12));
  EXPECT_EQ(single, 610);
  EXPECT_EQ(first, 233);
  EXPECT_EQ(second, 377);
  EXPECT_EQ(task, 987);
}

/// Regions in strands, of regions in strands, of regions.
long nested(int depth) {
  if (depth == 0) return 1;
  std::atomic<long> in_strands = 0, in_region = 0;
  nopal::parallel_for(0, 2, 1,
                      [&](int) { in_strands += nopal::openmp::region([] { return sum_below(10); }); });
  nopal::openmp::root_region([&] {
#pragma omp parallel for num_threads(team)
    for (int i = 0; i < team; ++i) {
      long x = 0;
      nopal::scope s;
      s.fork_into(x, nested, depth - 1);
      const long y = nested(depth - 1);
      s.join();
      in_region += x + y;
    }
  });
  return in_strands == 90 ? in_region.load() : -1;
}

TEST(both, nested_in_one_another_are_right) { EXPECT_EQ(nested(3), 216); }

TEST(root_region, throws_what_its_function_throws) {
  EXPECT_THROW(nopal::openmp::root_region([] { throw std::runtime_error(""); }), std::runtime_error);
}

TEST(root_region, is_on_one_thread_in_any_strand) {
  std::atomic<int> moves = 0;
  nopal::parallel_for(0, 20, 1, [&](int) {
    nopal::openmp::root_region([&] {
#pragma omp parallel num_threads(2)
      {
        const long before = os_thread();
        move_to_another_thread();
        if (before != os_thread()) ++moves;
      }
    });
  });
  EXPECT_EQ(moves.load(), 0);
}

TEST(exceptions, of_a_child_are_caught_in_the_region_that_forked) {
  std::array<std::string, team> caught{};
#pragma omp parallel num_threads(team)
  {
    const int number = thread_number();
    try {
      nopal::scope s;
      s.fork([&] { throw std::runtime_error(std::to_string(number)); });
      fib(10);
      s.join();
    } catch (const std::runtime_error& error) {
      caught[static_cast<std::size_t>(thread_number())] = error.what();
    }
  }
  EXPECT_EQ(caught, (std::array<std::string, team>{"0", "1", "2"}));
}

TEST(exceptions, kept_in_a_region_leave_the_join) {
  const auto failing_region = [] {
    std::exception_ptr kept;
#pragma omp parallel for num_threads(team)
    for (int i = 0; i < 10; ++i) {
      try {
        if (i == 7) throw std::runtime_error("seven");
      } catch (...) {
#pragma omp critical
        kept = std::current_exception();
      }
    }
    if (kept != nullptr) std::rethrow_exception(kept);
  };
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(
        {
          nopal::scope s;
          s.fork([&] { nopal::openmp::region(failing_region); });
          fib(12);
          s.join();
        },
        std::runtime_error);
  }
}

int team_size() {
  int size = 0;
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  return size;
}
int asked_team_size(int threads) {
  int size = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

TEST(limits, hold_for_their_life) {
  ASSERT_TRUE(nopal::openmp::is_present());
  omp_set_dynamic(0);
  omp_set_num_threads(4);
  EXPECT_EQ(team_size(), 4);
  {
    const nopal::openmp::thread_limit two(2);
    EXPECT_EQ(team_size(), 2);
    EXPECT_EQ(asked_team_size(3), 3);
    {
      const nopal::openmp::serial_regions serial;
      EXPECT_EQ(team_size(), 1);
      EXPECT_EQ(asked_team_size(3), 1);
      EXPECT_EQ(omp_get_max_threads(), 1);
      const nopal::openmp::thread_limit not_raised(3);
      EXPECT_EQ(team_size(), 1);
      EXPECT_EQ(asked_team_size(3), 1);
    }
    EXPECT_EQ(team_size(), 2);
    EXPECT_EQ(asked_team_size(3), 3);
  }
  EXPECT_EQ(team_size(), 4);
  EXPECT_EQ(nopal::openmp::region(2, team_size), 2);
  EXPECT_EQ(nopal::openmp::region(0, team_size), 1);
  EXPECT_EQ(nopal::openmp::region(team_size), 4);
}

TEST(limits, are_of_one_thread) {
  omp_set_dynamic(0);
  nopal::parallel_for(0, 200, 1, [&](int i) {
    const int threads = 1 + i % 3;
    EXPECT_EQ(nopal::openmp::region(threads,
                                    [&] {
                                      omp_set_num_threads(threads);
                                      return team_size();
                                    }),
              threads);
  });
}

TEST(region, returns_what_its_function_returns) {
  int place = 1;
  EXPECT_EQ(&nopal::openmp::region([&]() -> int& { return place; }), &place);
  EXPECT_EQ(*nopal::openmp::region([] { return std::make_unique<int>(5); }), 5);
  EXPECT_EQ(*nopal::openmp::region(1, [] { return std::make_unique<int>(6); }), 6);
  nopal::openmp::region([&] { place = 7; });
  EXPECT_EQ(place, 7);
  EXPECT_THROW(nopal::openmp::region([] { throw std::runtime_error(""); }), std::runtime_error);
}

TEST(region, may_fork_outside_of_all_scopes) {
  for (int round = 0; round < 100; ++round) EXPECT_EQ(nopal::openmp::region([] { return fib(12); }), 144);
}

/// The same for sure, where a thread has nothing else to do; on stacks of the runtime, since strands of a thread's own stack
/// come back to it.
void move_for_sure() {
  support::flag stolen = false, ended = false;
  nopal::scope s;
  s.fork([&] {
    support::wait_for_continuation(stolen);
    ended = true;
  });
  stolen = true;
  while (!ended) std::this_thread::yield();
  support::sleep_ms(1);
  s.join();
}
bool region_that_moves_is_told(bool& moved) {
  const long before = os_thread();
  try {
    nopal::openmp::region([&] {
      move_for_sure();
      moved = before != os_thread();
    });
  } catch (const nopal::error&) {
    return true;
  }
  return false;
}

TEST(region, that_comes_back_on_another_thread_is_told) {
  int moves = 0;
  for (int round = 0; round < 20; ++round) {
    bool moved = false, told = false;
    support::flag stolen = false;
    nopal::scope s;
    s.fork([&] { support::wait_for_continuation(stolen); });
    stolen = true;
    told = region_that_moves_is_told(moved);
    s.join();
    EXPECT_EQ(told, moved);
    moves += moved ? 1 : 0;
  }
  EXPECT_TRUE(moves > 0 || nopal::workers() == 1) << moves;
}

/// Regions before and after a fork in one function. Clang asks for the thread once per function, and tells the library the
/// `num_threads` of that thread.
int team_asked_for_after_a_move() {
  int before = 0, after = 0;
  nopal::openmp::region([&] {
#pragma omp parallel num_threads(2)
#pragma omp single
    before = omp_get_num_threads();
  });
  move_for_sure();
  nopal::openmp::region([&] {
#pragma omp parallel num_threads(3)
#pragma omp single
    after = omp_get_num_threads();
  });
  return 10 * before + after;
}

TEST(region, asks_for_a_team_on_the_thread_behind_a_fork) {
  omp_set_dynamic(0);
  for (int round = 0; round < 20; ++round) {
    support::flag stolen = false;
    nopal::scope s;
    s.fork([&] { support::wait_for_continuation(stolen); });
    stolen = true;
    EXPECT_EQ(team_asked_for_after_a_move(), 23);
    s.join();
  }
}

/// Which number a strand has before and after a fork in one function. GCC asks once per function.
bool numbers_are_right_around_a_fork() {
  const bool before = nopal::openmp::region([] { return omp_get_thread_num(); }) == thread_number();
  move_to_another_thread();
  return before && nopal::openmp::region([] { return omp_get_thread_num(); }) == thread_number();
}

TEST(region, knows_its_thread_number_behind_a_fork) {
  std::atomic<int> wrong = 0;
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 200; ++round) {
    nopal::scope s;
    for (int i = 0; i < 4; ++i) {
      s.fork([&] {
        if (!numbers_are_right_around_a_fork()) ++wrong;
      });
    }
    s.join();
  }
  EXPECT_EQ(wrong.load(), 0);
}

/// One function with a fork between constructs.
void count_around_a_fork(long& count) {
  nopal::openmp::region([&] {
#pragma omp critical(counting)
    ++count;
  });
  move_to_another_thread();
  nopal::openmp::region([&] {
#pragma omp critical(counting)
    ++count;
  });
}

TEST(region, keeps_threads_apart_around_a_fork) {
  long count = 0;
  nopal::parallel_for(0, 200, 1, [&](int) { count_around_a_fork(count); });
  EXPECT_EQ(count, 400);
}

long of_this_thread = 0;
#pragma omp threadprivate(of_this_thread)

TEST(region, finds_threadprivate_variables_of_its_thread) {
  std::atomic<int> wrong = 0;
  nopal::parallel_for(0, 100, 1, [&](int) {
    nopal::openmp::region([] { of_this_thread = os_thread(); });
    move_to_another_thread();
    const bool right = nopal::openmp::region([] {
      const bool found = of_this_thread == 0 || of_this_thread == os_thread();
      of_this_thread = os_thread();
      return found;
    });
    wrong += right ? 0 : 1;
  });
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace

// Strands and OpenMP in one program: regions in strands, forks in regions, both nested. Built by a compiler of each OpenMP
// library, and run on several numbers of workers.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <nopal/nopal.hpp>
#include <nopal/openmp.hpp>
#include <nopal/parallel.hpp>

#include "interfaces/openmp/team.hpp"

namespace {

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

}  // namespace

// Limits on teams, and regions that know their thread: built and run like cooperation_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>

#include <nopal/nopal.hpp>
#include <nopal/openmp.hpp>
#include <nopal/parallel.hpp>

#include "interfaces/openmp/team.hpp"

namespace {

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
  for (int round = 0; round < 10; ++round) {
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
  nopal::parallel_for(0, 50, 1, [&](int) { count_around_a_fork(count); });
  EXPECT_EQ(count, 100);
}

long of_this_thread = 0;
#pragma omp threadprivate(of_this_thread)

TEST(region, finds_threadprivate_variables_of_its_thread) {
  std::atomic<int> wrong = 0;
  nopal::parallel_for(0, 50, 1, [&](int) {
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

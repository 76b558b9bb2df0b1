// Exceptions of another runtime than this one of C++ in patterns, sorts, and code of the oneTBB interface: they leave as those of C++ do.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <atomic>
#include <exception>
#include <functional>
#include <numeric>
#include <vector>

#include <nopal/openmp.hpp>
#include <nopal/parallel.hpp>
#include <nopal/sort.hpp>

#include "support/foreign_exception.hpp"
#include "support/strands.hpp"

namespace {

using support::foreign_number_thrown_by;
using support::raise_foreign;

// Not known to the compiler, which would call what follows unreachable.
volatile bool raising = true;

void raise(int number) {
  if (raising) raise_foreign(number);
}

/// Nothing of it is left.
void check_gone() {
  NOPAL_CHECK(support::foreign_living == 0);
  NOPAL_CHECK(std::uncaught_exceptions() == 0);
  NOPAL_CHECK(std::current_exception() == nullptr);
}

template <class Body>
void leaves_by(int number, const Body& body) {
  for (int round = 0; round != 50; ++round) {
    NOPAL_CHECK(foreign_number_thrown_by(body) == number);
    check_gone();
  }
}

constexpr int count = 2000;

std::vector<int> numbers() {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

NOPAL_PROGRAM(in_patterns) {
  const std::vector<int> all = numbers();
  leaves_by(7, [&] {
    nopal::parallel_for(0, count, 1, [](int i) {
      if (i >= 777 && i % 7 == 0) raise(i == 777 ? 7 : 8);
    });
  });
  leaves_by(5, [&] {
    static_cast<void>(nopal::parallel_reduce(
        0, count, 0L, [](int i) { return i == 1500 ? (raise(5), 0L) : 0L; }, std::plus<>()));
  });
  leaves_by(4, [&] { nopal::parallel_invoke([] {}, [] { raise(4); }, [] { raise(6); }); });
  support::check_quiet_soon();
  return 0;
}

// Thrown on where the serial search meets it, and nowhere else.
NOPAL_PROGRAM(in_searches) {
  const std::vector<int> all = numbers();
  const auto search = [&all](int match) {
    return [&all, match] {
      const auto found = nopal::parallel_find_if(all.begin(), all.end(), [match](int i) {
        if (i >= 777 && i % 3 == 0) raise(i == 777 ? 7 : 8);
        return i == match;
      });
      NOPAL_CHECK(found - all.begin() == match);
    };
  };
  leaves_by(7, search(-1));
  leaves_by(7, search(1900));
  leaves_by(0, search(776));
  leaves_by(7, [&] {
    static_cast<void>(nopal::parallel_any_of(all.begin(), all.end(), [](int i) {
      if (i == 777) raise(7);
      return false;
    }));
  });
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(in_sorts) {
  std::atomic<int> comparisons{0};
  const auto less = [&comparisons](int a, int b) {
    if (++comparisons == 20000) raise(9);
    return a < b;
  };
  std::vector<int> all(1 << 16);
  const auto shuffle = [&] {
    unsigned state = 1;
    for (int& one : all) one = static_cast<int>((state = state * 1103515245U + 12345U) >> 8U);
    comparisons = 0;
  };
  leaves_by(9, [&] {
    shuffle();
    nopal::parallel_sort(all.begin(), all.end(), less);
  });
  leaves_by(9, [&] {
    shuffle();
    nopal::parallel_stable_sort(all.begin(), all.end(), less);
  });
  support::check_quiet_soon();
  return 0;
}

/// Raises where a move assignment is told to.
struct moved {
  static inline std::atomic<long> assignments{0};
  static inline long raising_at = 0;
  int number = 0;

  moved() = default;
  moved(const moved&) = default;
  moved(moved&&) = default;
  moved& operator=(const moved&) = default;
  moved& operator=(moved&& other) {
    if (++assignments == raising_at) raise(3);
    number = other.number;
    return *this;
  }
  friend bool operator<(const moved& a, const moved& b) { return a.number < b.number; }
};

NOPAL_PROGRAM(in_moves) {
  std::vector<moved> all(500);
  for (long at = 1; at < 4000; at += 13) {
    unsigned state = static_cast<unsigned>(at);
    for (moved& one : all) one.number = static_cast<int>((state = state * 1103515245U + 12345U) >> 8U);
    moved::assignments = 0;
    moved::raising_at = at;
    const int number = foreign_number_thrown_by([&] { nopal::parallel_sort(all.begin(), all.end()); });
    NOPAL_CHECK(number == (moved::assignments >= at ? 3 : 0));
    check_gone();
  }
  return 0;
}

NOPAL_PROGRAM(in_a_root_region) {
  leaves_by(2, [] { nopal::openmp::root_region([] { raise(2); }); });
  return 0;
}

NOPAL_PROGRAM(in_tbb_algorithms) {
  leaves_by(7, [] {
    tbb::parallel_for(
        0, count,
        [](int i) {
          if (i == 777) raise(7);
        },
        tbb::simple_partitioner());
  });
  leaves_by(5, [] {
    static_cast<void>(tbb::parallel_reduce(
        tbb::blocked_range<int>(0, count), 0,
        [](const tbb::blocked_range<int>& part, int sum) {
          if (part.begin() <= 1500 && 1500 < part.end()) raise(5);
          return sum;
        },
        std::plus<>()));
  });
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(in_groups) {
  leaves_by(4, [] {
    tbb::task_group group;
    group.run([] { raise(4); });
    group.wait();
  });
  leaves_by(4, [] {
    tbb::task_group group;
    group.run_and_wait([] { raise(4); });
  });
  // One of several, and the others end.
  for (int round = 0; round != 50; ++round) {
    tbb::task_group group;
    for (int i = 1; i != 10; ++i) group.run([i] { raise(i); });
    const int number = foreign_number_thrown_by([&] { group.wait(); });
    NOPAL_CHECK(number >= 1 && number <= 9);
    check_gone();
    // The group can be used again.
    int calls = 0;
    group.run_and_wait([&] { ++calls; });
    NOPAL_CHECK(calls == 1);
  }
  // Through two groups, and left behind by one that is not waited for.
  leaves_by(6, [] {
    tbb::task_group outer;
    outer.run([] {
      tbb::task_group inner;
      inner.run([] { raise(6); });
      inner.wait();
    });
    outer.wait();
  });
  support::check_quiet_soon();
  return 0;
}

class foreign_in_patterns : public support::program_at_workers {};

TEST_P(foreign_in_patterns, leave_loops) { EXPECT_TRUE(run("in_patterns")); }
TEST_P(foreign_in_patterns, leave_searches_where_the_serial_one_meets_them) {
  EXPECT_TRUE(run("in_searches"));
}
TEST_P(foreign_in_patterns, leave_sorts) { EXPECT_TRUE(run("in_sorts")); }
TEST_P(foreign_in_patterns, leave_sorts_from_moves) { EXPECT_TRUE(run("in_moves")); }
TEST_P(foreign_in_patterns, leave_root_regions) { EXPECT_TRUE(run("in_a_root_region")); }
TEST_P(foreign_in_patterns, leave_algorithms_of_tbb) { EXPECT_TRUE(run("in_tbb_algorithms")); }
TEST_P(foreign_in_patterns, leave_waits_of_groups) { EXPECT_TRUE(run("in_groups")); }

INSTANTIATE_TEST_SUITE_P(tbb, foreign_in_patterns, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

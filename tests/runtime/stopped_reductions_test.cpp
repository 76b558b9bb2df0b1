// What reduces, and makes views, forks: in scopes that are stopped, too, it is done to its end.
#include <nopal/parallel.hpp>
#include <nopal/reducer.hpp>
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/copied_by_loops.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using nopal::on_stop;
using nopal::scope;

constexpr int rounds = 100;
constexpr std::size_t columns = 64;
using table = std::array<long, columns>;

void add(table& left, const table& right) {
  nopal::parallel_for(std::size_t{0}, columns, [&](std::size_t c) { left[c] += right[c]; });
}

bool is_all(const table& sums, long wanted) {
  return std::all_of(sums.begin(), sums.end(), [wanted](long one) { return one == wanted; });
}

/// Column by column, in parallel.
struct add_tables {
  using value_type = table;
  static table identity() {
    table made;
    made.fill(-1);
    nopal::parallel_for(std::size_t{0}, columns, [&made](std::size_t c) { made[c] = 0; });
    return made;
  }
  static void reduce(table& left, table&& right) { add(left, right); }
};

/// By one fork.
struct add_beside {
  using value_type = long;
  static long identity() { return 0; }
  static void reduce(long& left, long&& right) {
    long sum = 0;
    scope s;
    s.fork([&] { sum = left + right; });
    s.join();
    left = sum;
  }
};

/// Its children update and one of them stops `all`; on several workers some are stolen for sure. The flag and the function
/// live longer than the scope `from`, which may be left by `stopped`.
template <class Scope, class Update>
[[gnu::always_inline]] inline void update_and_stop(Scope& from, cancel_scope& all, std::atomic<long>& calls,
                                                   support::flag& on, const Update& update) {
  from.fork([&] {
    support::wait_for_continuation(on);
    update();
    ++calls;
  });
  support::set(on);
  for (int i = 0; i < 20; ++i) {
    from.fork([&, i] {
      update();
      ++calls;
      if (i == 10) all.request_stop();
    });
  }
  if (!all.stop_requested()) {
    update();
    ++calls;
  }
  from.join();
}

NOPAL_PROGRAM(reducers_that_fork_in_a_scope_that_skips) {
  for (int round = 0; round < rounds; ++round) {
    nopal::reducer<add_tables> sums;
    std::atomic<long> calls{0};
    {
      support::flag on{false};
      cancel_scope all;
      update_and_stop(all, all, calls, on, [&sums] {
        for (long& one : *sums) ++one;
      });
    }
    NOPAL_CHECK(is_all(sums.value(), calls));
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(reducers_that_fork_in_a_scope_that_unwinds) {
  for (int round = 0; round < rounds; ++round) {
    nopal::reducer<add_beside> sum;
    nopal::reducer<add_tables> sums;
    std::atomic<long> calls{0};
    {
      cancel_scope all{on_stop::unwind};
      all.fork([&] {
        support::flag on{false};
        const auto update = [&] {
          *sum += 1;
          for (long& one : *sums) ++one;
        };
        scope s;
        update_and_stop(s, all, calls, on, update);
      });
      all.join();
    }
    NOPAL_CHECK(sum.value() == calls && is_all(sums.value(), calls));
  }
  support::check_quiet();
  return 0;
}

/// A view that a stopped strand makes by its first use.
NOPAL_PROGRAM(views_made_in_a_stopped_scope) {
  for (int round = 0; round < rounds; ++round) {
    nopal::reducer<add_tables> sums;
    {
      cancel_scope all;
      support::flag on{false};
      all.fork([&] {
        support::wait_for_continuation(on);
        all.request_stop();
        for (long& one : *sums) ++one;
      });
      support::set(on);
      while (!all.stop_requested()) std::this_thread::yield();
      for (long& one : *sums) ++one;
      all.join();
    }
    NOPAL_CHECK(is_all(sums.value(), 2));
  }
  support::check_quiet();
  return 0;
}

/// It leaves what is around the join as it was.
NOPAL_PROGRAM(reductions_that_throw_in_a_stopped_scope) {
  if (nopal::workers() == 1) return 0;
  struct refuses {
    using value_type = long;
    static long identity() { return 0; }
    static void reduce(long&, long&&) {
      int ran = 0;
      scope s;
      s.fork([&ran] { ran = 1; });
      s.join();
      throw std::runtime_error(ran == 1 ? "refused" : "cut short");
    }
  };
  for (int round = 0; round < rounds; ++round) {
    bool thrown = false;
    int later = 0;
    {
      nopal::reducer<refuses> sum;
      cancel_scope all;
      scope s;
      support::flag on{false};
      s.fork([&] {
        support::wait_for_continuation(on);
        *sum += 1;
        all.request_stop();
      });
      *sum += 1;
      support::set(on);
      try {
        s.join();
      } catch (const std::runtime_error& error) {
        thrown = std::string(error.what()) == "refused";
      }
      scope after;
      after.fork([&later] { ++later; });
      after.join();
      NOPAL_CHECK(nopal::stop_requested());
    }
    NOPAL_CHECK(thrown && later == 0);
    scope after;
    after.fork([&later] { ++later; });
    after.join();
    NOPAL_CHECK(later == 1);
  }
  support::check_quiet();
  return 0;
}

/// What was mapped is in the result; the map itself is cut short.
NOPAL_PROGRAM(patterns_whose_combine_forks) {
  for (int round = 0; round < rounds; ++round) {
    for (const bool halves : {false, true}) {
      std::atomic<long> calls{0};
      cancel_scope all;
      std::atomic<int> forked_late{0};
      const auto map = [&](int i) {
        table one;
        one.fill(1);
        ++calls;
        if (i == 300) {
          all.request_stop();
          scope s;
          s.fork([&] { ++forked_late; });
          s.join();
        }
        return one;
      };
      const auto combine = [](table left, const table& right) {
        add(left, right);
        return left;
      };
      const table sums = halves ? nopal::parallel_reduce(0, 600, 8, table{}, map, combine)
                                : nopal::parallel_reduce(0, 600, table{}, map, combine);
      all.join();
      NOPAL_CHECK(is_all(sums, calls) && forked_late == 0);
    }
  }
  support::check_quiet();
  return 0;
}

/// The scope is stopped in one of the copies that the reduction makes, or an assignment.
NOPAL_PROGRAM(patterns_of_values_whose_copies_fork) {
  using value = support::copied_by_loops;
  const std::vector<int> numbers(200, 1);
  const auto reduce = [&numbers](int form, const auto& map) {
    switch (form) {
    case 0: return nopal::parallel_reduce(0, 200, value(), map, support::sum_of);
    case 1: return nopal::parallel_reduce(0, 200, 8, value(), map, support::sum_of);
    case 2: return nopal::parallel_reduce(numbers, value(), map, support::sum_of);
    default: return nopal::parallel_reduce(numbers, 8, value(), map, support::sum_of);
    }
  };
  for (int copy = 1; copy < rounds; ++copy) {
    for (int form = 0; form < 4; ++form) {
      std::atomic<long> calls{0};
      cancel_scope all;
      value::at_copy(copy, [&all] { all.request_stop(); });
      const value sums = reduce(form, [&calls](int) {
        value one;
        one.add(1);
        ++calls;
        return one;
      });
      all.join();
      NOPAL_CHECK(sums.is_all(calls));
    }
  }
  support::check_quiet();
  return 0;
}

class stopped_reductions : public support::program_at_workers {};

TEST_P(stopped_reductions, of_reducers_are_whole) {
  EXPECT_TRUE(run("reducers_that_fork_in_a_scope_that_skips"));
}
TEST_P(stopped_reductions, of_reducers_are_whole_where_strands_unwind) {
  EXPECT_TRUE(run("reducers_that_fork_in_a_scope_that_unwinds"));
}
TEST_P(stopped_reductions, begin_with_whole_views) { EXPECT_TRUE(run("views_made_in_a_stopped_scope")); }
TEST_P(stopped_reductions, that_throw_leave_the_scope_as_it_was) {
  EXPECT_TRUE(run("reductions_that_throw_in_a_stopped_scope"));
}
TEST_P(stopped_reductions, of_patterns_are_whole) { EXPECT_TRUE(run("patterns_whose_combine_forks")); }
TEST_P(stopped_reductions, of_values_whose_copies_fork_are_whole) {
  EXPECT_TRUE(run("patterns_of_values_whose_copies_fork"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, stopped_reductions, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace

// Searches that stop: the serial answer, or any; over ranges and trees; and races.
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::parallel_find_any;
using nopal::parallel_find_first;
using nopal::parallel_race;

NOPAL_PROGRAM(over_ranges) {
  std::vector<int> all(50'000);
  std::iota(all.begin(), all.end(), 0);
  for (int round = 0; round < 30; ++round) {
    const auto large = [](int value) { return value >= 31'000; };
    NOPAL_CHECK(parallel_find_first(all.begin(), all.end(), large) - all.begin() == 31'000);
    NOPAL_CHECK(parallel_find_first(all, large) - all.begin() == 31'000);
    NOPAL_CHECK(*parallel_find_any(all, large) >= 31'000);
    NOPAL_CHECK(*parallel_find_any(all.begin(), all.end(), large) >= 31'000);
    NOPAL_CHECK(*parallel_find_any(std::span<const int>(all), large, [](int value) { return value + 1; }) >=
                30'999);
    NOPAL_CHECK(parallel_find_any(all, [](int value) { return value < 0; }) == all.end());
  }
  const std::vector<int> none;
  NOPAL_CHECK(parallel_find_any(none, [](int) { return true; }) == none.end());
  int caught = 0;
  try {
    static_cast<void>(parallel_find_any(all, [](int value) -> bool { throw value; }));
  } catch (int) {
    ++caught;
  }
  NOPAL_CHECK(caught == 1);
  support::check_quiet();
  return 0;
}

struct board {
  int size;
  std::vector<int> columns;
};
bool fits(const board& on, int column) {
  const int row = static_cast<int>(on.columns.size());
  for (int i = 0; i < row; ++i) {
    const int other = on.columns[static_cast<std::size_t>(i)];
    if (other == column || std::abs(other - column) == row - i) return false;
  }
  return true;
}
std::vector<board> moves(const board& from) {
  std::vector<board> result;
  for (int column = 0; column < from.size; ++column) {
    if (!fits(from, column)) continue;
    result.push_back(from);
    result.back().columns.push_back(column);
  }
  return result;
}
bool is_full(const board& one) { return static_cast<int>(one.columns.size()) == one.size; }

std::optional<board> serial_first(const board& from) {
  if (is_full(from)) return from;
  for (const board& next : moves(from)) {
    if (std::optional<board> found = serial_first(next)) return found;
  }
  return std::nullopt;
}

NOPAL_PROGRAM(over_trees) {
  for (int size = 3; size <= 8; ++size) {
    const std::optional<board> serial = serial_first({size, {}});
    for (int round = 0; round < 10; ++round) {
      const std::optional<board> first = parallel_find_first(board{size, {}}, moves, is_full);
      const std::optional<board> any = parallel_find_any(board{size, {}}, moves, is_full);
      NOPAL_CHECK(first.has_value() == serial.has_value() && any.has_value() == serial.has_value());
      NOPAL_CHECK(!serial || (first->columns == serial->columns && is_full(*any)));
    }
  }
  support::check_quiet();
  return 0;
}

std::vector<int> two_children(int of) {
  return of < 2000 ? std::vector<int>{2 * of + 1, 2 * of + 2} : std::vector<int>{};
}

/// What the serial search would have met comes first, be it a node or an exception.
NOPAL_PROGRAM(exceptions_in_trees) {
  for (int round = 0; round < 30; ++round) {
    const auto node_first = [](int node) {
      if (node == 2) throw node;
      return node == 9;
    };
    const std::optional<int> found = parallel_find_first(0, two_children, node_first);
    NOPAL_CHECK(found && *found == 9);
    int caught = 0;
    try {
      static_cast<void>(parallel_find_first(0, two_children, [](int node) {
        if (node == 9) throw node;
        return node == 2;
      }));
    } catch (int what) {
      caught = what;
    }
    NOPAL_CHECK(caught == 9);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(races) {
  for (int round = 0; round < 200; ++round) {
    const int winner = parallel_race(
        [] {
          // Until another has won, where there can be another.
          while (nopal::workers() > 1 && !nopal::stop_requested()) support::fib(3);
          return 1;
        },
        [] { return 2; });
    NOPAL_CHECK(winner == (nopal::workers() > 1 ? 2 : 1));
    NOPAL_CHECK(parallel_race([] {}, [] {}, [] {}) < 3U);
    NOPAL_CHECK(parallel_race([]() -> int { throw 3; }, [] { return 5; }) == 5);
    int caught = 0;
    try {
      static_cast<void>(parallel_race([]() -> int { throw 3; }, []() -> int { throw 4; }));
    } catch (int what) {
      caught = what;
    }
    NOPAL_CHECK(caught == 3);
  }
  nopal::cancel_scope stopped;
  stopped.request_stop();
  NOPAL_CHECK(parallel_race([] { return std::string("first"); }, [] { return std::string("second"); }) ==
              "first");
  support::check_quiet();
  return 0;
}

#ifdef __cpp_lib_jthread
/// Of scopes inside of functions that race.
NOPAL_PROGRAM(tokens_in_races) {
  for (int round = 0; round < 50; ++round) {
    const int winner = parallel_race(
        [] {
          nopal::cancel_scope s;
          const std::stop_token token = s.token();
          while (nopal::workers() > 1 && !token.stop_requested()) support::fib(3);
          return 1;
        },
        [] { return 2; });
    NOPAL_CHECK(winner == (nopal::workers() > 1 ? 2 : 1));
  }
  support::check_quiet();
  return 0;
}
#else
NOPAL_PROGRAM(tokens_in_races) { return 0; }
#endif

/// Of two searches at once, and one inside the other, each stops itself alone.
NOPAL_PROGRAM(searches_in_searches) {
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> wrong{0};
    const std::optional<int> outer = parallel_find_any(0, two_children, [&wrong](int node) {
      const std::optional<int> inner =
          parallel_find_any(0, two_children, [](int other) { return other == 12; });
      // Cut short where the outer one is over.
      if (!nopal::stop_requested() && inner != 12) ++wrong;
      return node == 100;
    });
    NOPAL_CHECK(outer == 100 && wrong == 0);
  }
  support::check_quiet();
  return 0;
}

/// Neither moved nor assigned. A copy forks, and goes on on another worker than it began on, which finds other work
/// meanwhile.
struct copied_by_two {
  int number;
  copied_by_two(int of) : number(of) {}
  copied_by_two(const copied_by_two& from) : number(-1) {
    using namespace std::chrono_literals;
    nopal::scope s;
    s.fork([&] {
      std::this_thread::sleep_for(50us);
      number = from.number;
    });
    std::this_thread::sleep_for(100us);
    s.join();
  }
  copied_by_two& operator=(const copied_by_two&) = delete;
};

std::vector<copied_by_two> expanded_by_two(const copied_by_two& from) {
  std::vector<copied_by_two> children;
  for (int i = 0; i < 2 && from.number < 64; ++i) children.emplace_back(2 * from.number + i);
  return children;
}
bool is_deep(const copied_by_two& at) { return at.number >= 64; }

/// What is found is handed on by strands that wait for one another's forks.
NOPAL_PROGRAM(copies_that_fork_in_trees) {
  for (int round = 0; round < 10; ++round) {
    const auto first = parallel_find_first(copied_by_two(1), expanded_by_two, is_deep);
    NOPAL_CHECK(first && first->number == 64);
  }
  support::check_quiet();
  return 0;
}

/// Every other function takes its time, so that there are strands to copy and others to come to the end meanwhile.
template <int... Numbers>
copied_by_two race_of(std::integer_sequence<int, Numbers...> /*all*/) {
  return parallel_race(
      [] {
        if (Numbers % 2 == 1) std::this_thread::sleep_for(std::chrono::microseconds(300));
        return Numbers;
      }...,
      [] { return copied_by_two(0); });
}

NOPAL_PROGRAM(copies_that_fork_in_races) {
  for (int round = 0; round < 200; ++round) {
    NOPAL_CHECK(race_of(std::make_integer_sequence<int, 16>()).number >= 0);
  }
  support::check_quiet();
  return 0;
}

/// Of a search that has stopped its strands, and of a race in a stopped scope, which calls the first function alone.
NOPAL_PROGRAM(answers_whose_copies_fork) {
  for (int round = 0; round < 10; ++round) {
    const auto any = parallel_find_any(copied_by_two(1), expanded_by_two, is_deep);
    NOPAL_CHECK(any && any->number >= 64);
  }
  nopal::cancel_scope stopped;
  stopped.request_stop();
  const copied_by_two alone = race_of(std::make_integer_sequence<int, 2>());
  NOPAL_CHECK(alone.number == 0);
  support::check_quiet();
  return 0;
}

class searches : public support::program_at_workers {};

TEST_P(searches, over_ranges) { EXPECT_TRUE(run("over_ranges")); }
TEST_P(searches, over_trees) { EXPECT_TRUE(run("over_trees")); }
TEST_P(searches, throw_what_comes_first) { EXPECT_TRUE(run("exceptions_in_trees")); }
TEST_P(searches, race) { EXPECT_TRUE(run("races")); }
TEST_P(searches, race_beside_tokens) { EXPECT_TRUE(run("tokens_in_races")); }
TEST_P(searches, of_nodes_whose_copies_fork) { EXPECT_TRUE(run("copies_that_fork_in_trees")); }
TEST_P(searches, race_for_what_copies_by_forks) { EXPECT_TRUE(run("copies_that_fork_in_races")); }
TEST_P(searches, answer_with_whole_copies) { EXPECT_TRUE(run("answers_whose_copies_fork")); }
TEST_P(searches, in_searches) { EXPECT_TRUE(run("searches_in_searches")); }

INSTANTIATE_TEST_SUITE_P(at_workers, searches, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace

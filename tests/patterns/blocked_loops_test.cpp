// Loops over ranges of two and three dimensions: every position once, in the order of the halves, whoever steals.
#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <nopal/parallel.hpp>

#include "support/strands.hpp"

namespace {

/// How often each position of a table was met.
class visits {
public:
  visits(std::size_t rows, std::size_t columns) : columns_(columns), times_(rows * columns) {}
  template <class Row, class Column>
  void at(Row row, Column column) {
    times_.at(static_cast<std::size_t>(row) * columns_ + static_cast<std::size_t>(column))
        .fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool all(int times) const {
    for (const auto& each : times_)
      if (each.load(std::memory_order_relaxed) != times) return false;
    return true;
  }

private:
  std::size_t columns_;
  std::vector<std::atomic<int>> times_;
};

constexpr std::size_t shapes[][2] = {{0, 0}, {0, 5},   {5, 0},   {1, 1},    {1, 9},    {9, 1},
                                     {3, 3}, {64, 64}, {65, 64}, {3, 5000}, {5000, 3}, {301, 207}};
constexpr std::size_t grains[][2] = {
    {0, 0}, {1, 1}, {7, 3}, {0, 4}, {4, 0}, {1000, 1000}, {SIZE_MAX, SIZE_MAX}};

NOPAL_PROGRAM(each_position_of_a_table_once) {
  for (const auto& [rows, columns] : shapes) {
    for (const auto& [rows_grain, columns_grain] : grains) {
      const nopal::range_2d all{std::size_t{0}, rows, rows_grain, std::size_t{0}, columns, columns_grain};
      visits seen(rows, columns);
      nopal::parallel_for(all, [&](std::size_t row, std::size_t column) { seen.at(row, column); });
      NOPAL_CHECK(seen.all(1));
      nopal::parallel_for(all, [&](const nopal::range_2d<std::size_t>& part) {
        NOPAL_CHECK(!part.empty());
        for (std::size_t row = part.rows().begin(); row != part.rows().end(); ++row)
          for (std::size_t column = part.columns().begin(); column != part.columns().end(); ++column)
            seen.at(row, column);
      });
      NOPAL_CHECK(seen.all(2));
    }
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(each_position_of_pages_once) {
  constexpr int shapes_of_pages[][3] = {{2, 3, 4},    {1, 1, 1},    {0, 7, 7},
                                        {40, 1, 300}, {17, 18, 19}, {300, 5, 7}};
  for (const auto& [pages, rows, columns] : shapes_of_pages) {
    const auto [r, c] = std::pair(rows, columns);
    visits seen(static_cast<std::size_t>(pages * rows), static_cast<std::size_t>(columns));
    nopal::parallel_for(nopal::range_3d{0, pages, 0, rows, 0, columns},
                        [&seen, r](int page, int row, int column) { seen.at(page * r + row, column); });
    NOPAL_CHECK(seen.all(1));
    nopal::parallel_for(
        nopal::range_3d{0, pages, 2, 0, rows, 0, 0, columns, 5}, [&seen, r](const auto& part) {
          NOPAL_CHECK(part.pages().size() <= 2 && part.columns().size() <= 5);
          for (int page = part.pages().begin(); page != part.pages().end(); ++page)
            for (int row = part.rows().begin(); row != part.rows().end(); ++row)
              for (int column = part.columns().begin(); column != part.columns().end(); ++column)
                seen.at(page * r + row, column);
        });
    NOPAL_CHECK(seen.all(2));
    nopal::parallel_for(nopal::range_3d{0, pages, 1, 0, rows, 2, 0, columns, 3},
                        [&seen, r](int page, int row, int column) { seen.at(page * r + row, column); });
    NOPAL_CHECK(seen.all(3));
    static_cast<void>(c);
  }
  return 0;
}

template <class Integer>
void count_all_of() {
  constexpr int first = std::is_signed_v<Integer> ? SCHAR_MIN : 0;
  constexpr int last = first + UCHAR_MAX;
  visits seen(UCHAR_MAX, UCHAR_MAX);
  const nopal::range_2d all(static_cast<Integer>(first), static_cast<Integer>(last),
                            static_cast<Integer>(first), static_cast<Integer>(last));
  static_assert(std::is_same_v<decltype(all), const nopal::range_2d<Integer, Integer>>);
  nopal::parallel_for(all, [&](Integer row, Integer column) {
    seen.at(static_cast<int>(row) - first, static_cast<int>(column) - first);
  });
  NOPAL_CHECK(seen.all(1));
}

NOPAL_PROGRAM(sides_of_any_whole_numbers) {
  count_all_of<signed char>();
  count_all_of<unsigned char>();
  count_all_of<char16_t>();
  count_all_of<short>();
  count_all_of<std::uint32_t>();
  count_all_of<std::int64_t>();
  // Each side has its own type, that of its two ends in common.
  const std::vector<int> values(70);
  const int rows = 60;
  visits seen(60, 70);
  nopal::parallel_for(nopal::range_2d{0, rows, 0, values.size()}, [&](auto row, auto column) {
    static_assert(std::is_same_v<decltype(row), int> && std::is_same_v<decltype(column), std::size_t>);
    seen.at(row, column);
  });
  NOPAL_CHECK(seen.all(1));
  // At the ends of the types.
  visits at_ends(10, 10);
  nopal::parallel_for(nopal::range_2d{INT64_MAX - 10, INT64_MAX, UINT64_MAX - 10, UINT64_MAX},
                      [&](std::int64_t row, std::uint64_t column) {
                        at_ends.at(INT64_MAX - 1 - row, UINT64_MAX - 1 - column);
                      });
  NOPAL_CHECK(at_ends.all(1));
  return 0;
}

NOPAL_PROGRAM(nothing_where_an_end_comes_first) {
  const auto never = [](int, int) { NOPAL_CHECK(false); };
  nopal::parallel_for(nopal::range_2d{5, -5, 0, 10}, never);
  nopal::parallel_for(nopal::range_2d{0, 10, 1, 5, -5, 1}, never);
  nopal::parallel_for(nopal::range_2d{INT_MAX, INT_MIN, INT_MIN, INT_MAX}, never);
  nopal::parallel_for(nopal::range_2d{5, 5, 5, 5}, [](const auto&) { NOPAL_CHECK(false); });
  nopal::parallel_for(nopal::range_3d{0, 3, 0, 3, 3, 0}, [](int, int, int) { NOPAL_CHECK(false); });
  constexpr nopal::range_2d inverted{5, -5, 0, 10};
  static_assert(inverted.empty() && inverted.rows().empty() && inverted.rows().size() == 0 &&
                inverted.columns().size() == 10);
  return 0;
}

/// The blocks are those of halving, and the same on each run.
NOPAL_PROGRAM(blocks_of_the_grains) {
  for (int round = 0; round < 10; ++round) {
    std::mutex lock;
    std::vector<std::pair<int, int>> begins;
    nopal::parallel_for(nopal::range_2d{0, 32, 4, 0, 16, 8}, [&](const nopal::range_2d<int>& part) {
      NOPAL_CHECK(part.rows().size() == 4 && part.columns().size() == 8);
      NOPAL_CHECK(part.rows().grain() == 4 && part.columns().grain() == 8);
      const std::lock_guard guard(lock);
      begins.emplace_back(part.rows().begin(), part.columns().begin());
    });
    NOPAL_CHECK(begins.size() == 16);
    int blocks = 0;
    nopal::parallel_for(nopal::range_2d{0, 1000, -1, 0, 1000, -1}, [&](const nopal::range_2d<int>& part) {
      NOPAL_CHECK(part.rows().size() == 1000 && part.columns().size() == 1000);
      ++blocks;
    });
    int next = 0;
    nopal::parallel_for(nopal::range_2d{0, 100, 100, 0, 1000, 1000},
                        [&](int row, int column) { NOPAL_CHECK(row * 1000 + column == next++); });
    NOPAL_CHECK(blocks == 1 && next == 100'000);
  }
  return 0;
}

/// More positions than any number counts.
NOPAL_PROGRAM(more_positions_than_fit_a_number) {
  constexpr std::int64_t side = std::int64_t{1} << 40;
  std::atomic<std::int64_t> rows{0};
  std::atomic<int> blocks{0};
  nopal::parallel_for(nopal::range_2d{std::int64_t{0}, side, side / 4, -side, std::int64_t{0}, side / 4},
                      [&](const nopal::range_2d<std::int64_t>& part) {
                        NOPAL_CHECK(part.columns().size() == side / 4);
                        rows += part.rows().end() - part.rows().begin();
                        ++blocks;
                      });
  NOPAL_CHECK(rows == 4 * side && blocks == 16);
  blocks = 0;
  nopal::parallel_for(nopal::range_3d{INT64_MIN, INT64_MAX, SIZE_MAX / 4 + 1, std::uint64_t{0}, UINT64_MAX,
                                      SIZE_MAX / 2 + 1, 0, 1, 0},
                      [&](const auto& part) {
                        NOPAL_CHECK(part.columns().size() == 1);
                        ++blocks;
                      });
  NOPAL_CHECK(blocks == 8);
  return 0;
}

/// On one worker the exception is met at once.
NOPAL_PROGRAM(an_endless_range_that_throws_at_once) {
  constexpr std::int64_t side = std::int64_t{1} << 40;
  for (const bool by_block : {false, true}) {
    try {
      const nopal::range_2d all{std::int64_t{0}, side, std::int64_t{0}, side};
      if (by_block) {
        nopal::parallel_for(all,
                            [](const nopal::range_2d<std::int64_t>& part) { throw part.rows().begin(); });
      } else {
        nopal::parallel_for(all, [](std::int64_t row, std::int64_t) { throw row; });
      }
      NOPAL_CHECK(false);
    } catch (std::int64_t row) {
      NOPAL_CHECK(row == 0);
    }
  }
  return 0;
}

/// The place in the order of halves of a square whose side is a power of two: bits of rows and columns by turns.
int place_in_order(int row, int column) {
  int place = 0;
  for (int bit = 0; bit < 5; ++bit) {
    place |= ((row >> bit) & 1) << (2 * bit + 1);
    place |= ((column >> bit) & 1) << (2 * bit);
  }
  return place;
}

/// What leaves is the exception that the serial loop meets first: in the order of halves, and of rows in a small block.
NOPAL_PROGRAM(the_first_exception_of_a_table_leaves) {
  for (int round = 0; round < 100; ++round) {
    try {
      nopal::parallel_for(nopal::range_2d{0, 32, 1, 0, 32, 1}, [](int row, int column) {
        const int place = place_in_order(row, column);
        if (place % 100 == 99) throw place;
        support::burn(50);
      });
      NOPAL_CHECK(false);
    } catch (int place) {
      NOPAL_CHECK(place == 99);
    }
    try {
      nopal::parallel_for(nopal::range_2d{0, 32, 0, 32}, [](int row, int column) {
        const int place = 32 * row + column;
        if (place % 100 == 99) throw place;
        support::burn(50);
      });
      NOPAL_CHECK(false);
    } catch (int place) {
      NOPAL_CHECK(place == 99);
    }
  }
  support::check_quiet();
  return 0;
}

/// As many positions as workers, each of which waits for all the others.
NOPAL_PROGRAM(long_bodies_of_a_table_run_all_at_once) {
  const int count = nopal::workers();
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0};
    const auto wait = [&] {
      ++begun;
      while (begun.load() % count != 0) std::this_thread::yield();
    };
    nopal::parallel_for(nopal::range_2d{0, count, 0, 1}, [&](int, int) { wait(); });
    NOPAL_CHECK(begun == count);
    nopal::parallel_for(nopal::range_2d{0, 1, 0, count}, [&](const nopal::range_2d<int>& part) {
      for (std::size_t i = 0; i < part.columns().size(); ++i) wait();
    });
    NOPAL_CHECK(begun == 2 * count);
    nopal::parallel_for(nopal::range_3d{0, 1, 1, 0, count, 1, 0, 1, 1}, [&](int, int, int) { wait(); });
    NOPAL_CHECK(begun == 3 * count);
  }
  return 0;
}

NOPAL_PROGRAM(tables_in_loops) {
  visits seen(300, 400);
  nopal::parallel_for(0, 3, [&](int third) {
    nopal::parallel_for(nopal::range_2d{100 * third, 100 * third + 100, 0, 400}, [&](int row, int column) {
      if (row % 50 == 0 && column % 100 == 0) NOPAL_CHECK(support::fib(12) == 144);
      seen.at(row, column);
    });
  });
  NOPAL_CHECK(seen.all(1));
  support::check_quiet();
  return 0;
}

class blocked_loops : public support::program_at_workers {};

TEST_P(blocked_loops, visit_each_position_of_a_table_once) {
  EXPECT_TRUE(run("each_position_of_a_table_once"));
}
TEST_P(blocked_loops, visit_each_position_of_pages_once) { EXPECT_TRUE(run("each_position_of_pages_once")); }
TEST_P(blocked_loops, have_sides_of_any_whole_numbers) { EXPECT_TRUE(run("sides_of_any_whole_numbers")); }
TEST_P(blocked_loops, do_nothing_where_an_end_comes_first) {
  EXPECT_TRUE(run("nothing_where_an_end_comes_first"));
}
TEST_P(blocked_loops, have_blocks_of_the_grains) { EXPECT_TRUE(run("blocks_of_the_grains")); }
TEST_P(blocked_loops, count_no_positions) { EXPECT_TRUE(run("more_positions_than_fit_a_number")); }
TEST(blocked_loops_on_one_worker, end_with_the_first_exception) {
  EXPECT_TRUE(support::succeeds("an_endless_range_that_throws_at_once", support::on_workers(1)));
}
TEST_P(blocked_loops, throw_what_the_serial_loop_throws) {
  EXPECT_TRUE(run("the_first_exception_of_a_table_leaves"));
}
TEST_P(blocked_loops, run_long_bodies_all_at_once) {
  EXPECT_TRUE(run("long_bodies_of_a_table_run_all_at_once"));
}
TEST_P(blocked_loops, nest) { EXPECT_TRUE(run("tables_in_loops")); }

INSTANTIATE_TEST_SUITE_P(at_workers, blocked_loops, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

// The patterns' serial elision, in a program that has the parallel ones too: the serial loops, in their order, on one thread.
#include <gtest/gtest.h>

#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include <nopal/parallel.hpp>

#ifndef NOPAL_ELIDE
#error "this file is about the elision"
#endif

namespace {

TEST(elided_patterns, visit_in_serial_order) {
  std::vector<int> seen;
  nopal::parallel_for(0, 1000, [&](int i) { seen.push_back(i); });
  nopal::parallel_for(1000, 2000, 7, [&](int from, int to) {
    for (; from < to; ++from) seen.push_back(from);
  });
  const std::list<int> more(5, 2000);
  nopal::parallel_for_each(more, [&](int i) { seen.push_back(i++); });
  ASSERT_EQ(seen.size(), 2005U);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(elided_patterns, call_functions_in_their_order) {
  int step = 0;
  const auto [a, b, c] =
      nopal::parallel_invoke([&] { return step++; }, [&] { return step++; }, [&] { return step++; });
  EXPECT_EQ(a, 0);
  EXPECT_EQ(b, 1);
  EXPECT_EQ(c, 2);
}

TEST(elided_patterns, give_the_serial_results) {
  std::vector<long> values(3000);
  std::iota(values.begin(), values.end(), 1L);
  EXPECT_EQ(nopal::parallel_reduce(
                values.begin(), values.end(), 0L, [](long value) { return value; }, std::plus<>()),
            4501500);
  EXPECT_EQ(nopal::parallel_reduce(
                values.begin(), values.end(), 10, 0L, [](long value) { return value; }, std::plus<>()),
            4501500);
  std::vector<long> sums(3000);
  std::vector<long> expected(3000);
  int calls = 0;
  nopal::parallel_inclusive_scan(values.begin(), values.end(), sums.begin(), [&](long left, long right) {
    ++calls;
    return left + right;
  });
  std::inclusive_scan(values.begin(), values.end(), expected.begin());
  EXPECT_EQ(sums, expected);
  EXPECT_EQ(calls, 2999);
  nopal::parallel_transform(values.begin(), values.end(), values.begin(), std::negate<>());
  int tests = 0;
  EXPECT_EQ(*nopal::parallel_find_if(values.begin(), values.end(),
                                     [&](long value) {
                                       ++tests;
                                       return value <= -500;
                                     }),
            -500);
  EXPECT_EQ(tests, 500);
  EXPECT_TRUE(nopal::parallel_all_of(values.begin(), values.end(), [](long value) { return value < 0; }));
}

TEST(elided_patterns, take_whole_ranges) {
  std::vector<int> values = {1, 2, 3, 4};
  int calls = 0;
  nopal::parallel_for(values, [&](int& value) { value += ++calls; });
  nopal::parallel_for(values, 2, [](int& value) { value -= 1; });
  EXPECT_EQ(values, (std::vector<int>{1, 3, 5, 7}));
  EXPECT_EQ(nopal::parallel_reduce(values, 0, std::plus<>()), 16);
  EXPECT_EQ(nopal::parallel_reduce(values, 1, 0, std::plus<>()), 16);
  EXPECT_EQ(nopal::parallel_reduce(values.begin(), values.end(), 0, std::plus<>()), 16);
  EXPECT_EQ(nopal::parallel_reduce(values, 0, std::negate<>(), std::plus<>()), -16);
  int sums[4] = {};
  EXPECT_EQ(nopal::parallel_transform(values, values, sums, std::plus<>()), sums + 4);
  EXPECT_EQ(nopal::parallel_inclusive_scan(sums, sums), sums + 4);
  EXPECT_EQ(sums[3], 32);
  EXPECT_EQ(nopal::parallel_find_if(sums, [](int sum) { return sum > 8; }), sums + 2);
  EXPECT_TRUE(nopal::parallel_any_of(values, [](int value) { return value == 7; }));
}

TEST(elided_patterns, go_through_tables_in_halves_of_their_longest_side) {
  std::vector<std::pair<int, int>> seen;
  const auto note = [&](int row, int column) { seen.emplace_back(row, column); };
  nopal::parallel_for(nopal::range_2d{0, 2, 1, 0, 4, 1}, note);
  EXPECT_EQ(seen, (std::vector<std::pair<int, int>>{
                      {0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  seen.clear();
  nopal::parallel_for(nopal::range_2d{0, 2, 1, 0, 4, 4}, note);
  nopal::parallel_for(nopal::range_2d{2, 4, 0, 4}, note);  // small: rows one by one
  ASSERT_EQ(seen.size(), 16U);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], std::pair(i / 4, i % 4));
  std::vector<std::size_t> sizes;
  nopal::parallel_for(nopal::range_3d{0, 100, 50, 0, 10, 10, 0, 3, 1}, [&](const nopal::range_3d<int>& part) {
    sizes.push_back(part.pages().size() * part.rows().size() * part.columns().size());
  });
  EXPECT_EQ(sizes, std::vector<std::size_t>(6, 500));
}

TEST(elided_patterns, throw_at_once) {
  int begun = 0;
  EXPECT_THROW(nopal::parallel_for(0, 100,
                                   [&](int i) {
                                     ++begun;
                                     if (i == 10) throw std::runtime_error("ten");
                                   }),
               std::runtime_error);
  EXPECT_EQ(begun, 11);
}

TEST(elided_patterns, search_no_further_than_the_first_match_or_exception) {
  const std::vector<int> values = {0, 0, 0, 1, 2};
  int tests = 0;
  const auto test = [&tests](int value) {
    ++tests;
    if (value == 2) throw std::runtime_error("two");
    return value == 1;
  };
  EXPECT_EQ(nopal::parallel_find_if(values.begin(), values.end(), test) - values.begin(), 3);
  EXPECT_TRUE(nopal::parallel_any_of(values.begin(), values.end(), test));
  EXPECT_EQ(tests, 8);
  EXPECT_THROW(static_cast<void>(nopal::parallel_any_of(values.rbegin(), values.rend(), test)),
               std::runtime_error);
  EXPECT_EQ(tests, 9);
}

}  // namespace

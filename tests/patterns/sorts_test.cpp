// Sorts give what the serial ones give: every shape of input, size and kind of element, in strands and in one another.
#include <nopal/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "support/sort_inputs.hpp"
#include "support/strands.hpp"

namespace {

using namespace support;

/// Enough for a partition in several pieces on any number of workers.
constexpr int large = watched ? 70'000 : 200'000;

/// Sanitizers take long, and look at what a third of the sizes do as well.
bool is_left_out(int count) { return watched && count % 3 != 0; }

/// Elements that are copied as they are compared with what std::stable_sort makes of them.
template <class T, class Make>
void check_values(int count, const Make& make) {
  for (const shape kind : all_shapes) {
    std::vector<T> values;
    for (const int key : keys_of(kind, count)) values.push_back(make(key));
    std::vector<T> expected = values;
    std::stable_sort(expected.begin(), expected.end());
    std::vector<T> sorted = values;
    nopal::parallel_sort(sorted.begin(), sorted.end());
    NOPAL_CHECK(sorted == expected);
    sorted = values;
    nopal::parallel_stable_sort(sorted.begin(), sorted.end());
    NOPAL_CHECK(sorted == expected);

    std::stable_sort(expected.begin(), expected.end(), std::greater<>());
    sorted = values;
    nopal::parallel_sort(sorted.begin(), sorted.end(), std::greater<>());
    NOPAL_CHECK(sorted == expected);
    std::deque<T> apart(values.begin(), values.end());
    nopal::parallel_sort(apart.begin(), apart.end(), std::greater<T>());
    NOPAL_CHECK(std::equal(apart.begin(), apart.end(), expected.begin(), expected.end()));
  }
}

void check_all_values(int count) {
  check_values<int>(count, [](int key) { return key - 1000; });
  check_values<std::uint64_t>(count, [](int key) { return static_cast<std::uint64_t>(key) << 30; });
  check_values<signed char>(count, [](int key) { return static_cast<signed char>(key); });
  check_values<double>(count, [](int key) { return (key - 1000) * 0.37; });
  check_values<std::string>(count, text_of);
}

NOPAL_PROGRAM(values) {
  for (const int count : usual_sizes) {
    if (!is_left_out(count)) check_all_values(count);
  }
  if (watched) {
    check_values<int>(large, [](int key) { return key; });
  } else {
    check_all_values(large);
  }
  check_quiet();
  return 0;
}

template <class Items>
void check_items(int count) {
  for (const shape kind : all_shapes) {
    const std::vector<int> keys = keys_of(kind, count);
    Items items = items_with<Items>(keys);
    nopal::parallel_sort(items.begin(), items.end(), by_key);
    NOPAL_CHECK(are_in_order(items) && are_all_with(items, keys));

    Items stable = items_with<Items>(keys);
    nopal::parallel_stable_sort(stable.begin(), stable.end(), by_key);
    NOPAL_CHECK(are_in_stable_order(stable) && are_all_with(stable, keys));
  }
}

void check_all_items(int count) {
  check_items<std::vector<plain_item>>(count);
  check_items<std::vector<wide_item>>(count);
  check_items<std::vector<copied_item>>(count);
  check_items<std::vector<counted_item>>(count);
  check_items<std::deque<plain_item>>(count);
  check_items<std::deque<counted_item>>(count);
}

NOPAL_PROGRAM(items) {
  for (const int count : usual_sizes) {
    if (!is_left_out(count)) check_all_items(count);
  }
  check_all_items(large);
  NOPAL_CHECK(counted_item::alive == 0);
  check_quiet();
  return 0;
}

/// Zeros of both signs are equal and not the same; one has to see that they stay in order.
NOPAL_PROGRAM(signed_zeros) {
  for (const int count : {30, 1000, large}) {
    std::vector<double> values;
    std::vector<double> expected;
    const double minus_zero = -0.0;
    for (int i = 0; i < count; ++i) values.push_back(i % 5 == 0 ? 1.5 : i % 3 == 0 ? minus_zero : 0.0);
    expected = values;
    std::stable_sort(expected.begin(), expected.end());
    nopal::parallel_stable_sort(values);
    NOPAL_CHECK(std::equal(values.begin(), values.end(), expected.begin(), [](double left, double right) {
      return left == right && std::signbit(left) == std::signbit(right);
    }));
  }
  return 0;
}

NOPAL_PROGRAM(forms) {
  const std::vector<int> keys = keys_of(shape::random, 5000);
  auto items = items_with<std::vector<plain_item>>(keys);
  nopal::parallel_sort(items, {}, &plain_item::key);
  NOPAL_CHECK(are_in_order(items));
  nopal::parallel_sort(items.begin(), items.end(), std::ranges::greater(),
                       [](const plain_item& one) { return one.key_; });
  NOPAL_CHECK(std::is_sorted(items.rbegin(), items.rend(), by_key));
  nopal::parallel_stable_sort(items, std::less<int>(), &plain_item::number_);
  NOPAL_CHECK(items.front().number() == 0 && items.back().number() == 4999);
  nopal::parallel_stable_sort(items.begin(), items.end(), std::greater<>(), &plain_item::number);
  NOPAL_CHECK(items.front().number() == 4999 && items.back().number() == 0);

  // In part, backward, as an array, as a view that is a temporary.
  std::vector<int> numbers = keys;
  nopal::parallel_sort(numbers.rbegin(), numbers.rend() - 2000);
  NOPAL_CHECK(std::is_sorted(numbers.rbegin(), numbers.rend() - 2000));
  NOPAL_CHECK(std::equal(numbers.begin(), numbers.begin() + 2000, keys.begin()));
  nopal::parallel_stable_sort(std::span(numbers).first(2000),
                              [](int left, int right) { return left > right; });
  NOPAL_CHECK(std::is_sorted(numbers.begin(), numbers.begin() + 2000, std::greater<>()));
  int array[] = {3, 1, 2};
  nopal::parallel_sort(array);
  NOPAL_CHECK(array[0] == 1 && array[1] == 2 && array[2] == 3);

  std::vector<std::unique_ptr<int>> owners;
  for (const int key : keys) owners.push_back(std::make_unique<int>(key));
  const auto value_of = [](const std::unique_ptr<int>& one) { return *one; };
  nopal::parallel_sort(owners, std::less<>(), value_of);
  nopal::parallel_stable_sort(owners, std::greater<>(), value_of);
  for (std::size_t i = 1; i < owners.size(); ++i) NOPAL_CHECK(*owners[i - 1] >= *owners[i]);
  return 0;
}

/// Both strands of one sort are in a comparison at the same time, or this does not end.
template <class Sort>
void check_strands_meet(const Sort& sort) {
  std::atomic<long> calls{0};
  std::atomic<std::thread::id> first_thread{};
  flag met{nopal::workers() == 1};
  std::vector<int> numbers = keys_of(shape::random, large);
  sort(numbers, [&](int left, int right) {
    // Those before are of the search for runs and for a pivot.
    constexpr long in_strands = 10'000;
    const auto me = std::this_thread::get_id();
    if (!met.load(std::memory_order_acquire) && calls++ >= in_strands) {
      std::thread::id nobody;
      if (!first_thread.compare_exchange_strong(nobody, me) && nobody != me) set(met);
      while (!met.load(std::memory_order_acquire)) std::this_thread::yield();
    }
    return left < right;
  });
  NOPAL_CHECK(met.load() && std::is_sorted(numbers.begin(), numbers.end()));
}

NOPAL_PROGRAM(strands_at_once) {
  check_strands_meet([](auto& numbers, const auto& less) { nopal::parallel_sort(numbers, less); });
  check_strands_meet([](auto& numbers, const auto& less) { nopal::parallel_stable_sort(numbers, less); });
  check_quiet();
  return 0;
}

void sort_columns(std::vector<std::vector<int>>& columns) {
  nopal::scope s;
  for (std::vector<int>& column : columns) {
    s.fork([&column] { nopal::parallel_sort(column); });
  }
  s.join();
}

/// Many at once, each of some strands; and a comparison that sorts.
NOPAL_PROGRAM(nested) {
  std::vector<std::vector<int>> columns;
  for (int i = 0; i < 40; ++i) columns.push_back(keys_of(shape::random, i % 10 == 0 ? large : i * 100));
  sort_columns(columns);
  for (const std::vector<int>& column : columns) NOPAL_CHECK(std::is_sorted(column.begin(), column.end()));

  std::vector<int> numbers = keys_of(shape::random, 3000);
  nopal::parallel_stable_sort(numbers, [](int left, int right) {
    int two[] = {left, right};
    nopal::parallel_sort(two, std::greater<>());
    return left != right && two[0] == right;
  });
  NOPAL_CHECK(std::is_sorted(numbers.begin(), numbers.end()));
  check_quiet();
  return 0;
}

class sorts : public program_at_workers {};

TEST_P(sorts, give_every_shape_of_values_as_the_serial_ones) { EXPECT_TRUE(run("values")); }
TEST_P(sorts, move_each_item_once_and_stable_ones_in_order) { EXPECT_TRUE(run("items")); }
TEST_P(sorts, keep_equal_zeros_in_order) { EXPECT_TRUE(run("signed_zeros")); }
TEST_P(sorts, take_ranges_projections_and_what_moves_only) { EXPECT_TRUE(run("forms")); }
TEST_P(sorts, compare_in_several_strands_at_once) { EXPECT_TRUE(run("strands_at_once")); }
TEST_P(sorts, run_within_strands_and_comparisons) { EXPECT_TRUE(run("nested")); }

INSTANTIATE_TEST_SUITE_P(at_workers, sorts, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

// Comparators that throw, and those that are no order: every element is still there, once, and nothing else was looked at.
#include <nopal/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "support/sort_inputs.hpp"
#include "support/strands.hpp"

namespace {

using namespace support;

constexpr auto unstable = [](auto first, auto last, const auto& less) {
  nopal::parallel_sort(first, last, less);
};
constexpr auto stable = [](auto first, auto last, const auto& less) {
  nopal::parallel_stable_sort(first, last, less);
};

struct refusal {
  long at;
};

/// A sort whose comparisons throw from number `at` on, or that one only. Whether one threw.
template <class Items, class Sort>
bool sort_and_throw(shape kind, int count, long at, bool once, const Sort& sort) {
  const std::vector<int> keys = keys_of(kind, count);
  Items items = items_with<Items>(keys);
  std::atomic<long> calls{0};
  bool caught = false;
  try {
    sort(items.begin(), items.end(), [&calls, at, once](const auto& left, const auto& right) {
      const long call = calls++;
      if (once ? call == at : call >= at) throw refusal{call};
      return left.key() < right.key();
    });
  } catch (const refusal& what) {
    caught = true;
    NOPAL_CHECK(what.at >= at);
  }
  NOPAL_CHECK(caught == (calls > at));
  NOPAL_CHECK(are_all_with(items, keys));
  if (!caught) NOPAL_CHECK(are_in_order(items));
  return caught;
}

template <class Items>
void throw_at_every_comparison(int count) {
  for (const shape kind : {shape::random, shape::few_values, shape::reversed, shape::organ_pipe}) {
    for (long at = 0; sort_and_throw<Items>(kind, count, at, true, unstable); ++at) {
    }
    for (long at = 0; sort_and_throw<Items>(kind, count, at, true, stable); ++at) {
    }
  }
}

NOPAL_PROGRAM(throwing_at_every_comparison) {
  for (const int count : {2, 5, 9, 16, 33, 70, 130}) {
    throw_at_every_comparison<std::vector<plain_item>>(count);
    throw_at_every_comparison<std::vector<wide_item>>(count);
    throw_at_every_comparison<std::vector<copied_item>>(count);
    throw_at_every_comparison<std::vector<counted_item>>(count);
    throw_at_every_comparison<std::deque<counted_item>>(count);
    NOPAL_CHECK(counted_item::alive == 0);
  }
  check_quiet();
  return 0;
}

constexpr int large = watched ? 70'000 : 150'000;

/// At comparisons that lie ever further apart.
template <class Items, class Sort>
void throw_now_and_then(int count, const Sort& sort) {
  for (const shape kind : {shape::random, shape::few_values, shape::organ_pipe, shape::in_order}) {
    long at = 100;
    while (sort_and_throw<Items>(kind, count, at, at % 2 == 0, sort)) at += watched ? 4 * at : at - at / 3;
  }
}

template <class Items>
void throw_in_large(int count) {
  throw_now_and_then<Items>(count, unstable);
  throw_now_and_then<Items>(count, stable);
}

NOPAL_PROGRAM(throwing_in_many_strands) {
  for (const int count : {10'000, large}) {
    throw_in_large<std::vector<plain_item>>(count);
    throw_in_large<std::vector<copied_item>>(count);
    throw_in_large<std::vector<counted_item>>(count);
    throw_in_large<std::deque<counted_item>>(count);
    NOPAL_CHECK(counted_item::alive == 0);
  }
  check_quiet();
  return 0;
}

/// Numbers in order, so that a sort only looks for that: two looks throw, and that which the serial sort has first leaves.
NOPAL_PROGRAM(throwing_at_two_places) {
  constexpr int count = 200'000;
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  for (const int first : {1000, 40'000, 90'000, 120'000}) {
    for (const int second : {30'000, 80'000, 110'000, 199'000}) {
      if (second - first < 20'000) continue;  // in the same chunk
      for (const bool first_throws_late : {true, false}) {
        flag second_throws{false};
        try {
          nopal::parallel_sort(values.begin(), values.end(), [&](int left, int right) {
            const int least = std::min(left, right);
            if (least == second) {
              set(second_throws);
              throw refusal{second};
            }
            if (least == first) {
              if (first_throws_late) wait_for_continuation(second_throws);
              throw refusal{first};
            }
            return left < right;
          });
          NOPAL_CHECK(false);
        } catch (const refusal& what) {
          NOPAL_CHECK(what.at == first);
        }
      }
    }
  }
  check_quiet();
  return 0;
}

/// Answers that are no order, by their number.
bool answer(int which, int left, int right, std::atomic<unsigned>& state) {
  switch (which) {
  case 0: return true;
  case 1: return left <= right;
  case 2: return (left - right + 3000) % 3 == 1;
  case 3: return (state += 0x9E3779B9U) * 0x85EBCA6BU >> 31 != 0;
  case 4: return state++ % 2 == 0;
  default: return left % 7 != 0 && right % 7 != 0 && left < right;
  }
}
constexpr int answers = 6;

/// In the middle of others, which are not to be seen.
template <class Items, class Sort>
void check_without_an_order(shape kind, int count, int which, const Sort& sort) {
  constexpr int outside = std::numeric_limits<int>::max();
  constexpr int around = 40;
  std::vector<int> keys(around, outside);
  for (const int key : keys_of(kind, count)) keys.push_back(key % 2000);
  keys.insert(keys.end(), around, outside);
  Items items = items_with<Items>(keys);
  std::atomic<unsigned> state{0};
  std::atomic<bool> left_the_range{false};
  sort(items.begin() + around, items.end() - around, [&](const auto& left, const auto& right) {
    if (left.key() < 0 || right.key() < 0 || left.key() == outside || right.key() == outside) {
      left_the_range = true;
    }
    return answer(which, left.key(), right.key(), state);
  });
  NOPAL_CHECK(!left_the_range);
  NOPAL_CHECK(are_all_with(items, keys));
  for (int i = 0; i < around; ++i) {
    NOPAL_CHECK(items[static_cast<std::size_t>(i)].number() == i);
    NOPAL_CHECK(items[items.size() - 1 - static_cast<std::size_t>(i)].number() == count + 2 * around - 1 - i);
  }
}

template <class Items>
void check_without_any_order(int count) {
  int pairs = 0;
  for (int which = 0; which < answers; ++which) {
    for (const shape kind : all_shapes) {
      if (watched && ++pairs % 2 == 0) continue;  // a sanitizer takes long
      check_without_an_order<Items>(kind, count, which, unstable);
      check_without_an_order<Items>(kind, count, which, stable);
    }
  }
}

NOPAL_PROGRAM(without_an_order) {
  for (const int count : usual_sizes) {
    if (watched && count % 3 != 0) continue;
    check_without_any_order<std::vector<plain_item>>(count);
    check_without_any_order<std::vector<wide_item>>(count);
    check_without_any_order<std::vector<counted_item>>(count);
  }
  check_without_any_order<std::vector<copied_item>>(3000);
  check_without_any_order<std::vector<plain_item>>(large);
  check_without_any_order<std::deque<counted_item>>(watched ? 10'000 : large);
  return 0;
}

/// Numbers that are not comparable to any.
NOPAL_PROGRAM(not_a_number) {
  for (const int count : {10, 30, 1000, 100'000}) {
    std::vector<double> values;
    for (const int key : keys_of(shape::random, count)) {
      values.push_back(key % 4 == 0 ? std::numeric_limits<double>::quiet_NaN() : key);
    }
    const auto not_numbers = [&values] {
      return std::count_if(values.begin(), values.end(), [](double one) { return one != one; });
    };
    const auto before = not_numbers();
    nopal::parallel_sort(values);
    NOPAL_CHECK(not_numbers() == before);
    nopal::parallel_stable_sort(values);
    NOPAL_CHECK(not_numbers() == before);
  }
  return 0;
}

class sort_faults : public program_at_workers {};

TEST_P(sort_faults, no_item_is_lost_whichever_comparison_throws) {
  EXPECT_TRUE(run("throwing_at_every_comparison"));
}
TEST_P(sort_faults, no_item_is_lost_if_comparisons_of_many_strands_throw) {
  EXPECT_TRUE(run("throwing_in_many_strands"));
}
TEST_P(sort_faults, the_first_look_for_order_that_throws_leaves) {
  EXPECT_TRUE(run("throwing_at_two_places"));
}
TEST_P(sort_faults, without_an_order_all_items_stay_in_the_range) { EXPECT_TRUE(run("without_an_order")); }
TEST_P(sort_faults, not_a_number_stays_as_often_as_it_was) { EXPECT_TRUE(run("not_a_number")); }

INSTANTIATE_TEST_SUITE_P(at_workers, sort_faults, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

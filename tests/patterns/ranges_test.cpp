// Patterns over whole ranges: containers, arrays, spans and views, told from two ends, called with elements.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <nopal/parallel.hpp>

#include "support/strands.hpp"

namespace {

std::vector<int> up_to(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

struct letters {
  long operator()(long sum, const std::string& word) const { return sum + static_cast<long>(word.size()); }
  long operator()(long left, long right) const { return left + right; }
};

NOPAL_PROGRAM(loops_over_ranges) {
  std::vector<int> values(5000, 1);
  nopal::parallel_for(values, [](auto& value) { value += 1; });  // of elements, whatever else would compile
  nopal::parallel_for(values, 64, [](int& value) { value *= 3; });
  nopal::parallel_for(values, [](std::vector<int>::iterator at) { *at += 1; });
  nopal::parallel_for(values, std::size_t{100}, [](auto from, auto to) {
    NOPAL_CHECK(to - from <= 5000);
    for (; from != to; ++from) *from += 1;
  });
  for (const int value : values) NOPAL_CHECK(value == 8);

  int plain[100] = {};
  nopal::parallel_for(plain, [](int& value) { value = 4; });
  nopal::parallel_for(plain, 7, [](int& value) { value += 1; });
  nopal::parallel_for(plain, plain + 100, [](int& value) { value += 1; });
  nopal::parallel_for_each(plain, plain + 100, [](int value) { NOPAL_CHECK(value == 6); });

  nopal::parallel_for(std::span(values).subspan(10, 3), [](int& value) { value = 0; });
  NOPAL_CHECK(std::accumulate(values.begin(), values.end(), 0) == 8 * 4997);
  std::deque<std::unique_ptr<int>> owners(300);
  nopal::parallel_for(owners, [](std::unique_ptr<int>& each) { each = std::make_unique<int>(1); });
  for (const auto& each : owners) NOPAL_CHECK(*each == 1);
  std::vector<bool> bits(1000, true);
  std::atomic<int> set{0};
  nopal::parallel_for(bits, [&](bool bit) { set += bit ? 1 : 0; });
  NOPAL_CHECK(set == 1000);
  nopal::parallel_for(std::vector<int>(), [](int) { NOPAL_CHECK(false); });
  return 0;
}

NOPAL_PROGRAM(loops_over_views) {
  std::atomic<long> sum{0};
  nopal::parallel_for(std::views::iota(0, 1000), [&](int i) { sum += i; });
  nopal::parallel_for(std::views::iota(0L, 1000L), 10, [&](long i) { sum += i; });  // differences of 128 bits
  nopal::parallel_for(std::views::iota(short{0}, short{1000}), [&](short i) { sum += i; });
  NOPAL_CHECK(sum == 3 * 499'500);
  const auto squares = std::views::iota(0, 100) | std::views::transform([](int i) { return i * i; });
  NOPAL_CHECK(nopal::parallel_reduce(squares, 0L, std::plus<>()) == 328'350);
  NOPAL_CHECK(*nopal::parallel_find_if(squares, [](int square) { return square > 50; }) == 64);
  // A range whose end is no iterator.
  const std::vector<int> values = up_to(100);
  const std::counted_iterator first(values.begin(), 50);
  const std::ranges::subrange half(first, std::default_sentinel);
  NOPAL_CHECK(nopal::parallel_reduce(half, 0, std::plus<>()) == 49 * 25);
  NOPAL_CHECK(nopal::parallel_find_if(half, [](int) { return false; }) == std::default_sentinel);
  std::vector<int> copied(50);
  NOPAL_CHECK(nopal::parallel_transform(half, copied.begin(), [](int value) { return value; }) ==
              copied.end());
  NOPAL_CHECK(copied == up_to(50));
  return 0;
}

NOPAL_PROGRAM(reductions_of_ranges) {
  const std::vector<int> values = up_to(5000);
  const long sum = 5000L * 4999 / 2;
  const auto doubled = [](int value) { return 2L * value; };
  const auto add = [](auto a, auto b) { return a + b; };
  NOPAL_CHECK(nopal::parallel_reduce(values, 0L, std::plus<>()) == sum);
  NOPAL_CHECK(nopal::parallel_reduce(values, 0L, add) == sum);
  NOPAL_CHECK(nopal::parallel_reduce(values, 0L, doubled, add) == 2 * sum);
  NOPAL_CHECK(nopal::parallel_reduce(values, 0L, [](const auto& value) { return long{value}; }, add) == sum);
  NOPAL_CHECK(nopal::parallel_reduce(values, 16, 0L, doubled, std::plus<>()) == 2 * sum);
  // A whole number before combine is the identity, also where the elements are something else.
  const std::vector<std::string> words(100, "four");
  NOPAL_CHECK(nopal::parallel_reduce(words, 0L, letters()) == 400);
  NOPAL_CHECK(nopal::parallel_reduce(values, 16, 0L, std::plus<>()) == sum);
  NOPAL_CHECK(nopal::parallel_reduce(values, std::size_t{16}, 0.0, std::plus<>()) ==
              static_cast<double>(sum));
  // Of iterators.
  using place = std::vector<int>::const_iterator;
  NOPAL_CHECK(*nopal::parallel_reduce(
                  values, values.begin(), [](place at) { return at; },
                  [](place a, place b) { return *b > *a ? b : a; }) == 4999);
  return 0;
}

NOPAL_PROGRAM(reductions_without_a_map) {
  const std::vector<int> values = up_to(1000);
  int plain[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  NOPAL_CHECK(nopal::parallel_reduce(values.begin(), values.end(), 0L, std::plus<>()) == 499'500);
  NOPAL_CHECK(nopal::parallel_reduce(values.begin(), values.end(), 8, 0L, std::plus<>()) == 499'500);
  NOPAL_CHECK(nopal::parallel_reduce(0, 1000, 0L, std::plus<>()) == 499'500);
  NOPAL_CHECK(nopal::parallel_reduce(0L, 1000L, 7, 0L, std::plus<>()) == 499'500);
  NOPAL_CHECK(nopal::parallel_reduce(plain, plain + 10, 1, std::multiplies<>()) == 3'628'800);
  NOPAL_CHECK(nopal::parallel_reduce(plain, 1, std::multiplies<>()) == 3'628'800);
  NOPAL_CHECK(nopal::parallel_reduce(plain, 3, 1, std::multiplies<>()) == 3'628'800);
  NOPAL_CHECK(nopal::parallel_reduce(plain, 0, [](int value) { return value; }, std::plus<>()) == 55);
  NOPAL_CHECK(nopal::parallel_reduce(5, 5, 7, std::plus<>()) == 7);
  // In order.
  std::vector<std::string> letters;
  for (int i = 0; i < 500; ++i) letters.emplace_back(1, static_cast<char>('a' + i % 26));
  const std::string all = std::accumulate(letters.begin(), letters.end(), std::string());
  NOPAL_CHECK(nopal::parallel_reduce(letters, std::string(), std::plus<>()) == all);
  NOPAL_CHECK(nopal::parallel_reduce(letters, 5, std::string(), std::plus<>()) == all);
  return 0;
}

NOPAL_PROGRAM(transformations_and_scans_of_ranges) {
  const std::vector<int> values = up_to(3000);
  std::vector<int> out(3000);
  NOPAL_CHECK(nopal::parallel_transform(values, out.begin(), std::negate<>()) == out.end());
  NOPAL_CHECK(out[2999] == -2999);
  NOPAL_CHECK(nopal::parallel_transform(values, out, out.begin(), std::plus<>()) == out.end());
  NOPAL_CHECK(out == std::vector<int>(3000));
  NOPAL_CHECK(nopal::parallel_transform(values, std::views::iota(0, 10), out.begin(), std::plus<>()) -
                  out.begin() ==
              10);
  NOPAL_CHECK(out[9] == 18 && out[10] == 0);
  NOPAL_CHECK(nopal::parallel_transform(std::views::iota(0, 10), values, out.begin(), std::plus<>()) -
                  out.begin() ==
              10);
  int plain[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  int sums[10] = {};
  NOPAL_CHECK(nopal::parallel_transform(plain, plain, sums, std::plus<>()) == sums + 10 && sums[9] == 20);
  NOPAL_CHECK(nopal::parallel_transform(plain, plain + 5, sums, std::negate<>()) == sums + 5 &&
              sums[4] == -5);
  NOPAL_CHECK(nopal::parallel_transform(plain, sums, std::negate<>()) == sums + 10 && sums[9] == -10);

  NOPAL_CHECK(nopal::parallel_inclusive_scan(plain, sums) == sums + 10 && sums[9] == 55);
  nopal::parallel_inclusive_scan(plain, sums, std::multiplies<>());
  NOPAL_CHECK(sums[9] == 3'628'800);
  nopal::parallel_inclusive_scan(plain, sums, std::plus<>(), 5);
  NOPAL_CHECK(sums[9] == 60);
  nopal::parallel_exclusive_scan(plain, sums, 1);
  NOPAL_CHECK(sums[9] == 46);
  nopal::parallel_exclusive_scan(plain, sums, 1, std::multiplies<>());
  NOPAL_CHECK(sums[9] == 362'880);
  nopal::parallel_inclusive_scan(plain, plain + 2, sums);
  nopal::parallel_exclusive_scan(plain, plain + 2, sums + 2, 7);
  NOPAL_CHECK(sums[1] == 3 && sums[2] == 7 && sums[3] == 8 && sums[9] == 362'880);
  std::vector<long> all(3000);
  NOPAL_CHECK(nopal::parallel_inclusive_scan(values, all.begin(), std::plus<>(), 0L) == all.end());
  NOPAL_CHECK(all.back() == 3000L * 2999 / 2);
  NOPAL_CHECK(nopal::parallel_exclusive_scan(all, all.begin(), 0L) == all.end() && all[1] == 0);
  return 0;
}

NOPAL_PROGRAM(searches_of_ranges) {
  const std::vector<int> values = up_to(3000);
  const auto large = [](int value) { return value >= 1234; };
  NOPAL_CHECK(nopal::parallel_find_if(values, large) - values.begin() == 1234);
  NOPAL_CHECK(nopal::parallel_find_if(
                  values, [](int negated) { return negated == -5; }, std::negate<>()) -
                  values.begin() ==
              5);
  NOPAL_CHECK(nopal::parallel_find_if(values, [](int) { return false; }) == values.end());
  NOPAL_CHECK(*nopal::parallel_find_if(std::span(values).last(10), large) == 2990);  // outlives the span
  const int plain[3] = {1, 2, 3};
  NOPAL_CHECK(nopal::parallel_find_if(plain, [](int value) { return value == 2; }) == plain + 1);
  NOPAL_CHECK(nopal::parallel_any_of(values, large) && !nopal::parallel_all_of(values, large));
  NOPAL_CHECK(nopal::parallel_none_of(values, [](int value) { return value < 0; }));
  NOPAL_CHECK(nopal::parallel_any_of(std::vector<int>{1, 2}, [](int value) { return value == 2; }));
  NOPAL_CHECK(
      nopal::parallel_all_of(std::array<int, 2>{1, 2}, [](int value) { return value < 0; }, std::negate<>()));
  return 0;
}

NOPAL_PROGRAM(first_exceptions_of_ranges) {
  const std::vector<int> values = up_to(1000);
  const auto fail = [](int value) {
    if (value % 100 == 99) throw value;
    support::burn(50);
    return value;
  };
  for (int round = 0; round < 50; ++round) {
    try {
      nopal::parallel_for(values, fail);
      NOPAL_CHECK(false);
    } catch (int thrown) {
      NOPAL_CHECK(thrown == 99);
    }
    try {
      static_cast<void>(nopal::parallel_reduce(values, 0, fail, std::plus<>()));
      NOPAL_CHECK(false);
    } catch (int thrown) {
      NOPAL_CHECK(thrown == 99);
    }
  }
  support::check_quiet();
  return 0;
}

class range_patterns : public support::program_at_workers {};

TEST_P(range_patterns, loop_over_elements) { EXPECT_TRUE(run("loops_over_ranges")); }
TEST_P(range_patterns, take_views_and_sentinels) { EXPECT_TRUE(run("loops_over_views")); }
TEST_P(range_patterns, reduce) { EXPECT_TRUE(run("reductions_of_ranges")); }
TEST_P(range_patterns, reduce_without_a_map) { EXPECT_TRUE(run("reductions_without_a_map")); }
TEST_P(range_patterns, transform_and_scan) { EXPECT_TRUE(run("transformations_and_scans_of_ranges")); }
TEST_P(range_patterns, search) { EXPECT_TRUE(run("searches_of_ranges")); }
TEST_P(range_patterns, throw_the_first_exception) { EXPECT_TRUE(run("first_exceptions_of_ranges")); }

INSTANTIATE_TEST_SUITE_P(at_workers, range_patterns, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

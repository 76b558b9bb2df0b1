// Reducers whose views are words, which lie in the sets of strands: many at once, whose operation does not commute, made by
// strands and by threads, and packed.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "support/strands.hpp"

namespace {

/// x -> a x + b, one map after the other.
struct affine {
  std::uint32_t a;
  std::uint32_t b;
  bool operator==(const affine&) const = default;
};

affine then(affine first, affine next) { return {next.a * first.a, next.a * first.b + next.b}; }

struct op_then {
  using value_type = affine;
  static affine identity() { return {1, 0}; }
  static void reduce(affine& left, affine&& right) { left = then(left, right); }
};

using maps = nopal::reducer<op_then>;
static_assert(sizeof(maps) == 8, "an array of reducers is as small as one of words");

affine map_of(std::uint32_t number) { return {number * 2654435761U | 1, number ^ 0x9e3779b9U}; }

void apply(maps* to, std::size_t count, std::uint32_t first, std::uint32_t last) {
  if (last - first <= 4) {
    for (; first < last; ++first) {
      support::burn(500);
      // Some of them everywhere, others here and there.
      for (std::size_t i = first % 3; i < count; i += 1 + first % 7) *to[i] = then(*to[i], map_of(first));
    }
    return;
  }
  const std::uint32_t middle = first + (last - first) / 2;
  nopal::scope s;
  s.fork(apply, to, count, first, middle);
  apply(to, count, middle, last);
  s.join();
}

void check(maps* of, std::size_t count, std::uint32_t last) {
  for (std::size_t i = 0; i < count; ++i) {
    affine expected{1, 0};
    for (std::uint32_t number = 0; number < last; ++number) {
      if (i >= number % 3 && (i - number % 3) % (1 + number % 7) == 0)
        expected = then(expected, map_of(number));
    }
    NOPAL_CHECK(of[i].value() == expected);
  }
}

NOPAL_PROGRAM(words_in_serial_order) {
  for (int i = 0; i < 60; ++i) {
    constexpr std::size_t count = 300;
    const auto own = std::make_unique<maps[]>(count);
    apply(own.get(), count, 0, 400);
    check(own.get(), count, 400);
  }
  support::check_quiet();
  return 0;
}

/// The reducers belong to strands that are no thread's first.
void with_own_reducers(int depth) {
  if (depth == 0) return;
  constexpr std::size_t count = 40;
  maps own[count];
  nopal::scope s;
  s.fork(with_own_reducers, depth - 1);
  apply(own, count, 0, 60);
  with_own_reducers(depth - 1);
  s.join();
  check(own, count, 60);
}

NOPAL_PROGRAM(words_of_strands) {
  for (int i = 0; i < 5; ++i) with_own_reducers(6);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(words_begin_as_they_are_made) {
  nopal::reducer<nopal::op_add<int>> seven{7};
  nopal::reducer<nopal::op_and<bool>> all;
  nopal::reducer<nopal::op_min<float>> least(2.5F);
  nopal::reducer<nopal::op_mul<double>> one;
  NOPAL_CHECK(seven.value() == 7 && all.value() && least.value() == 2.5F && one.value() == 1.0);
  NOPAL_CHECK(seven.take() == 7 && seven.value() == 0);
  seven.set(3);
  NOPAL_CHECK(seven.value() == 3);
  return 0;
}

class reducer_words : public support::program_at_workers {};

TEST_P(reducer_words, of_many_reducers_are_reduced_in_serial_order) {
  EXPECT_TRUE(run("words_in_serial_order"));
}
TEST_P(reducer_words, of_strands_reducers_are_reduced_in_serial_order) {
  EXPECT_TRUE(run("words_of_strands"));
}
TEST_P(reducer_words, begin_as_the_reducer_was_made) { EXPECT_TRUE(run("words_begin_as_they_are_made")); }

INSTANTIATE_TEST_SUITE_P(at_workers, reducer_words, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

// Loops and ranges of oneTBB's interface: what is called, how often and with what.
#include <gtest/gtest.h>
#include <tbb/blocked_nd_range.h>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/program.hpp"

#ifndef NOPAL_COMPAT_TBB
#error "these are oneTBB's headers"
#endif

namespace {

using counts = std::vector<std::atomic<int>>;

void check_once(const counts& seen) {
  for (const std::atomic<int>& count : seen) NOPAL_CHECK(count == 1);
}

template <class... How>
void check_indices(How&&... how) {
  counts seen(5000);
  tbb::parallel_for(0, 5000, [&](int i) { ++seen[static_cast<std::size_t>(i)]; }, how...);
  check_once(seen);
  counts third(5000);
  tbb::parallel_for(1L, 5000L, 3L, [&](long i) { ++third[static_cast<std::size_t>(i)]; }, how...);
  for (std::size_t i = 0; i != third.size(); ++i) NOPAL_CHECK(third[i] == (i % 3 == 1 ? 1 : 0));
  counts whole(5000);
  const auto body = [&](const tbb::blocked_range<std::size_t>& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) ++whole[i];
  };
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, whole.size()), body, how...);
  check_once(whole);
}

NOPAL_PROGRAM(every_index_once) {
  tbb::affinity_partitioner affinity;
  tbb::task_group_context context;
  check_indices();
  check_indices(tbb::auto_partitioner());
  check_indices(tbb::simple_partitioner());
  check_indices(tbb::static_partitioner());
  check_indices(affinity);
  check_indices(context);
  check_indices(tbb::simple_partitioner(), context);
  check_indices(tbb::static_partitioner(), context);
  return 0;
}

NOPAL_PROGRAM(bounds_of_the_type) {
  counts seen(256);
  tbb::parallel_for(-128, 127, [&](int i) { ++seen[static_cast<std::size_t>(i + 128)]; });
  tbb::parallel_for(static_cast<signed char>(127), static_cast<signed char>(127),
                    [](signed char) { NOPAL_CHECK(false); });
  NOPAL_CHECK(seen[255].exchange(1) == 0);
  check_once(seen);
  std::atomic<int> calls{0};
  tbb::parallel_for<signed char>(-128, 127, 100, [&](signed char i) {
    NOPAL_CHECK(i == -128 || i == -28 || i == 72);
    ++calls;
  });
  NOPAL_CHECK(calls == 3);
  tbb::parallel_for(5, 3, [](int) { NOPAL_CHECK(false); });
  try {
    tbb::parallel_for(0, 3, 0, [](int) {});
    NOPAL_CHECK(false);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}

NOPAL_PROGRAM(grains) {
  std::atomic<std::size_t> least{1000};
  std::atomic<std::size_t> most{0};
  const auto note = [&](const tbb::blocked_range<int>& part) {
    for (std::size_t seen = least; part.size() < seen && !least.compare_exchange_weak(seen, part.size());) {
    }
    for (std::size_t seen = most; part.size() > seen && !most.compare_exchange_weak(seen, part.size());) {
    }
  };
  tbb::parallel_for(tbb::blocked_range<int>(0, 1 << 16, 10), note, tbb::simple_partitioner());
  NOPAL_CHECK(most == 8 && least == 8);
  least = 1 << 20;
  tbb::parallel_for(tbb::blocked_range<int>(0, 1 << 16, 1000), note);
  NOPAL_CHECK(least >= 500);
  return 0;
}

NOPAL_PROGRAM(a_part_per_worker) {
  std::atomic<int> parts{0};
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 1000),
      [&](const auto& part) {
        ++parts;
        NOPAL_CHECK(part.size() >= 1000U / static_cast<unsigned>(nopal::workers()) - 8);
      },
      tbb::static_partitioner());
  NOPAL_CHECK(parts == nopal::workers());
  return 0;
}

NOPAL_PROGRAM(boxes) {
  counts cells(30 * 40);
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 30, 2, 0, 40, 3),
                    [&](const tbb::blocked_range2d<int>& part) {
                      for (int row = part.rows().begin(); row != part.rows().end(); ++row) {
                        for (int col = part.cols().begin(); col != part.cols().end(); ++col) {
                          ++cells[static_cast<std::size_t>(row * 40 + col)];
                        }
                      }
                    });
  check_once(cells);
  std::atomic<std::size_t> volume{0};
  tbb::parallel_for(
      tbb::blocked_range3d<long>(0, 7, 0, 11, 0, 13),
      [&](const tbb::blocked_range3d<long>& part) {
        volume += part.pages().size() * part.rows().size() * part.cols().size();
      },
      tbb::simple_partitioner());
  NOPAL_CHECK(volume == 7 * 11 * 13);
  volume = 0;
  using box = tbb::blocked_nd_range<int, 4>;
  static_assert(std::is_same_v<box, decltype(tbb::blocked_nd_range({0, 3}, {0, 5, 2}, {0, 7}, {2, 4}))> &&
                std::is_same_v<box, decltype(tbb::blocked_nd_range({3, 5, 7, 9}))>);
  tbb::parallel_for(
      box({0, 3}, {0, 5, 2}, {0, 7}, {2, 4}),
      [&](const box& part) {
        volume += part.dim(0).size() * part.dim(1).size() * part.dim(2).size() * part.dim(3).size();
      },
      tbb::static_partitioner());
  NOPAL_CHECK(volume == 3 * 5 * 7 * 2);
  return 0;
}

/// A range of the user's: no assignment, cut in the middle only.
class even_range {
public:
  even_range(int first, int last) : first_(first), last_(last) {}
  even_range(const even_range&) = default;
  even_range& operator=(const even_range&) = delete;
  even_range(even_range& from, tbb::split) : first_((from.first_ + from.last_) / 2), last_(from.last_) {
    from.last_ = first_;
  }
  ~even_range() = default;
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] bool is_divisible() const { return last_ - first_ > 1; }
  [[nodiscard]] int sum() const { return (first_ + last_ - 1) * (last_ - first_) / 2; }

private:
  const int first_;
  int last_;
};

NOPAL_PROGRAM(a_range_of_the_users) {
  std::atomic<int> sum{0};
  tbb::parallel_for(even_range(0, 1000), [&](const even_range& part) { sum += part.sum(); });
  tbb::parallel_for(
      even_range(0, 1000), [&](const even_range& part) { sum += part.sum(); }, tbb::static_partitioner());
  NOPAL_CHECK(sum == 2 * 499500);
  return 0;
}

NOPAL_PROGRAM(for_each) {
  std::vector<int> numbers(3000);
  std::iota(numbers.begin(), numbers.end(), 0);
  tbb::parallel_for_each(numbers, [](int& number) { number *= 2; });
  for (int i = 0; i != 3000; ++i) NOPAL_CHECK(numbers[static_cast<std::size_t>(i)] == 2 * i);
  std::forward_list<int> list(numbers.begin(), numbers.end());
  std::atomic<long> sum{0};
  tbb::parallel_for_each(list.begin(), list.end(), [&](int number) { sum += number; });
  NOPAL_CHECK(sum == 2999L * 3000);
  std::istringstream words("1 2 3 4 5 6 7 8 9 10");
  sum = 0;
  tbb::parallel_for_each(std::istream_iterator<int>(words), std::istream_iterator<int>(),
                         [&](int number) { sum += number; });
  NOPAL_CHECK(sum == 55);
  return 0;
}

NOPAL_PROGRAM(feeders) {
  std::atomic<int> calls{0};
  const std::list<int> roots{12, 10};
  tbb::parallel_for_each(roots, [&](int depth, tbb::feeder<int>& more) {
    ++calls;
    if (depth != 0) {
      more.add(depth - 1);
      more.add(depth - 1);
    }
  });
  NOPAL_CHECK(calls == 8191 + 2047);
  return 0;
}

int tribonacci(int n) {
  if (n < 3) return 1;
  int a = 0;
  int b = 0;
  int c = 0;
  tbb::parallel_invoke([&] { a = tribonacci(n - 1); }, [&] { b = tribonacci(n - 2); },
                       [&] { c = tribonacci(n - 3); });
  return a + b + c;
}

NOPAL_PROGRAM(invoke) {
  NOPAL_CHECK(tribonacci(15) == 4063);
  std::atomic<int> calls{0};
  const auto call = [&] { ++calls; };
  tbb::task_group_context context;
  tbb::parallel_invoke(call, call);
  tbb::parallel_invoke(call, call, call, call, call, call, call, call, call, call, call);
  tbb::parallel_invoke(call, call, context);
  tbb::parallel_invoke(call, call, call, context);
  NOPAL_CHECK(calls == 18);
  int own = 0;
  tbb::parallel_invoke([&own]() mutable { own += 1; }, [] {});
  NOPAL_CHECK(own == 1);
  return 0;
}

// Bodies that take their range or item by a reference to what is not constant.
NOPAL_PROGRAM(bodies_with_plain_references) {
  std::atomic<int> calls{0};
  tbb::parallel_for(tbb::blocked_range<int>(0, 100),
                    [&](tbb::blocked_range<int>& part) { calls += static_cast<int>(part.size()); });
  NOPAL_CHECK(calls == 100);
  std::istringstream numbers("1 2 3 4");
  tbb::parallel_for_each(std::istream_iterator<int>(numbers), std::istream_iterator<int>(),
                         [&](int& number) { calls += number; });
  NOPAL_CHECK(calls == 110);
  const std::vector<int> depths{3, 3};
  tbb::parallel_for_each(depths, [&](const volatile int& depth, tbb::feeder<int>& more) {
    ++calls;
    const int left = depth;
    if (left != 0) more.add(left - 1);
  });
  NOPAL_CHECK(calls == 118);
  return 0;
}

/// A range that counts how it is cut.
struct counted_range {
  static inline std::atomic<int> halves{0};
  static inline std::atomic<int> parts{0};
  [[maybe_unused]] static constexpr bool is_splittable_in_proportion = true;
  explicit counted_range(int length) : size(length) {}
  counted_range(counted_range& from, tbb::split) : size(from.size / 2) {
    from.size -= size;
    ++halves;
  }
  counted_range(counted_range& from, tbb::proportional_split& ratio)
      : size(from.size * static_cast<int>(ratio.right()) / static_cast<int>(ratio.left() + ratio.right())) {
    from.size -= size;
    ++parts;
  }
  [[nodiscard]] bool empty() const { return size == 0; }
  [[nodiscard]] bool is_divisible() const { return size > 1; }
  int size;
};

NOPAL_PROGRAM(cut_in_proportion) {
  std::atomic<int> sum{0};
  const auto body = [&](const counted_range& part) { sum += part.size; };
  tbb::affinity_partitioner affinity;
  tbb::parallel_for(counted_range(1000), body, affinity);
  NOPAL_CHECK(sum == 1000 && counted_range::halves == 0 && counted_range::parts > 0);
  counted_range::parts = 0;
  tbb::parallel_for(counted_range(1000), body, tbb::simple_partitioner());
  NOPAL_CHECK(sum == 2000 && counted_range::halves == 999 && counted_range::parts == 0);
  return 0;
}

NOPAL_PROGRAM(nested) {
  std::atomic<long> sum{0};
  tbb::parallel_for(
      0, 40,
      [&](int i) {
        tbb::parallel_for(
            0, 40, [&](int j) { tbb::parallel_invoke([&] { sum += i; }, [&] { sum += j; }); },
            tbb::simple_partitioner());
      },
      tbb::simple_partitioner());
  NOPAL_CHECK(sum == 2L * 40 * 780);
  return 0;
}

NOPAL_PROGRAM(many_threads) {
  std::atomic<long> sum{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread) {
    threads.emplace_back([&] {
      const std::thread::id self = std::this_thread::get_id();
      tbb::parallel_for(0, 10000, [&](int i) { sum += i; });
      NOPAL_CHECK(std::this_thread::get_id() == self);
    });
  }
  for (std::thread& each : threads) each.join();
  NOPAL_CHECK(sum == 4L * 49995000);
  return 0;
}

NOPAL_PROGRAM(sort) {
  std::vector<unsigned> numbers(200000);
  unsigned state = 1;
  for (unsigned& number : numbers) number = state = state * 1664525U + 1013904223U;
  std::vector<unsigned> expected = numbers;
  std::sort(expected.begin(), expected.end());
  std::vector<unsigned> once = numbers;
  tbb::parallel_sort(once.begin(), once.end());
  NOPAL_CHECK(once == expected);
  once = numbers;
  tbb::parallel_sort(once);
  NOPAL_CHECK(once == expected);
  std::reverse(expected.begin(), expected.end());
  tbb::parallel_sort(numbers, std::greater<>());
  NOPAL_CHECK(numbers == expected);
  return 0;
}

class loops : public support::program_at_workers {};

TEST_P(loops, call_the_body_once_for_each_index_however_they_are_cut) {
  EXPECT_TRUE(run("every_index_once"));
}
TEST_P(loops, reach_the_bounds_of_the_type) { EXPECT_TRUE(run("bounds_of_the_type")); }
TEST_P(loops, are_cut_to_their_grain_and_no_finer) { EXPECT_TRUE(run("grains")); }
TEST_P(loops, are_cut_into_a_part_per_worker_by_the_static_partitioner) {
  EXPECT_TRUE(run("a_part_per_worker"));
}
TEST_P(loops, hand_over_what_can_be_changed) { EXPECT_TRUE(run("bodies_with_plain_references")); }
TEST_P(loops, are_cut_in_proportion_by_the_affinity_partitioner) { EXPECT_TRUE(run("cut_in_proportion")); }
TEST_P(loops, go_over_boxes) { EXPECT_TRUE(run("boxes")); }
TEST_P(loops, take_ranges_that_cannot_be_assigned) { EXPECT_TRUE(run("a_range_of_the_users")); }
TEST_P(loops, go_over_containers_and_iterators_of_every_kind) { EXPECT_TRUE(run("for_each")); }
TEST_P(loops, go_on_with_what_the_body_adds) { EXPECT_TRUE(run("feeders")); }
TEST_P(loops, are_beside_calls_of_several_functions) { EXPECT_TRUE(run("invoke")); }
TEST_P(loops, nest) { EXPECT_TRUE(run("nested")); }
TEST_P(loops, run_on_several_threads_of_the_program_and_return_there) { EXPECT_TRUE(run("many_threads")); }
TEST_P(loops, are_beside_sorting) { EXPECT_TRUE(run("sort")); }

INSTANTIATE_TEST_SUITE_P(tbb, loops, testing::Values(1, 2, 7), testing::PrintToStringParamName());

TEST(ranges, are_cut_in_halves_and_in_proportion) {
  tbb::blocked_range<int> left(0, 100, 5);
  const tbb::blocked_range<int> right(left, tbb::split());
  EXPECT_EQ(left.size() + right.size(), 100U);
  EXPECT_EQ(left.end(), 50);
  EXPECT_EQ(right.grainsize(), 5U);
  tbb::proportional_split ratio(3, 1);
  tbb::blocked_range<int> three(0, 100);
  const tbb::blocked_range<int> one(three, ratio);
  EXPECT_EQ(three.end(), 75);
  EXPECT_EQ(one.begin(), 75);
  tbb::proportional_split lopsided(100, 1);
  tbb::blocked_range<int> most(0, 2);
  const tbb::blocked_range<int> least(most, lopsided);
  EXPECT_EQ(most.size(), 1U);
  EXPECT_EQ(least.size(), 1U);
  EXPECT_TRUE(tbb::blocked_range<int>(3, 3).empty());
  EXPECT_FALSE(tbb::blocked_range<int>(0, 5, 5).is_divisible());
}

TEST(names, are_the_same_in_both_namespaces) {
  EXPECT_TRUE((std::is_same_v<oneapi::tbb::blocked_range<int>, tbb::blocked_range<int>>));
}

}  // namespace

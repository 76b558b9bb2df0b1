// libstdc++'s parallel algorithms, which it makes of oneTBB's interface, on these headers: each has the result of the serial one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <execution>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/program.hpp"

#ifndef NOPAL_COMPAT_TBB
#error "<execution> found oneTBB's headers"
#endif

namespace {

constexpr std::size_t count = 70000;

using numbers = std::vector<std::uint32_t>;

/// Of `different` values.
numbers some(std::uint32_t different, std::uint32_t state = 1) {
  numbers result(count);
  for (std::uint32_t& number : result) {
    state = state * 1664525U + 1013904223U;
    number = (state >> 8U) % different;
  }
  return result;
}

numbers sorted(numbers values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// `f(policy...)` is the same with a parallel policy as with none.
template <class F>
void same(const F& f) {
  const auto expected = f();
  NOPAL_CHECK(f(std::execution::par) == expected);
  NOPAL_CHECK(f(std::execution::par_unseq) == expected);
}

/// `f(values, policy...)` does the same to a copy of `values`, and returns the same.
template <class F>
void same_on(const numbers& values, const F& f) {
  same([&](const auto&... policy) {
    numbers copy = values;
    auto result = f(copy, policy...);
    return std::make_pair(std::move(copy), result);
  });
}

/// `f(values, out, policy...)` writes the same, and as much.
template <class F>
void same_output(const F& f) {
  same([&](const auto&... policy) {
    numbers out(2 * count + 10);
    const auto end = f(out.begin(), policy...);
    out.erase(end, out.end());
    return out;
  });
}

constexpr int done = 0;

bool is_odd(std::uint32_t number) { return number % 2 != 0; }
bool is_rare(std::uint32_t number) { return number == 77777; }

NOPAL_PROGRAM(stl_looks) {
  const numbers values = some(1000);
  numbers other = values;
  other[60000] += 1;
  const numbers few(values.begin() + 50000, values.begin() + 50020);
  const auto b = values.begin();
  const auto e = values.end();
  same([&](const auto&... p) { return std::all_of(p..., b, e, [](std::uint32_t n) { return n < 1000; }); });
  same([&](const auto&... p) { return std::any_of(p..., b, e, is_rare); });
  same([&](const auto&... p) { return std::none_of(p..., b, e, is_odd); });
  same([&](const auto&... p) { return std::find(p..., b, e, values[66666]); });
  same([&](const auto&... p) { return std::find_if(p..., b, e, is_rare); });
  same([&](const auto&... p) { return std::find_if_not(p..., b, e, is_odd); });
  same([&](const auto&... p) { return std::find_end(p..., b, e, few.begin(), few.end()); });
  same([&](const auto&... p) { return std::find_first_of(p..., b, e, few.begin(), few.begin() + 1); });
  same([&](const auto&... p) { return std::adjacent_find(p..., b, e); });
  same([&](const auto&... p) { return std::count(p..., b, e, 5U); });
  same([&](const auto&... p) { return std::count_if(p..., b, e, is_odd); });
  same([&](const auto&... p) { return std::mismatch(p..., b, e, other.begin()); });
  same([&](const auto&... p) { return std::mismatch(p..., b, e, other.begin(), other.end()); });
  same([&](const auto&... p) { return std::equal(p..., b, e, other.begin()); });
  same([&](const auto&... p) { return std::equal(p..., b, e, values.begin(), values.end()); });
  same([&](const auto&... p) { return std::search(p..., b, e, few.begin(), few.end()); });
  same([&](const auto&... p) { return std::search_n(p..., b, e, 2, 5U); });
  same([&](const auto&... p) { return std::min_element(p..., b, e); });
  same([&](const auto&... p) { return std::max_element(p..., b, e); });
  same([&](const auto&... p) { return std::minmax_element(p..., b, e); });
  same(
      [&](const auto&... p) { return std::lexicographical_compare(p..., b, e, other.begin(), other.end()); });
  same([&](const auto&... p) { return std::is_partitioned(p..., b, e, is_odd); });
  same([&](const auto&... p) { return std::is_sorted(p..., b, e); });
  same([&](const auto&... p) { return std::is_sorted_until(p..., b, e); });
  same([&](const auto&... p) { return std::is_heap(p..., b, e); });
  same([&](const auto&... p) { return std::is_heap_until(p..., b, e); });
  return 0;
}

NOPAL_PROGRAM(stl_copies) {
  const numbers values = some(1000);
  const auto b = values.begin();
  const auto e = values.end();
  same_output([&](auto out, const auto&... p) { return std::copy(p..., b, e, out); });
  same_output([&](auto out, const auto&... p) { return std::copy_n(p..., b, 50000, out); });
  same_output([&](auto out, const auto&... p) { return std::copy_if(p..., b, e, out, is_odd); });
  same_output([&](auto out, const auto&... p) { return std::move(p..., b, e, out); });
  same_output([&](auto out, const auto&... p) { return std::transform(p..., b, e, out, std::negate<>()); });
  same_output([&](auto out, const auto&... p) { return std::transform(p..., b, e, b, out, std::plus<>()); });
  same_output([&](auto out, const auto&... p) { return std::replace_copy(p..., b, e, out, 5U, 6U); });
  same_output([&](auto out, const auto&... p) { return std::replace_copy_if(p..., b, e, out, is_odd, 6U); });
  same_output([&](auto out, const auto&... p) { return std::remove_copy(p..., b, e, out, 5U); });
  same_output([&](auto out, const auto&... p) { return std::remove_copy_if(p..., b, e, out, is_odd); });
  same_output([&](auto out, const auto&... p) { return std::unique_copy(p..., b, e, out); });
  same_output([&](auto out, const auto&... p) { return std::reverse_copy(p..., b, e, out); });
  same_output([&](auto out, const auto&... p) { return std::rotate_copy(p..., b, b + 12345, e, out); });
  same_output([&](auto out, const auto&... p) { return std::adjacent_difference(p..., b, e, out); });
  same([&](const auto&... p) {
    numbers odd(count);
    numbers even(count);
    const auto ends = std::partition_copy(p..., b, e, odd.begin(), even.begin(), is_odd);
    odd.erase(ends.first, odd.end());
    even.erase(ends.second, even.end());
    return std::make_pair(odd, even);
  });
  return 0;
}

NOPAL_PROGRAM(stl_changes) {
  const numbers values = some(50);
  using n = numbers;
  same_on(values, [](n& v, const auto&... p) {
    std::for_each(p..., v.begin(), v.end(), [](auto& x) { x *= 3; });
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    return std::for_each_n(p..., v.begin(), 50000, [](auto& x) { ++x; }) - v.begin();
  });
  same_on(values, [](n& v, const auto&... p) {
    return std::swap_ranges(p..., v.begin(), v.begin() + 30000, v.begin() + 35000) - v.begin();
  });
  same_on(values, [](n& v, const auto&... p) {
    std::replace(p..., v.begin(), v.end(), 5U, 6U);
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    std::replace_if(p..., v.begin(), v.end(), is_odd, 6U);
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    std::fill(p..., v.begin(), v.end(), 9U);
    return done;
  });
  same_on(values, [](n& v, const auto&... p) { return std::fill_n(p..., v.begin(), 60000, 9U) - v.begin(); });
  same_on(values, [](n& v, const auto&... p) {
    std::generate(p..., v.begin(), v.end(), [] { return 4U; });
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    return std::generate_n(p..., v.begin(), 60000, [] { return 4U; }) - v.begin();
  });
  same_on(values, [](n& v, const auto&... p) {
    v.erase(std::remove(p..., v.begin(), v.end(), 5U), v.end());
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    v.erase(std::remove_if(p..., v.begin(), v.end(), is_odd), v.end());
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    v.erase(std::unique(p..., v.begin(), v.end()), v.end());
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    std::reverse(p..., v.begin(), v.end());
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    return std::rotate(p..., v.begin(), v.begin() + 23456, v.end()) - v.begin();
  });
  same_on(values, [](n& v, const auto&... p) {
    return std::stable_partition(p..., v.begin(), v.end(), is_odd) - v.begin();
  });
  same([&](const auto&... p) {
    n v = values;
    const auto middle = std::partition(p..., v.begin(), v.end(), is_odd);
    NOPAL_CHECK(std::is_partitioned(v.begin(), v.end(), is_odd));
    NOPAL_CHECK(sorted(v) == sorted(values));
    return middle - v.begin();
  });
  return 0;
}

NOPAL_PROGRAM(stl_sorts) {
  using n = numbers;
  const numbers values = some(5000);
  const numbers a = sorted(some(5000, 7));
  const numbers c = sorted(some(6000, 9));
  same_on(values, [](n& v, const auto&... p) {
    std::sort(p..., v.begin(), v.end());
    return done;
  });
  same_on(values, [](n& v, const auto&... p) {
    std::sort(p..., v.begin(), v.end(), std::greater<>());
    return done;
  });
  // Stable: by the high part alone, the low one tells the order.
  same_on(values, [](n& v, const auto&... p) {
    std::stable_sort(p..., v.begin(), v.end(), [](auto x, auto y) { return x / 64 < y / 64; });
    return done;
  });
  same([&](const auto&... p) {
    numbers v = values;
    std::partial_sort(p..., v.begin(), v.begin() + 20000, v.end());
    v.resize(20000);
    return v;
  });
  same([&](const auto&... p) {
    numbers out(30000);
    std::partial_sort_copy(p..., values.begin(), values.end(), out.begin(), out.end());
    return out;
  });
  same([&](const auto&... p) {
    numbers v = values;
    std::nth_element(p..., v.begin(), v.begin() + 33333, v.end());
    return v[33333];
  });
  same_on(values, [](n& v, const auto&... p) {
    std::sort(v.begin(), v.begin() + 30000);
    std::sort(v.begin() + 30000, v.end());
    std::inplace_merge(p..., v.begin(), v.begin() + 30000, v.end());
    return done;
  });
  const auto b = a.begin();
  const auto e = a.end();
  same_output([&](auto out, const auto&... p) { return std::merge(p..., b, e, c.begin(), c.end(), out); });
  same_output(
      [&](auto out, const auto&... p) { return std::set_union(p..., b, e, c.begin(), c.end(), out); });
  same_output(
      [&](auto out, const auto&... p) { return std::set_intersection(p..., b, e, c.begin(), c.end(), out); });
  same_output(
      [&](auto out, const auto&... p) { return std::set_difference(p..., b, e, c.begin(), c.end(), out); });
  same_output([&](auto out, const auto&... p) {
    return std::set_symmetric_difference(p..., b, e, c.begin(), c.end(), out);
  });
  same([&](const auto&... p) { return std::includes(p..., b, e, c.begin(), c.end()); });
  same([&](const auto&... p) { return std::includes(p..., b, e, b + 10000, b + 60000); });
  return 0;
}

NOPAL_PROGRAM(stl_sums) {
  const numbers values = some(1000);
  const auto b = values.begin();
  const auto e = values.end();
  same([&](const auto&... p) { return std::reduce(p..., b, e); });
  same([&](const auto&... p) { return std::reduce(p..., b, e, 7U, std::bit_xor<>()); });
  same([&](const auto&... p) { return std::transform_reduce(p..., b, e, b, 0U); });
  same([&](const auto&... p) {
    return std::transform_reduce(p..., b, e, 0U, std::plus<>(), std::negate<>());
  });
  same_output([&](auto out, const auto&... p) { return std::exclusive_scan(p..., b, e, out, 3U); });
  same_output([&](auto out, const auto&... p) { return std::inclusive_scan(p..., b, e, out); });
  same_output(
      [&](auto out, const auto&... p) { return std::inclusive_scan(p..., b, e, out, std::plus<>(), 3U); });
  same_output([&](auto out, const auto&... p) {
    return std::transform_exclusive_scan(p..., b, e, out, 3U, std::plus<>(), std::negate<>());
  });
  same_output([&](auto out, const auto&... p) {
    return std::transform_inclusive_scan(p..., b, e, out, std::plus<>(), std::negate<>(), 3U);
  });
  return 0;
}

NOPAL_PROGRAM(stl_makes) {
  const std::vector<std::string> words(3000, "a string that is long enough to be on the heap");
  const auto check = [&](const auto& make, std::size_t made) {
    std::allocator<std::string> allocator;
    std::string* const memory = allocator.allocate(words.size());
    make(memory);
    for (std::size_t i = 0; i != made; ++i) NOPAL_CHECK(memory[i].empty() || memory[i] == words[i]);
    std::destroy(std::execution::par, memory, memory + made / 2);
    std::destroy_n(std::execution::par, memory + made / 2, made - made / 2);
    allocator.deallocate(memory, words.size());
  };
  const auto par = std::execution::par;
  std::vector<std::string> taken = words;
  std::vector<std::string> taken_too = words;
  check([&](std::string* m) { std::uninitialized_copy(par, words.begin(), words.end(), m); }, 3000);
  check([&](std::string* m) { std::uninitialized_copy_n(par, words.begin(), 2000, m); }, 2000);
  check([&](std::string* m) { std::uninitialized_move(par, taken.begin(), taken.end(), m); }, 3000);
  check([&](std::string* m) { std::uninitialized_move_n(par, taken_too.begin(), 2000, m); }, 2000);
  check([&](std::string* m) { std::uninitialized_fill(par, m, m + 3000, words[0]); }, 3000);
  check([&](std::string* m) { std::uninitialized_fill_n(par, m, 3000, words[0]); }, 3000);
  check([&](std::string* m) { std::uninitialized_default_construct(par, m, m + 3000); }, 3000);
  check([&](std::string* m) { std::uninitialized_default_construct_n(par, m, 3000); }, 3000);
  check([&](std::string* m) { std::uninitialized_value_construct(par, m, m + 3000); }, 3000);
  check([&](std::string* m) { std::uninitialized_value_construct_n(par, m, 3000); }, 3000);
  return 0;
}

class parallel_stl : public support::program_at_workers {};

TEST_P(parallel_stl, looks_at_ranges) { EXPECT_TRUE(run("stl_looks")); }
TEST_P(parallel_stl, copies_ranges) { EXPECT_TRUE(run("stl_copies")); }
TEST_P(parallel_stl, changes_ranges) { EXPECT_TRUE(run("stl_changes")); }
TEST_P(parallel_stl, sorts_and_merges) { EXPECT_TRUE(run("stl_sorts")); }
TEST_P(parallel_stl, sums_up) { EXPECT_TRUE(run("stl_sums")); }
TEST_P(parallel_stl, makes_and_ends_objects) { EXPECT_TRUE(run("stl_makes")); }

INSTANTIATE_TEST_SUITE_P(tbb, parallel_stl, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace

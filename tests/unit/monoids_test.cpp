// The monoids that come with the library: the identity changes nothing, the order is kept, equal values stay with the first.
#include <nopal/monoids.hpp>
#include <nopal/reducer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iomanip>
#include <limits>
#include <memory>
#include <memory_resource>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

template <class Monoid>
using value_of = typename Monoid::value_type;

/// The values one after the other, in each of the ways that brackets can be set.
template <class Monoid>
void expect_reduced(const std::vector<value_of<Monoid>>& values, const value_of<Monoid>& expected) {
  for (std::size_t split = 0; split <= values.size(); ++split) {
    value_of<Monoid> left = Monoid::identity();
    value_of<Monoid> right = Monoid::identity();
    for (std::size_t i = 0; i < values.size(); ++i) {
      Monoid::reduce(i < split ? left : right, value_of<Monoid>(values[i]));
    }
    Monoid::reduce(left, std::move(right));
    EXPECT_EQ(left, expected) << "split at " << split;
  }
}

TEST(monoids, of_numbers_and_bits) {
  expect_reduced<nopal::op_add<int>>({1, 2, 3, -10}, -4);
  expect_reduced<nopal::op_add<std::uint8_t>>({200, 100}, 44);
  expect_reduced<nopal::op_add<double>>({0.5, 0.25}, 0.75);
  expect_reduced<nopal::op_add<std::string>>({"a", "b", "c"}, "abc");
  expect_reduced<nopal::op_mul<long>>({2, 3, 7}, 42);
  expect_reduced<nopal::op_mul<short>>({2, 3, 7}, 42);
  expect_reduced<nopal::op_and<unsigned>>({0xff0, 0x0ff}, 0x0f0);
  expect_reduced<nopal::op_and<std::uint8_t>>({}, 0xff);
  expect_reduced<nopal::op_and<bool>>({}, true);
  expect_reduced<nopal::op_and<bool>>({true, false}, false);
  expect_reduced<nopal::op_or<unsigned>>({0xf00, 0x00f}, 0xf0f);
  expect_reduced<nopal::op_or<bool>>({false, true}, true);
  expect_reduced<nopal::op_xor<std::uint16_t>>({0x0ff0, 0x00ff}, 0x0f0f);
}

TEST(monoids, of_the_least_and_the_greatest) {
  expect_reduced<nopal::op_min<int>>({3, -7, 5}, -7);
  expect_reduced<nopal::op_min<int>>({}, std::numeric_limits<int>::max());
  expect_reduced<nopal::op_min<double>>({}, std::numeric_limits<double>::infinity());
  expect_reduced<nopal::op_max<int>>({3, -7, 5}, 5);
  expect_reduced<nopal::op_max<unsigned>>({}, 0);
  expect_reduced<nopal::op_max<double>>({-2.0, -3.0}, -2.0);
  expect_reduced<nopal::op_max<double>>({}, -std::numeric_limits<double>::infinity());
}

TEST(monoids, of_the_least_and_the_greatest_by_the_opposite_order) {
  expect_reduced<nopal::op_min<int, std::greater<int>>>({3, -7, 5}, 5);
  expect_reduced<nopal::op_min<int, std::greater<>>>({}, std::numeric_limits<int>::min());
  expect_reduced<nopal::op_min<double, std::ranges::greater>>({-2.0, -3.0}, -2.0);
  expect_reduced<nopal::op_max<int, std::greater<>>>({3, -7, 5}, -7);
  expect_reduced<nopal::op_max<unsigned, std::greater<unsigned>>>({}, std::numeric_limits<unsigned>::max());
  expect_reduced<nopal::op_min<int, std::less<>>>({3, -7, 5}, -7);
  expect_reduced<nopal::op_max<int, std::ranges::less>>({3, -7, 5}, 5);
}

/// By the last digit: no number comes after all others.
struct by_last_digit {
  bool operator()(int left, int right) const { return left % 10 < right % 10; }
};
struct by_length {
  bool operator()(const std::string& left, const std::string& right) const {
    return left.size() < right.size();
  }
};

/// The best of the values, however brackets are set, with views between that have nothing.
template <class Monoid, class T>
void expect_best(const std::vector<T>& values, const T& expected) {
  for (std::size_t split = 0; split <= values.size(); ++split) {
    auto left = Monoid::identity();
    auto right = Monoid::identity();
    EXPECT_FALSE(left.is_set());
    for (std::size_t i = 0; i < values.size(); ++i) (i < split ? left : right).update(values[i]);
    Monoid::reduce(right, Monoid::identity());
    Monoid::reduce(left, std::move(right));
    EXPECT_TRUE(left.is_set());
    EXPECT_EQ(left.value(), expected) << "split at " << split;
  }
}

TEST(monoids, of_the_least_and_the_greatest_by_an_order_of_ones_own) {
  expect_best<nopal::op_min<int, by_last_digit>, int>({19, 12, 32, 5}, 12);
  expect_best<nopal::op_max<int, by_last_digit>, int>({12, 19, 5, 39}, 19);
  expect_best<nopal::op_max<int, by_last_digit>, int>({-9}, -9);
  expect_best<nopal::op_min<std::string, by_length>, std::string>({"abc", "d", "e"}, "d");
  expect_best<nopal::op_max<std::string, by_length>, std::string>({"", "abc", "def"}, "abc");
  nopal::op_min<int, by_last_digit>::value_type some(7);
  nopal::op_min<int, by_last_digit>::reduce(some, nopal::op_min<int, by_last_digit>::identity());
  EXPECT_EQ(some.value(), 7);
}

template <class Monoid>
value_of<Monoid> found(std::vector<std::pair<int, std::string>> entries) {
  auto all = Monoid::identity();
  for (const auto& [index, value] : entries) {
    auto one = Monoid::identity();
    one.update(index, value);
    Monoid::reduce(all, std::move(one));
    Monoid::reduce(all, Monoid::identity());
  }
  return all;
}

TEST(monoids, of_the_best_and_where_it_was) {
  const auto least = found<nopal::op_min_index<int, std::string>>({{1, "c"}, {2, "a"}, {3, "a"}, {4, "b"}});
  EXPECT_TRUE(least.is_set());
  EXPECT_EQ(least.index(), 2);
  EXPECT_EQ(least.value(), "a");
  const auto greatest =
      found<nopal::op_max_index<int, std::string>>({{1, "a"}, {2, "c"}, {3, "c"}, {4, "b"}});
  EXPECT_EQ(greatest.index(), 2);
  EXPECT_EQ(greatest.value(), "c");
  const auto by_greater =
      found<nopal::op_min_index<int, std::string, std::greater<std::string>>>({{1, "a"}, {2, "c"}});
  EXPECT_EQ(by_greater.index(), 2);
  EXPECT_FALSE((found<nopal::op_min_index<int, std::string>>({}).is_set()));
}

TEST(monoids, of_sequences_keep_the_order) {
  expect_reduced<nopal::op_vector_append<int>>({{1, 2}, {}, {3}, {4, 5}}, {1, 2, 3, 4, 5});
  expect_reduced<nopal::op_vector_append<bool>>({{true}, {false, false}}, {true, false, false});
  expect_reduced<nopal::op_list_append<std::string>>({{"a"}, {}, {"b", "c"}}, {"a", "b", "c"});
  expect_reduced<nopal::op_string_append>({"a", "", "bc"}, "abc");
  expect_reduced<nopal::op_wstring_append>({L"a", L"", L"bc"}, L"abc");
}

/// Memory that is its own: what others allocated is not given back here.
class own_memory : public std::pmr::memory_resource {
public:
  own_memory() = default;
  own_memory(const own_memory&) = delete;
  own_memory& operator=(const own_memory&) = delete;
  ~own_memory() override { EXPECT_TRUE(blocks_.empty()); }
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const block = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    blocks_.insert(block);
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    EXPECT_EQ(blocks_.erase(block), 1u) << "another resource's";
    std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
  std::set<void*> blocks_;
};

/// Views of one allocator, and of two; empty ones and others.
template <class Monoid>
void expect_memory_kept_apart(const std::vector<typename value_of<Monoid>::value_type>& elements) {
  for (const bool same : {true, false}) {
    for (std::size_t split = 0; split <= elements.size(); ++split) {
      own_memory here;
      own_memory there;
      value_of<Monoid> left(&here);
      {
        value_of<Monoid> right(same ? &here : &there);
        for (std::size_t i = 0; i < elements.size(); ++i) (i < split ? left : right).push_back(elements[i]);
        Monoid::reduce(left, std::move(right));
      }
      EXPECT_EQ(there.blocks(), 0u);
      EXPECT_TRUE(std::equal(left.begin(), left.end(), elements.begin(), elements.end()));
    }
  }
}

TEST(monoids, of_sequences_keep_the_memory_of_different_allocators_apart) {
  using texts = std::pmr::polymorphic_allocator<std::pmr::string>;
  const std::pmr::string words[] = {std::pmr::string(100, 'a'), "b", std::pmr::string(50, 'c')};
  expect_memory_kept_apart<nopal::op_list_append<std::pmr::string, texts>>({words, words + 3});
  expect_memory_kept_apart<nopal::op_vector_append<std::pmr::string, texts>>({words, words + 3});
  const std::string letters = "long enough that it does not fit into the object itself";
  expect_memory_kept_apart<
      nopal::op_basic_string_append<char, std::char_traits<char>, std::pmr::polymorphic_allocator<char>>>(
      {letters.begin(), letters.end()});
}

TEST(monoids, of_sequences_take_elements_that_can_only_be_moved) {
  using monoid = nopal::op_vector_append<std::unique_ptr<int>>;
  auto left = monoid::identity();
  auto right = monoid::identity();
  left.push_back(std::make_unique<int>(1));
  right.push_back(std::make_unique<int>(2));
  monoid::reduce(left, std::move(right));
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(*left[1], 2);
}

TEST(monoids, of_bags_hold_everything) {
  using monoid = nopal::op_bag<int>;
  auto left = monoid::identity();
  auto right = monoid::identity();
  for (int i = 0; i < 1000; ++i) (i % 3 == 0 ? left : right).insert(1);
  monoid::reduce(left, std::move(right));
  EXPECT_EQ(left.size(), 1000u);
}

TEST(monoids, of_output_write_in_order_to_a_stream_or_into_memory) {
  std::ostringstream target;
  target << std::hex;
  {
    nopal::ostream_view first(target);
    auto second = nopal::op_ostream::identity();
    auto third = nopal::op_ostream::identity();
    third << "three " << 3 << '\n';
    second << std::setw(4) << 2 << ' ';
    first << 255 << ' ';
    nopal::op_ostream::reduce(second, std::move(third));
    nopal::op_ostream::reduce(first, std::move(second));
  }
  EXPECT_EQ(target.str(), "ff    2 three 3\n");
  auto collected = nopal::op_wostream::identity();
  collected << L"wide " << 12 << std::wstring(5000, L'x');
  EXPECT_EQ(collected.text(), L"wide 12" + std::wstring(5000, L'x'));
}

static_assert(nopal::monoid<nopal::op_add<int>>);
static_assert(nopal::monoid<nopal::op_min<int, by_last_digit>>);
static_assert(nopal::monoid<nopal::op_ostream>);
static_assert(nopal::monoid<nopal::op_bag<std::unique_ptr<int>>>);
static_assert(!nopal::monoid<int>);
struct without_identity {
  using value_type = int;
  static void reduce(int&, int&&) {}
};
struct without_reduce {
  using value_type = int;
  static int identity() { return 0; }
};
struct of_another_type : without_reduce {
  static long identity() { return 0; }
  static void reduce(int&, int&&) {}
};
static_assert(!nopal::monoid<without_identity>);
static_assert(!nopal::monoid<without_reduce>);
static_assert(!nopal::monoid<of_another_type>);

// What makes a reducer, and what does not.
using vectors = nopal::op_vector_append<int>;
static_assert(std::is_constructible_v<nopal::reducer<vectors>>);
static_assert(std::is_constructible_v<nopal::reducer<vectors>, std::size_t, int>);
static_assert(std::is_constructible_v<nopal::reducer<vectors>, vectors, std::vector<int>>);
static_assert(std::is_convertible_v<int, nopal::reducer<nopal::op_add<long>>>);
static_assert(!std::is_constructible_v<nopal::reducer<nopal::op_add<long>>, std::string>);
static_assert(!std::is_copy_constructible_v<nopal::reducer<vectors>>);
static_assert(!std::is_move_constructible_v<nopal::reducer<vectors>>);

}  // namespace

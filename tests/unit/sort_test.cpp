// The parts of the sorts one by one, without strands: few elements, partitions, merges, how much is compared, no memory.
#include <nopal/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "support/sort_inputs.hpp"

namespace {
bool memory_is_refused = false;
}

// Not inlined: GCC would see memory of malloc in `delete`, or of `new` in free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const memory = memory_is_refused ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return memory_is_refused ? nullptr : std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace support;
namespace parts = nopal::sort_detail;

const auto by_low_bits = [](int left, int right) { return left % 16 < right % 16; };

/// Numbers of which the low four bits are the key and the others show the order.
std::vector<int> marked(std::vector<int> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = keys[i] % 16 + static_cast<int>(i) * 16;
  return keys;
}

TEST(small_sort, is_stable_for_every_order_of_few) {
  for (std::size_t count = 0; count <= 8; ++count) {
    std::vector<int> keys(count);
    for (std::size_t code = 0; code < static_cast<std::size_t>(std::pow(5, std::min<std::size_t>(count, 7)));
         ++code) {
      std::size_t rest = code;
      for (int& key : keys) key = static_cast<int>(rest % 5), rest /= 5;
      std::vector<int> items = marked(keys);
      std::vector<int> expected = items;
      std::stable_sort(expected.begin(), expected.end(), by_low_bits);
      std::vector<int> inserted = items;
      parts::small_sort(items.data(), count, by_low_bits);
      ASSERT_EQ(items, expected);
      parts::insertion_sort(inserted.begin(), inserted.begin() + (count != 0), inserted.end(), by_low_bits);
      ASSERT_EQ(inserted, expected);
    }
  }
}

TEST(small_sort, is_stable_up_to_its_room) {
  for (std::size_t count = 8; count <= parts::small_room; ++count) {
    for (int round = 0; round < 300; ++round) {
      std::vector<int> keys = keys_of(shape::few_values, static_cast<int>(count) + 100 * round);
      keys.resize(count);
      if (round % 3 == 0) std::replace_if(keys.begin(), keys.end(), [](int key) { return key > 2; }, 2);
      std::vector<int> items = marked(keys);
      std::vector<int> expected = items;
      std::stable_sort(expected.begin(), expected.end(), by_low_bits);
      parts::small_sort(items.data(), count, by_low_bits);
      ASSERT_EQ(items, expected);
    }
  }
}

TEST(heap_sort, sorts_every_shape) {
  for (const int count : usual_sizes) {
    for (const shape kind : all_shapes) {
      auto items = items_with<std::vector<counted_item>>(keys_of(kind, count));
      parts::heap_sort(items.begin(), items.end(), by_key);
      ASSERT_TRUE(are_in_order(items) && are_all_with(items, keys_of(kind, count)));
    }
  }
}

template <class Items, class Partition>
void check_partition(const Partition& partition) {
  for (const int count : {0, 1, 2, 3, 9, 40, 41, 257}) {
    for (const shape kind : all_shapes) {
      const std::vector<int> keys = keys_of(kind, count);
      for (const int limit : {-1, 0, 1, 8, 20, count, 1 << 29, 1 << 30}) {
        const auto goes_left = [limit](const auto& item) { return item.key() < limit; };
        Items items = items_with<Items>(keys);
        const auto first = parts::plain_iterator(items.begin());
        const auto cut = partition(first, first + count, goes_left);
        const auto expected =
            std::count_if(keys.begin(), keys.end(), [limit](int key) { return key < limit; });
        ASSERT_EQ(cut - first, expected);
        ASSERT_TRUE(std::all_of(first, cut, goes_left) && std::none_of(cut, first + count, goes_left));
        ASSERT_TRUE(are_all_with(items, keys));
      }
    }
  }
}

TEST(partition, has_all_items_on_the_right_sides) {
  const auto whole = [](auto first, auto last, const auto& goes_left) {
    return parts::partition_by(first, last, goes_left);
  };
  check_partition<std::vector<plain_item>>(whole);
  check_partition<std::vector<wide_item>>(whole);
  check_partition<std::vector<counted_item>>(whole);
  check_partition<std::deque<plain_item>>(whole);
}

TEST(partition, in_pieces_does_so_too) {
  for (const int piece : {1, 2, 3, 7, 10, 50, 1000}) {
    const auto in_pieces = [piece](auto first, auto last, const auto& goes_left) {
      return parts::partition_in_pieces(first, last, goes_left, piece);
    };
    check_partition<std::vector<plain_item>>(in_pieces);
    check_partition<std::vector<counted_item>>(in_pieces);
    check_partition<std::deque<counted_item>>(in_pieces);
  }
}

TEST(partition, in_pieces_exchanges_in_halves_what_is_much) {
  const int count = 10 * parts::run_stretch;
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto goes_left = [&](int one) { return one >= count / 2; };
  const auto cut = parts::partition_in_pieces(numbers.begin(), numbers.end(), goes_left, count / 7);
  EXPECT_EQ(cut - numbers.begin(), count / 2);
  EXPECT_TRUE(std::all_of(numbers.begin(), cut, goes_left));
  std::sort(numbers.begin(), numbers.end());
  for (int i = 0; i < count; ++i) ASSERT_EQ(numbers[static_cast<std::size_t>(i)], i);
}

/// Small pieces and few elements per strand take every path of the sorts.
TEST(sorts, are_the_same_however_they_are_divided) {
  for (const int count : {2, 50, 333, 2000, 9000}) {
    for (const shape kind : all_shapes) {
      const std::vector<int> keys = keys_of(kind, count);
      for (const std::ptrdiff_t serial : {50, 300}) {
        auto items = items_with<std::vector<plain_item>>(keys);
        parts::sort_range(items.data(), items.data() + count, by_key, {serial, serial / 2});
        ASSERT_TRUE(are_in_order(items) && are_all_with(items, keys));
        auto moved = items_with<std::vector<counted_item>>(keys);
        parts::stable_sort_range(moved.data(), moved.data() + count, by_key, serial);
        ASSERT_TRUE(are_in_stable_order(moved) && are_all_with(moved, keys));
        items = items_with<std::vector<plain_item>>(keys);
        parts::stable_sort_range(items.data(), items.data() + count, by_key, serial);
        ASSERT_TRUE(are_in_stable_order(items) && are_all_with(items, keys));
      }
    }
  }
  EXPECT_EQ(counted_item::alive, 0);
}

// --- merges ------------------------------------------------------------------------------------------------------

template <class Items>
void check_merge(int left_count, int right_count, std::ptrdiff_t serial) {
  for (const shape kind :
       {shape::few_values, shape::equal, shape::sawtooth, shape::in_order, shape::reversed}) {
    std::vector<int> keys = keys_of(kind, left_count + right_count);
    std::sort(keys.begin(), keys.begin() + left_count);
    std::sort(keys.begin() + left_count, keys.end());
    Items from = items_with<Items>(keys);
    Items to = items_with<Items>(std::vector<int>(keys.size()));
    auto* in = from.data();
    parts::merge_of<decltype(in), decltype(in), false> merge{in, in + left_count, in + left_count,
                                                             in + left_count + right_count, to.data()};
    for (int first = 0; first <= left_count + right_count; ++first) {
      const auto chosen = merge.left_among(first, by_key);
      std::vector<int> numbers(keys.size());
      std::iota(numbers.begin(), numbers.end(), 0);
      std::stable_sort(numbers.begin(), numbers.end(), [&keys](int a, int b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
      });
      ASSERT_EQ(chosen, std::count_if(numbers.begin(), numbers.begin() + first,
                                      [left_count](int number) { return number < left_count; }));
    }
    parts::first_failure failure;
    merge.merge_in_parallel(by_key, failure, serial);
    ASSERT_TRUE(are_in_stable_order(to) && are_all_with(to, keys));
  }
}

TEST(merge, is_stable_for_all_lengths_and_divisions) {
  for (const int left : {0, 1, 2, 3, 8, 17, 40}) {
    for (const int right : {0, 1, 2, 5, 9, 32, 41}) {
      for (const std::ptrdiff_t serial : {1, 2, 5, 1000}) {
        check_merge<std::vector<plain_item>>(left, right, serial);
        check_merge<std::vector<wide_item>>(left, right, serial);
      }
    }
  }
}

// --- how much is compared ----------------------------------------------------------------------------------------

template <class Less, class Items, class Sort>
long comparisons_of(Items& items, const Less& less, const Sort& sort) {
  long calls = 0;
  sort(items, [&](const auto& left, const auto& right) {
    ++calls;
    return less(left, right);
  });
  return calls;
}

constexpr auto unstable = [](auto& items, const auto& less) { nopal::parallel_sort(items, less); };
constexpr auto stable = [](auto& items, const auto& less) { nopal::parallel_stable_sort(items, less); };

template <class Items, class Sort>
double comparisons_per_item(shape kind, int count, const Sort& sort) {
  Items items = items_with<Items>(keys_of(kind, count));
  const long calls = comparisons_of(items, by_key, sort);
  EXPECT_TRUE(are_in_order(items));
  return static_cast<double>(calls) / count;
}

template <class Items, class Sort>
void check_comparisons(const Sort& sort) {
  constexpr int count = 100'000;  // of logarithm 16.6
  EXPECT_LE(comparisons_per_item<Items>(shape::in_order, count, sort), 1.1);
  EXPECT_LE(comparisons_per_item<Items>(shape::reversed, count, sort), 1.1);
  EXPECT_LE(comparisons_per_item<Items>(shape::equal, count, sort), 1.1);
  for (const shape kind : all_shapes) EXPECT_LE(comparisons_per_item<Items>(kind, count, sort), 28.0);
}

TEST(sorts, compare_no_more_than_a_merge_sort_by_much) {
  check_comparisons<std::vector<plain_item>>(unstable);
  check_comparisons<std::vector<counted_item>>(unstable);
  check_comparisons<std::vector<plain_item>>(stable);
  check_comparisons<std::vector<counted_item>>(stable);
  EXPECT_LE(comparisons_per_item<std::vector<plain_item>>(shape::few_values, 100'000, unstable), 8.0);
  EXPECT_LE(comparisons_per_item<std::vector<counted_item>>(shape::two_values, 100'000, unstable), 4.0);
}

/// Decides what the elements are while they are compared, so that each pivot is as bad as can be. After M. D. McIlroy, "A killer
/// adversary for quicksort", Software: Practice and Experience 29, 1999.
class adversary {
public:
  /// Some are decided from the start, so that the items are in no order.
  explicit adversary(int count) : values_(static_cast<std::size_t>(count), undecided) {
    for (; decided_ < 100; ++decided_) of(decided_ * 37 % 101) = decided_;
  }

  bool operator()(int left, int right) {
    if (of(left) == undecided && of(right) == undecided) of(left == candidate_ ? left : right) = decided_++;
    if (of(left) == undecided) {
      candidate_ = left;
    } else if (of(right) == undecided) {
      candidate_ = right;
    }
    return of(left) < of(right);
  }

private:
  static constexpr int undecided = 1 << 30;
  int& of(int item) { return values_[static_cast<std::size_t>(item)]; }

  std::vector<int> values_;
  int decided_ = 0;
  int candidate_ = -1;
};

TEST(sorts, are_not_quadratic_for_an_adversary) {
  constexpr int count = 20'000;  // of logarithm 14.3
  const auto check = [](const auto& sort) {
    std::vector<int> items(count);
    std::iota(items.begin(), items.end(), 0);
    adversary opponent(count);
    const long calls =
        comparisons_of(items, [&](int left, int right) { return opponent(left, right); }, sort);
    EXPECT_LE(calls, 80L * count);
    EXPECT_TRUE(std::is_sorted(items.begin(), items.end(),
                               [&](int left, int right) { return opponent(left, right); }));
  };
  check(unstable);
  check(stable);
  check([](auto& items, const auto& less) {
    std::deque<int> apart(items.begin(), items.end());
    nopal::parallel_sort(apart, less);
    std::copy(apart.begin(), apart.end(), items.begin());
  });
}

// --- memory ------------------------------------------------------------------------------------------------------

/// What it throws if it cannot have memory.
template <class F>
bool throws_without_memory(const F& f) {
  bool thrown = false;
  memory_is_refused = true;
  try {
    f();
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  memory_is_refused = false;
  return thrown;
}

template <class Items>
void check_stable_without_memory() {
  const std::vector<int> keys = keys_of(shape::random, 5000);
  Items items = items_with<Items>(keys);
  EXPECT_TRUE(
      throws_without_memory([&] { nopal::parallel_stable_sort(items.begin(), items.end(), by_key); }));
  int number = 0;
  for (const auto& item : items) EXPECT_EQ(item.number(), number++);
}

TEST(stable_sort, moves_nothing_without_memory) {
  check_stable_without_memory<std::vector<plain_item>>();
  check_stable_without_memory<std::vector<counted_item>>();
  check_stable_without_memory<std::deque<copied_item>>();
}

TEST(sorts, need_no_memory_without_stability_or_for_integers) {
  std::vector<int> numbers = keys_of(shape::random, 5000);
  EXPECT_FALSE(throws_without_memory([&] { nopal::parallel_stable_sort(numbers, std::greater<>()); }));
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end(), std::greater<>()));
  auto items = items_with<std::vector<counted_item>>(keys_of(shape::random, 5000));
  EXPECT_FALSE(throws_without_memory([&] { nopal::parallel_sort(items, by_key); }));
  EXPECT_TRUE(are_in_order(items));
}

/// A copy of which throws at a given one.
class fragile_item {
public:
  explicit fragile_item(int key) : key_(key) { ++alive; }
  fragile_item(const fragile_item& other) : key_(other.key_) {
    if (copies_left-- == 0) throw std::bad_alloc();
    ++alive;
  }
  fragile_item& operator=(const fragile_item& other) {
    if (copies_left-- == 0) throw std::bad_alloc();
    key_ = other.key_;
    return *this;
  }
  ~fragile_item() { --alive; }
  [[nodiscard]] int key() const { return key_; }

  static inline long copies_left = 0;
  static inline long alive = 0;

private:
  int key_;
};

TEST(stable_sort, destroys_what_it_made_if_a_move_throws) {
  for (long at = 0;; at += 7) {
    bool thrown = false;
    {
      fragile_item::copies_left = -1;
      std::vector<fragile_item> items;
      for (const int key : keys_of(shape::random, 100)) items.emplace_back(key);
      fragile_item::copies_left = at;
      try {
        nopal::parallel_stable_sort(items, by_key);
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      EXPECT_TRUE(thrown || are_in_order(items));
    }
    EXPECT_EQ(fragile_item::alive, 0);
    if (!thrown) break;
  }
}

}  // namespace

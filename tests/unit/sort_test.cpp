// The parts of the sorts one by one, without strands: few elements, partitions, merges.
#include <nopal/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "support/sort_inputs.hpp"

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
  const int count = 10 * parts::run_chunk;
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto goes_left = [&](int one) { return one >= count / 2; };
  const auto cut = parts::partition_in_pieces(numbers.begin(), numbers.end(), goes_left, count / 7);
  EXPECT_EQ(cut - numbers.begin(), count / 2);
  EXPECT_TRUE(std::all_of(numbers.begin(), cut, goes_left));
  std::sort(numbers.begin(), numbers.end());
  for (int i = 0; i < count; ++i) ASSERT_EQ(numbers[static_cast<std::size_t>(i)], i);
}

template <class Items>
void check_stable_partition(std::ptrdiff_t piece) {
  using element = typename Items::value_type;
  for (const int count : {1, 2, 63, 64, 65, 130, 300}) {
    for (const shape kind : all_shapes) {
      const std::vector<int> keys = keys_of(kind, count);
      std::allocator<element> memory;
      element* const room = memory.allocate(keys.size());
      for (const int at : {0, count / 3, count - 1}) {
        Items items = items_with<Items>(keys);
        const auto first = parts::plain_iterator(items.begin());
        const int limit = keys[static_cast<std::size_t>(at)];
        const auto cut = piece == 0
                             ? parts::stable_partition_by(first, first + count, room, first + at, by_key)
                             : parts::stable_partition_at_once<false>(first, first + count, room, first + at,
                                                                      by_key, piece);
        const auto goes_left = [limit](const auto& item) { return item.key() < limit; };
        const auto by_number = [](const auto& left, const auto& right) {
          return left.number() < right.number();
        };
        ASSERT_TRUE(std::all_of(first, cut, goes_left) && std::none_of(cut, first + count, goes_left));
        ASSERT_TRUE(std::is_sorted(first, cut, by_number) && std::is_sorted(cut, first + count, by_number));
        ASSERT_TRUE(are_all_with(items, keys));
      }
      memory.deallocate(room, keys.size());
    }
  }
}

TEST(partition, can_be_stable) {
  for (const std::ptrdiff_t piece : {0, 1, 10, 60}) {  // 0: as a whole
    check_stable_partition<std::vector<plain_item>>(piece);
    check_stable_partition<std::vector<wide_item>>(piece);
    check_stable_partition<std::vector<counted_item>>(piece);
    check_stable_partition<std::deque<counted_item>>(piece);
  }
  EXPECT_EQ(counted_item::alive, 0);
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
        for (const std::ptrdiff_t piece : {std::ptrdiff_t{0}, serial / 2, std::ptrdiff_t{5000}}) {
          auto moved = items_with<std::vector<counted_item>>(keys);
          parts::stable_sort_range(moved.data(), moved.data() + count, by_key, {serial, piece});
          ASSERT_TRUE(are_in_stable_order(moved) && are_all_with(moved, keys));
          items = items_with<std::vector<plain_item>>(keys);
          parts::stable_sort_range(items.data(), items.data() + count, by_key, {serial, piece});
          ASSERT_TRUE(are_in_stable_order(items) && are_all_with(items, keys));
        }
      }
    }
  }
  EXPECT_EQ(counted_item::alive, 0);
}

/// Bytes that are copied as such, by those who may.
struct moved_bytes {
  moved_bytes(int key, int number) : key_(key), number_(number) {}
  moved_bytes(const moved_bytes&) = delete;
  moved_bytes& operator=(const moved_bytes&) = delete;
  moved_bytes(moved_bytes&&) = default;
  moved_bytes& operator=(moved_bytes&&) = default;
  ~moved_bytes() = default;
  [[nodiscard]] int key() const { return key_; }
  [[nodiscard]] int number() const { return number_; }

private:
  int key_;
  int number_;
};

TEST(sorts, take_trivial_elements_that_only_move) {
  static_assert(std::is_trivially_copyable_v<moved_bytes>);
  for (const shape kind : all_shapes) {
    const std::vector<int> keys = keys_of(kind, 3000);
    auto items = items_with<std::vector<moved_bytes>>(keys);
    nopal::parallel_sort(items, by_key);
    EXPECT_TRUE(are_in_order(items) && are_all_with(items, keys));
    auto stable = items_with<std::vector<moved_bytes>>(keys);
    nopal::parallel_stable_sort(stable, by_key);
    EXPECT_TRUE(are_in_stable_order(stable) && are_all_with(stable, keys));
  }
}

/// Stands for a number at its place.
class number_at {
public:
  explicit number_at(int* place) : place_(place) {}
  number_at(const number_at&) = default;
  ~number_at() = default;
  operator int() const { return *place_; }  // NOLINT(google-explicit-constructor): as those of containers
  const number_at& operator=(int value) const {
    *place_ = value;
    return *this;
  }
  const number_at& operator=(const number_at& other) const { return *this = static_cast<int>(other); }
  friend void swap(number_at left, number_at right) { std::swap(*left.place_, *right.place_); }

private:
  int* place_;
};

/// In the sense of C++17, as the iterators of many libraries are.
class proxy_iterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = number_at;

  proxy_iterator() = default;
  explicit proxy_iterator(int* place) : place_(place) {}
  number_at operator*() const { return number_at(place_); }
  number_at operator[](std::ptrdiff_t offset) const { return number_at(place_ + offset); }
  proxy_iterator& operator++() { return *this += 1; }
  proxy_iterator& operator--() { return *this += -1; }
  proxy_iterator operator++(int) { return proxy_iterator(place_++); }
  proxy_iterator operator--(int) { return proxy_iterator(place_--); }
  proxy_iterator& operator+=(std::ptrdiff_t offset) {
    place_ += offset;
    return *this;
  }
  proxy_iterator& operator-=(std::ptrdiff_t offset) { return *this += -offset; }
  friend proxy_iterator operator+(proxy_iterator at, std::ptrdiff_t offset) { return at += offset; }
  [[maybe_unused]] friend proxy_iterator operator+(std::ptrdiff_t offset, proxy_iterator at) {
    return at += offset;
  }
  friend proxy_iterator operator-(proxy_iterator at, std::ptrdiff_t offset) { return at -= offset; }
  friend std::ptrdiff_t operator-(proxy_iterator left, proxy_iterator right) {
    return left.place_ - right.place_;
  }
  [[maybe_unused]] friend auto operator<=>(proxy_iterator, proxy_iterator) = default;

private:
  int* place_ = nullptr;
};

TEST(sorts, take_elements_behind_proxies) {
  for (const int count : {0, 1, 20, 3000}) {
    std::vector<int> expected = keys_of(shape::few_values, count);
    std::vector<int> sorted = expected;
    std::vector<int> stable = expected;
    std::sort(expected.begin(), expected.end());
    nopal::parallel_sort(proxy_iterator(sorted.data()), proxy_iterator(sorted.data() + count));
    EXPECT_EQ(sorted, expected);
    nopal::parallel_stable_sort(proxy_iterator(stable.data()), proxy_iterator(stable.data() + count),
                                std::greater<>());
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(stable, expected);
  }
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

}  // namespace

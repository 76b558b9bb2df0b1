// Bags: sizes around full blocks, merges, elements of every kind, visits in parallel.
#include <nopal/bag.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <class T>
std::vector<T> sorted_elements(const nopal::bag<T>& of) {
  std::vector<T> elements;
  of.for_each([&elements](const T& one) { elements.push_back(one); });
  std::sort(elements.begin(), elements.end());
  return elements;
}

std::vector<int> numbers(int first, int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

template <class Bag>
void fill(Bag& bag, int first, int count) {
  for (int i = 0; i < count; ++i) bag.emplace(first + i);
}

constexpr int block = static_cast<int>(nopal::bag<int>::block_elements);

const std::vector<int> sizes_of_interest() {
  std::vector<int> sizes{0, 1, 2};
  for (const int blocks : {1, 2, 3, 4, 7, 8, 9}) {
    for (int around = -1; around <= 1; ++around) sizes.push_back(blocks * block + around);
  }
  return sizes;
}

TEST(bag, holds_what_was_inserted_around_every_size_of_blocks) {
  for (const int size : sizes_of_interest()) {
    nopal::bag<int> bag;
    EXPECT_TRUE(bag.empty());
    fill(bag, 5, size);
    EXPECT_EQ(bag.size(), static_cast<std::size_t>(size));
    EXPECT_EQ(bag.empty(), size == 0);
    EXPECT_EQ(sorted_elements(bag), numbers(5, size));
  }
}

TEST(bag, merges_bags_of_all_sizes) {
  for (const int left_size : sizes_of_interest()) {
    for (const int right_size : sizes_of_interest()) {
      nopal::bag<int> left;
      nopal::bag<int> right;
      fill(left, 0, left_size);
      fill(right, left_size, right_size);
      left.merge(std::move(right));
      ASSERT_EQ(left.size(), static_cast<std::size_t>(left_size + right_size));
      ASSERT_EQ(sorted_elements(left), numbers(0, left_size + right_size));
      EXPECT_TRUE(right.empty());
      EXPECT_TRUE(sorted_elements(right).empty());
      fill(right, 0, 3);  // usable as before
      EXPECT_EQ(sorted_elements(right), numbers(0, 3));
    }
  }
}

TEST(bag, merged_with_itself_stays_as_it_is) {
  for (const int count : {0, 1, 5, 3000}) {
    nopal::bag<std::string> all;
    for (int i = 0; i < count; ++i) all.insert(std::to_string(i) + " beyond the small string");
    nopal::bag<std::string>& same = all;
    all.merge(std::move(same));
    int visited = 0;
    all.for_each([&visited](const std::string& text) { visited += text.ends_with("string") ? 1 : 0; });
    EXPECT_EQ(visited, count);
    EXPECT_EQ(all.size(), static_cast<std::size_t>(count));
  }
}

TEST(bag, is_the_union_of_all_that_was_merged_and_inserted) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    nopal::bag<int> all;
    std::vector<int> expected;
    for (int i = 0; i < 30; ++i) {
      nopal::bag<int> part;
      const int count = static_cast<int>(random() % (4 * block));
      for (int k = 0; k < count; ++k) {
        const int number = static_cast<int>(random() % 1000);  // many are equal
        part.insert(number);
        expected.push_back(number);
      }
      all.merge(std::move(part));
      all.insert(-1);
      expected.push_back(-1);
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(sorted_elements(all), expected);
  }
}

TEST(bag, moves_swaps_and_clears) {
  nopal::bag<int> one;
  fill(one, 0, 1000);
  nopal::bag<int> other(std::move(one));
  EXPECT_TRUE(one.empty());
  one.insert(7);
  one.swap(other);
  EXPECT_EQ(sorted_elements(one), numbers(0, 1000));
  EXPECT_EQ(sorted_elements(other), numbers(7, 1));
  other = std::move(one);
  EXPECT_EQ(sorted_elements(other), numbers(0, 1000));
  other.clear();
  EXPECT_TRUE(other.empty());
  EXPECT_TRUE(sorted_elements(other).empty());
  fill(other, 0, 5);
  EXPECT_EQ(sorted_elements(other), numbers(0, 5));
}

/// An element that is counted, and whose copies may fail.
struct counted {
  explicit counted(int with) : number(with) { ++alive; }
  counted(const counted& from) : number(from.number) {
    if (copies_left-- == 0) throw std::runtime_error("no more copies");
    ++alive;
  }
  counted(counted&& from) noexcept : number(from.number) { ++alive; }
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }

  int number;
  static inline int alive = 0;
  static inline int copies_left = -1;
};

TEST(bag, ends_every_element_once) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    {
      nopal::bag<counted> left;
      nopal::bag<counted> right;
      const int sizes[] = {static_cast<int>(random() % 2000), static_cast<int>(random() % 2000)};
      fill(left, 0, sizes[0]);
      fill(right, 0, sizes[1]);
      left.merge(std::move(right));
      ASSERT_EQ(counted::alive, sizes[0] + sizes[1]);
    }
    ASSERT_EQ(counted::alive, 0);
  }
}

TEST(bag, is_as_it_was_when_an_insertion_throws) {
  constexpr int full = static_cast<int>(nopal::bag<counted>::block_elements);
  for (const int size : {0, 1, full - 1, full, full + 1, 2 * full}) {
    nopal::bag<counted> bag;
    fill(bag, 0, size);
    const counted more(-1);
    counted::copies_left = 0;
    EXPECT_THROW(bag.insert(more), std::runtime_error);
    EXPECT_THROW(
        {
          counted::copies_left = 0;
          bag.insert(more);
        },
        std::runtime_error);
    counted::copies_left = -1;
    EXPECT_EQ(bag.size(), static_cast<std::size_t>(size));
    EXPECT_EQ(counted::alive, size + 1);
    int seen = 0;
    bag.for_each([&seen](const counted& one) { seen += one.number >= 0 ? 1 : 0; });
    EXPECT_EQ(seen, size);
    bag.insert(more);
    nopal::bag<counted> other;
    fill(other, 0, 3);
    bag.merge(std::move(other));
    EXPECT_EQ(bag.size(), static_cast<std::size_t>(size) + 4);
    EXPECT_EQ(counted::alive, size + 5);
  }
  EXPECT_EQ(counted::alive, 0);
}

/// An element that is counted, and whose moves may fail.
struct seldom_moved {
  explicit seldom_moved(int with) : number(with) { ++alive; }
  seldom_moved(seldom_moved&& from) noexcept(false) : number(from.number) {
    if (moves_left-- == 0) throw std::runtime_error("no more moves");
    ++alive;
  }
  ~seldom_moved() { --alive; }

  int number;
  static inline int alive = 0;
  static inline int moves_left = -1;
};

TEST(bag, has_each_element_in_one_of_two_when_a_move_in_their_merge_throws) {
  constexpr int full = static_cast<int>(nopal::bag<seldom_moved>::block_elements);
  using bags = nopal::bag<seldom_moved>[2];
  const auto numbers_in = [](const bags& both) {
    std::vector<int> all;
    for (const auto& each : both) {
      std::size_t seen = 0;
      each.for_each([&](const seldom_moved& one) {
        all.push_back(one.number);
        ++seen;
      });
      EXPECT_EQ(each.size(), seen);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  for (const int left : {1, 5, full - 1, full, full + 3, 3 * full + full / 2}) {
    for (const int right : {1, 6, full - 2, full, full + 4, 5 * full + full / 2}) {
      for (int moves = 0, thrown = 1; thrown != 0; ++moves) {
        bags both;
        fill(both[0], 0, left);
        fill(both[1], left, right);
        thrown = 0;
        seldom_moved::moves_left = moves;
        try {
          both[0].merge(std::move(both[1]));
        } catch (const std::runtime_error&) {
          ++thrown;
        }
        seldom_moved::moves_left = -1;
        ASSERT_EQ(seldom_moved::alive, left + right);
        ASSERT_EQ(numbers_in(both), numbers(0, left + right));
        ASSERT_LT(both[1].size(), static_cast<std::size_t>(thrown * full + 1));
        both[0].merge(std::move(both[1]));
        both[0].emplace(left + right);
        ASSERT_TRUE(both[1].empty());
        ASSERT_EQ(numbers_in(both), numbers(0, left + right + 1));
      }
      ASSERT_EQ(seldom_moved::alive, 0);
    }
  }
}

TEST(bag, holds_elements_that_can_only_be_moved) {
  nopal::bag<std::unique_ptr<int>> bag;
  nopal::bag<std::unique_ptr<int>> other;
  for (int i = 0; i < 700; ++i) (i % 2 == 0 ? bag : other).insert(std::make_unique<int>(i));
  bag.merge(std::move(other));
  long sum = 0;
  bag.for_each([&sum](const std::unique_ptr<int>& one) { sum += *one; });
  EXPECT_EQ(sum, 700 * 699 / 2);
}

struct alignas(256) wide {
  explicit wide(int with) : number(with) {}
  int number;
};

TEST(bag, aligns_its_elements) {
  nopal::bag<wide> bag;
  nopal::bag<wide> other;
  fill(bag, 0, 100);
  fill(other, 0, 55);
  bag.merge(std::move(other));
  int seen = 0;
  bag.for_each([&seen](const wide& one) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&one) % 256, 0u);
    ++seen;
  });
  EXPECT_EQ(seen, 155);
}

TEST(bag, visits_each_element_once_in_parallel) {
  for (const int size : {0, 1, block, block + 1, 100 * block + 7, 1000 * block - 1}) {
    nopal::bag<int> bag;
    fill(bag, 0, size);
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(size));
    std::atomic<int> longest{0};
    bag.parallel_visit_blocks([&visits, &longest](const int* first, const int* last) {
      if (last - first > longest) longest = static_cast<int>(last - first);
      for (; first != last; ++first) visits[static_cast<std::size_t>(*first)].fetch_add(1);
    });
    EXPECT_LE(longest, block);
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& count) { return count == 1; }));
  }
}

TEST(bag, passes_on_what_a_visit_throws_and_stays_whole) {
  nopal::bag<int> bag;
  fill(bag, 0, 50 * block);
  const auto refuse = [](const int* first, const int* last) {
    if (std::find(first, last, 20 * block) != last) throw std::runtime_error("refused");
  };
  EXPECT_THROW(bag.parallel_visit_blocks(refuse), std::runtime_error);
  EXPECT_THROW(bag.visit_blocks(refuse), std::runtime_error);
  EXPECT_EQ(sorted_elements(bag), numbers(0, 50 * block));
}

}  // namespace

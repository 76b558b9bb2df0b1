// What the sorts cost at worst, without strands: comparisons, against an adversary as well, and memory, which may be refused.
#include <nopal/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <new>
#include <numeric>
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
  // Strings take some if there is some.
  std::vector<std::string> texts;
  for (const int number : keys_of(shape::random, 5000)) texts.push_back(std::to_string(number));
  EXPECT_FALSE(throws_without_memory([&] { nopal::parallel_sort(texts); }));
  EXPECT_TRUE(std::is_sorted(texts.begin(), texts.end()));
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

// Elements whose moves throw: the exception leaves the sort, and every element is still an object, once.
#include <nopal/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "support/sort_inputs.hpp"
#include "support/strands.hpp"

namespace {

using namespace support;

struct move_refused {};
struct comparison_refused {};

/// When operations throw, by their number.
struct refusals {
  static constexpr long never = std::numeric_limits<long>::max();

  void begin(long at, bool once) {
    at_ = at;
    once_ = once;
    count_ = 0;
  }
  void count() {
    const long number = count_++;
    if (once_ ? number == at_ : number >= at_) throw move_refused();
  }
  void refuse_from_here() { at_ = count_.load(); }
  [[nodiscard]] bool have_come() const { return count_ > at_; }

private:
  std::atomic<long> at_{never};
  bool once_ = true;
  std::atomic<long> count_{0};
};

refusals moves;

/// A key in an object that knows whether it is one. Moves and, of every other kind, exchanges may throw.
template <bool has_swap>
class fragile_item {
public:
  fragile_item(int key, int number) : key_(key), number_(number) { ++alive; }
  fragile_item(fragile_item&& other) : key_(other.key_), number_(other.number_) {
    moves.count();
    NOPAL_CHECK(other.is_object());
    ++alive;
  }
  fragile_item& operator=(fragile_item&& other) {
    NOPAL_CHECK(is_object() && other.is_object());
    moves.count();
    key_ = other.key_;
    number_ = other.number_;
    return *this;
  }
  ~fragile_item() {
    NOPAL_CHECK(is_object());
    self_ = nullptr;
    --alive;
  }
  friend void swap(fragile_item& left, fragile_item& right)
    requires has_swap
  {
    NOPAL_CHECK(left.is_object() && right.is_object());
    moves.count();
    std::swap(left.key_, right.key_);
    std::swap(left.number_, right.number_);
  }

  [[nodiscard]] int key() const noexcept { return key_; }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_object() const noexcept { return self_ == this; }

  static inline std::atomic<long> alive{0};

private:
  const fragile_item* self_ = this;
  int key_;
  int number_;
};

constexpr auto unstable = [](auto first, auto last, const auto& less) {
  nopal::parallel_sort(first, last, less);
};
constexpr auto stable = [](auto first, auto last, const auto& less) {
  nopal::parallel_stable_sort(first, last, less);
};

/// A sort whose moves throw from number `at` on, or that one only; or, if `comparison` is not `never`, all moves after that
/// comparison, which throws. Whether anything did.
template <class Items, class Sort>
bool sort_and_throw(const std::vector<int>& keys, long at, bool once, long comparison, const Sort& sort) {
  using item = typename Items::value_type;
  Items items = items_with<Items>(keys);
  std::atomic<long> comparisons{0};
  bool move_thrown = false;
  bool comparison_thrown = false;
  moves.begin(at, once);
  try {
    sort(items.begin(), items.end(), [&](const item& left, const item& right) {
      NOPAL_CHECK(left.is_object() && right.is_object());
      if (comparisons++ == comparison) {
        moves.refuse_from_here();
        throw comparison_refused();
      }
      return left.key() < right.key();
    });
  } catch (const move_refused&) {
    move_thrown = true;
  } catch (const comparison_refused&) {
    comparison_thrown = true;
  }
  const bool refused = moves.have_come();
  moves.begin(refusals::never, true);
  if (comparison == refusals::never) {
    NOPAL_CHECK(move_thrown == refused);
  } else {
    NOPAL_CHECK((move_thrown || comparison_thrown) == (comparisons > comparison));
  }
  NOPAL_CHECK(std::all_of(items.begin(), items.end(), [](const item& one) { return one.is_object(); }));
  NOPAL_CHECK(item::alive == static_cast<long>(items.size()));
  if (!move_thrown && !comparison_thrown) {
    NOPAL_CHECK(are_all_with(items, keys));
    NOPAL_CHECK(std::is_sorted(items.begin(), items.end(), by_key));
  }
  return move_thrown || comparison_thrown;
}

template <class Items, class Sort>
void throw_at_every_move(const std::vector<int>& keys, const Sort& sort) {
  for (const bool once : {true, false}) {
    for (long at = 0; sort_and_throw<Items>(keys, at, once, refusals::never, sort); ++at) {
    }
  }
  for (long at = 0; sort_and_throw<Items>(keys, refusals::never, false, at, sort); ++at) {
  }
}

template <class Items>
void throw_at_every_move() {
  for (const shape kind : {shape::random, shape::few_values, shape::reversed, shape::organ_pipe}) {
    for (const int count : {2, 5, 9, 16, 33, 70, 130}) {
      if (watched && count == 130) break;
      throw_at_every_move<Items>(keys_of(kind, count), unstable);
      throw_at_every_move<Items>(keys_of(kind, count), stable);
    }
  }
  NOPAL_CHECK(Items::value_type::alive == 0);
}

NOPAL_PROGRAM(throwing_at_every_move) {
  throw_at_every_move<std::vector<fragile_item<false>>>();
  throw_at_every_move<std::vector<fragile_item<true>>>();
  throw_at_every_move<std::deque<fragile_item<true>>>();
  check_quiet();
  return 0;
}

constexpr long growth = watched ? 16 : 4;

template <class Items, class Sort>
void throw_now_and_then(const std::vector<int>& keys, const Sort& sort) {
  for (const bool once : {true, false}) {
    for (long at = 100; sort_and_throw<Items>(keys, at, once, refusals::never, sort);) at *= growth;
  }
  for (long at = 100; sort_and_throw<Items>(keys, refusals::never, false, at, sort);) at *= growth;
}

/// Large enough for partitions by many strands, reversals, heap sorts.
NOPAL_PROGRAM(throwing_at_moves_of_many_strands) {
  for (const int count : {10'000, watched ? 70'000 : 150'000}) {
    for (const shape kind : {shape::random, shape::reversed, shape::few_values, shape::organ_pipe}) {
      if (watched && kind == shape::few_values) break;  // a sanitizer takes long
      throw_now_and_then<std::vector<fragile_item<false>>>(keys_of(kind, count), unstable);
      throw_now_and_then<std::deque<fragile_item<true>>>(keys_of(kind, count), unstable);
      throw_now_and_then<std::vector<fragile_item<false>>>(keys_of(kind, count), stable);
    }
  }
  check_quiet();
  return 0;
}

/// What the others come to when pivots are bad.
NOPAL_PROGRAM(throwing_at_moves_of_a_heap_sort) {
  using items_type = std::vector<fragile_item<false>>;
  const std::vector<int> keys = keys_of(shape::random, 300);
  bool thrown = true;
  for (long at = 0; thrown; at += 7) {
    items_type items = items_with<items_type>(keys);
    moves.begin(at, true);
    thrown = false;
    try {
      nopal::sort_detail::heap_sort(items.begin(), items.end(), by_key);
    } catch (const move_refused&) {
      thrown = true;
    }
    moves.begin(refusals::never, true);
    NOPAL_CHECK(items_type::value_type::alive == 300);
    NOPAL_CHECK(std::all_of(items.begin(), items.end(), [](const auto& one) { return one.is_object(); }));
  }
  return 0;
}

/// Refuses to become what it is.
class proud_item {
public:
  explicit proud_item(int key) : key_(key) {}
  proud_item(proud_item&& other) noexcept = default;
  proud_item& operator=(proud_item&& other) noexcept {
    NOPAL_CHECK(this != &other);
    key_ = other.key_;
    return *this;
  }
  bool operator<(const proud_item& other) const { return key_ < other.key_; }

private:
  int key_;
  std::vector<int> owned_;
};

NOPAL_PROGRAM(items_moved_to_themselves) {
  std::mt19937 random(3);
  std::vector<proud_item> items;
  for (int i = 0; i != 60000; ++i) items.emplace_back(static_cast<int>(random() % 9000));
  nopal::parallel_sort(items);
  NOPAL_CHECK(std::is_sorted(items.begin(), items.end()));
  return 0;
}

/// Whose template is the better match for what is no constant, and makes something else of it.
struct greedy_item {
  int key;
  greedy_item() = default;
  template <class Other>
  greedy_item(Other&&) : key(0) {}
  template <class Other>
  greedy_item& operator=(Other&&) {
    key = 0;
    return *this;
  }
};
/// Whose copies are made, and not assigned.
struct fixed_item {
  int key;
  fixed_item() = default;
  fixed_item(const fixed_item&) = default;
  fixed_item& operator=(const fixed_item&) = delete;
  fixed_item& operator=(fixed_item&&) = default;
};
static_assert(std::is_trivially_copyable_v<greedy_item> && std::is_trivially_copyable_v<fixed_item>);

template <class Item>
void check_sorts_of() {
  std::mt19937 random(4);
  const auto items = std::make_unique<Item[]>(5000);
  for (const bool keeps_order : {false, true}) {
    for (std::size_t i = 0; i != 5000; ++i) items[i].key = static_cast<int>(random());
    const std::span all(items.get(), 5000);
    keeps_order ? nopal::parallel_stable_sort(all, {}, &Item::key)
                : nopal::parallel_sort(all, {}, &Item::key);
    NOPAL_CHECK(std::ranges::is_sorted(all, {}, &Item::key));
  }
}

NOPAL_PROGRAM(items_with_copies_of_their_own) {
  check_sorts_of<greedy_item>();
  check_sorts_of<fixed_item>();
  return 0;
}

class sort_moves_on : public program_at_workers {};

TEST_P(sort_moves_on, take_no_item_to_itself) { EXPECT_TRUE(run("items_moved_to_themselves")); }
TEST_P(sort_moves_on, are_those_that_the_type_has) { EXPECT_TRUE(run("items_with_copies_of_their_own")); }

TEST_P(sort_moves_on, whichever_throws_every_item_is_an_object) {
  EXPECT_TRUE(run("throwing_at_every_move"));
}
TEST_P(sort_moves_on, of_many_strands_that_throw_leave_every_item_an_object) {
  EXPECT_TRUE(run("throwing_at_moves_of_many_strands"));
}

TEST(sort_moves, of_a_heap_sort_that_throw_leave_every_item_an_object) {
  EXPECT_TRUE(succeeds("throwing_at_moves_of_a_heap_sort"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, sort_moves_on, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace

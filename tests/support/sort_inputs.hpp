// What tests of the sorts are fed with: inputs of every shape, and elements that are counted.
#ifndef NOPAL_TESTS_SUPPORT_SORT_INPUTS_HPP
#define NOPAL_TESTS_SUPPORT_SORT_INPUTS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace support {

enum class shape {
  random,
  few_values,
  two_values,
  equal,
  in_order,
  reversed,
  organ_pipe,
  sawtooth,
  runs,
  last_first,
  nearly_in_order,
};

inline constexpr shape all_shapes[] = {shape::random,     shape::few_values,     shape::two_values,
                                       shape::equal,      shape::in_order,       shape::reversed,
                                       shape::organ_pipe, shape::sawtooth,       shape::runs,
                                       shape::last_first, shape::nearly_in_order};

/// Around every size at which the sorts do something else, except those of the parallel partition.
inline constexpr int usual_sizes[] = {0,   1,   2,   3,    4,    7,    8,    9,    15,  16, 17,
                                      19,  20,  21,  24,   31,   32,   33,   63,   64,  65, 100,
                                      128, 256, 257, 1000, 2047, 2048, 2049, 4097, 9000};

/// So many keys of that shape.
inline std::vector<int> keys_of(shape kind, int count) {
  std::mt19937 random(static_cast<unsigned>(count) * 31 + static_cast<unsigned>(kind));
  const auto below = [&random](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  const int tooth = std::max(1, count / 10);
  std::vector<int> keys;
  keys.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    switch (kind) {
    case shape::random: keys.push_back(below(1 << 30)); break;
    case shape::few_values: keys.push_back(below(16)); break;
    case shape::two_values: keys.push_back(below(2)); break;
    case shape::equal: keys.push_back(7); break;
    case shape::in_order: keys.push_back(i / 3); break;
    case shape::reversed: keys.push_back(count - i); break;
    case shape::organ_pipe: keys.push_back(std::min(i, count - i)); break;
    case shape::sawtooth: keys.push_back(i % 37); break;
    case shape::runs: keys.push_back(i % tooth * 5); break;
    case shape::last_first: keys.push_back(i == 0 ? count : i); break;
    case shape::nearly_in_order: keys.push_back(i % 100 == 99 ? below(count) : i); break;
    }
  }
  return keys;
}

/// A key, and a number that shows which of equal ones this is. Moved and nothing else; knows when it has been moved from; instances
/// are counted.
class counted_item {
public:
  counted_item(int key, int number) noexcept : key_(key), number_(number) { ++alive; }
  counted_item(counted_item&& other) noexcept
      : key_(std::exchange(other.key_, gone)), number_(std::exchange(other.number_, gone)) {
    ++alive;
  }
  counted_item& operator=(counted_item&& other) noexcept {
    key_ = std::exchange(other.key_, gone);
    number_ = std::exchange(other.number_, gone);
    return *this;
  }
  ~counted_item() { --alive; }

  [[nodiscard]] int key() const noexcept { return key_; }
  [[nodiscard]] int number() const noexcept { return number_; }
  /// Whether there is nothing in it.
  [[nodiscard]] bool is_gone() const noexcept { return key_ == gone; }

  static inline std::atomic<long> alive{0};

private:
  static constexpr int gone = -1;
  int key_;
  int number_;
};

/// The same in a few bytes that are copied as such.
struct plain_item {
  plain_item(int key, int number) noexcept : key_(key), number_(number) {}
  [[nodiscard]] int key() const noexcept { return key_; }
  [[nodiscard]] int number() const noexcept { return number_; }

  int key_;
  int number_;
};

/// The same in more bytes than one copies lightly.
struct wide_item : plain_item {
  using plain_item::plain_item;
  char more[84] = {};
};

/// The same with a copy for a move, which might throw.
struct copied_item {
  copied_item(int key, int number) : key_(key), number_(number) {}
  copied_item(const copied_item& other) : key_(other.key_), number_(other.number_) {}
  copied_item& operator=(const copied_item& other) {
    key_ = other.key_;
    number_ = other.number_;
    return *this;
  }
  ~copied_item() = default;
  [[nodiscard]] int key() const noexcept { return key_; }
  [[nodiscard]] int number() const noexcept { return number_; }

private:
  int key_;
  int number_;
};

inline constexpr auto by_key = [](const auto& left, const auto& right) { return left.key() < right.key(); };

/// Elements with these keys, numbered from 0.
template <class Items>
Items items_with(const std::vector<int>& keys) {
  Items items;
  for (std::size_t i = 0; i < keys.size(); ++i) items.emplace_back(keys[i], static_cast<int>(i));
  return items;
}

/// Whether these are the elements with those keys, each once, in any order.
template <class Items>
bool are_all_with(const Items& items, const std::vector<int>& keys) {
  std::vector<bool> seen(keys.size());
  for (const auto& item : items) {
    const auto number = static_cast<std::size_t>(item.number());
    if (number >= keys.size() || seen[number] || item.key() != keys[number]) return false;
    seen[number] = true;
  }
  return items.size() == keys.size();
}

template <class Items>
bool are_in_order(const Items& items) {
  return std::is_sorted(items.begin(), items.end(), by_key);
}

/// In order, and equal ones by their numbers.
template <class Items>
bool are_in_stable_order(const Items& items) {
  return std::is_sorted(items.begin(), items.end(), [](const auto& left, const auto& right) {
    return std::pair(left.key(), left.number()) < std::pair(right.key(), right.number());
  });
}

/// Text whose order is that of the keys, of 20 bytes, 12 of them common.
inline std::string text_of(int key) {
  std::string digits = std::to_string(key);
  return "text number " + std::string(10 - digits.size(), '0') + digits;
}

}  // namespace support

#endif

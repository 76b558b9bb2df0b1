// The sort of strings by their own order: by numbers made of a few characters each, and by the
// strings only where those are equal.
//
// A record holds the characters from some depth on as a number, and where the string is. Records
// are sorted like any numbers, without looking at the strings; those that are equal and go on are
// sorted anew by what follows. The strings are moved once, when all is known.
#ifndef NOPAL_DETAIL_SORT_TEXT_HPP
#define NOPAL_DETAIL_SORT_TEXT_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nopal/detail/sort_division.hpp>
#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/sort_quick.hpp>
#include <nopal/detail/sort_small.hpp>
#include <nopal/detail/sort_text_kinds.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

template <class T>
inline constexpr bool is_text = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view> ||
                                std::is_same_v<T, std::u8string> || std::is_same_v<T, std::u8string_view>;

template <class Compare, class T>
concept descending_order = std::same_as<Compare, std::greater<>> || std::same_as<Compare, std::greater<T>> ||
                           std::same_as<Compare, std::ranges::greater>;

/// Strings whose order is that of their bytes.
template <class Iterator, class Compare, class Projection>
inline constexpr bool sorts_as_text =
    std::is_pointer_v<Iterator> && is_text<value<Iterator>> && standard_order<Compare, value<Iterator>> &&
    std::is_same_v<Projection, std::identity>;

/// Fewer are compared as they are.
inline constexpr std::ptrdiff_t few_texts = 64;

template <class T, bool descending>
class text_sorter {
public:
  struct record {
    std::uint64_t key;
    T* text;
  };

  /// `count` strings at `first`, and as many places for records and for strings, not made yet.
  text_sorter(T* first, std::ptrdiff_t count, record* records, T* moved, division by) noexcept
      : first_(first), count_(count), records_(records), moved_(moved), by_(by) {}

  void run() {
    in_shares(0, count_, [this](std::ptrdiff_t from, std::ptrdiff_t to) {
      for (; from != to; ++from) records_[from] = {key_of(first_[from], 0), first_ + from};
    });
    sort_records(records_, records_ + count_);
    refine(records_, records_ + count_, 0, most_levels);
    in_shares(0, count_, [this](std::ptrdiff_t from, std::ptrdiff_t to) {
      for (; from != to; ++from) ::new (static_cast<void*>(moved_ + from)) T(std::move(*records_[from].text));
    });
    in_shares(0, count_, [this](std::ptrdiff_t from, std::ptrdiff_t to) {
      for (; from != to; ++from) {
        first_[from] = std::move(moved_[from]);
        std::destroy_at(moved_ + from);
      }
    });
  }

private:
  // Characters of a key; its last byte says how many there are.
  static constexpr std::size_t step = 7;
  static constexpr std::uint64_t goes_on = step + 1;  // in that byte: there are more
  static constexpr std::uint64_t turn = descending ? ~std::uint64_t{0} : 0;
  static constexpr std::ptrdiff_t few_alike = 16;
  // Of strings that agree in so many keys as a rule the most do in many more: to compare them is
  // quicker then, and takes no stack for each key.
  static constexpr int most_levels = 8;

  /// Less for a string that precedes another with the same first `depth` characters; equal if both
  /// end here, or agree and go on.
  static std::uint64_t key_of(const T& text, std::size_t depth) noexcept {
    const std::size_t left = text.size() - depth;
    std::uint64_t bytes = 0;
    std::uint64_t said = goes_on;
    if (left > step) {
      std::memcpy(&bytes, text.data() + depth, sizeof bytes);
    } else {
      std::memcpy(&bytes, text.data() + depth, left);
      said = left;
    }
    if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
    return ((bytes & ~std::uint64_t{0xff}) | said) ^ turn;
  }
  static bool is_to_be_refined(std::uint64_t key) noexcept { return ((key ^ turn) & 0xff) == goes_on; }

  static bool key_precedes(const record& left, const record& right) noexcept { return left.key < right.key; }

  /// How many characters from `depth` on are the same in both.
  static std::size_t alike(const T& left, const T& right, std::size_t depth, std::size_t most) noexcept {
    const auto* const a = left.data() + depth;
    const auto* const b = right.data() + depth;
    const std::size_t length = std::min({left.size() - depth, right.size() - depth, most});
    std::size_t at = 0;
    for (; at + 8 <= length; at += 8) {
      if (std::memcmp(a + at, b + at, 8) != 0) break;
    }
    while (at < length && a[at] == b[at]) ++at;
    return at;
  }

  void sort_records(record* first, record* last) const {
    if (last - first < 2) return;
    const auto less = [](const record& left, const record& right) { return key_precedes(left, right); };
    sort_range(first, last, less, by_);
  }

  /// Sorts what is equal so far. `[first, last)` is in the order of its keys, which are those of
  /// `depth`; `levels` more keys may be made.
  void refine(record* first, record* last, std::size_t depth, int levels) const {
    scope parts;
    while (last - first > by_.serial) {
      // Cut between different keys, so that no two strands look at the same ones.
      record* middle = first + (last - first) / 2;
      while (middle != last && middle->key == middle[-1].key) ++middle;
      if (middle == last) break;
      parts.fork([this, middle, last, depth, levels] { refine(middle, last, depth, levels); });
      last = middle;
    }
    for (record* begin = first; begin != last;) {
      record* end = std::next(begin);
      while (end != last && end->key == begin->key) ++end;
      if (end - begin > 1 && is_to_be_refined(begin->key)) refine_alike(begin, end, depth + step, levels);
      begin = end;
    }
    parts.join();
  }

  /// Strings that agree in the first `depth` characters, and are that long.
  void refine_alike(record* first, record* last, std::size_t depth, int levels) const {
    if (last - first <= few_alike) return sort_few_alike(first, last, depth);
    if (levels == 0) return sort_alike(first, last, depth);
    // What all have in common is not looked at again.
    std::size_t common = first->text->size() - depth;
    bool is_one_length = true;
    for (const record* one = std::next(first); one != last; ++one) {
      common = alike(*first->text, *one->text, depth, common);
      is_one_length &= one->text->size() == first->text->size();
    }
    depth += common;
    if (is_one_length && depth == first->text->size()) return;
    for (record* one = first; one != last; ++one) one->key = key_of(*one->text, depth);
    sort_records(first, last);
    refine(first, last, depth, levels - 1);
  }

  void sort_alike(record* first, record* last, std::size_t depth) const {
    const auto less = [depth](const record& left, const record& right) {
      return precedes(*left.text, *right.text, depth);
    };
    sort_range(first, last, less, by_);
  }

  static void sort_few_alike(record* first, record* last, std::size_t depth) noexcept {
    for (record* next = std::next(first); next != last; ++next) {
      const record held = *next;
      record* place = next;
      for (; place != first && precedes(*held.text, *place[-1].text, depth); --place) *place = place[-1];
      *place = held;
    }
  }
  static bool precedes(const T& left, const T& right, std::size_t depth) noexcept {
    const std::size_t left_size = left.size() - depth;
    const std::size_t right_size = right.size() - depth;
    const int order = std::memcmp(left.data() + depth, right.data() + depth, std::min(left_size, right_size));
    if (order != 0) return descending ? order > 0 : order < 0;
    return descending ? left_size > right_size : left_size < right_size;
  }

  template <class Body>
  void in_shares(std::ptrdiff_t from, std::ptrdiff_t to, const Body& body) const {
    scope shares;
    while (to - from > by_.serial) {
      const std::ptrdiff_t middle = from + (to - from) / 2;
      shares.fork([this, middle, to, &body] { in_shares(middle, to, body); });
      to = middle;
    }
    body(from, to);
    shares.join();
  }

  T* const first_;
  const std::ptrdiff_t count_;
  record* const records_;
  T* const moved_;
  const division by_;
};

/// Sorts them; false, and nothing is changed, if they are better compared or there is no memory for
/// it.
template <class Compare, class T>
bool sort_texts(T* first, T* last, division by) {
  if (has_few_kinds(first, last - first)) {
    // Where they are more than that, comparisons sort them in few passes over the strings as they
    // lie, while records would lead to them all over memory.
    const std::ptrdiff_t shares = std::max<std::ptrdiff_t>(1, (last - first) / by.piece);
    return sort_kinds_of_text<Compare>(first, last - first, shares);
  }
  using sorter = text_sorter<T, descending_order<Compare, T>>;
  const auto count = static_cast<std::size_t>(last - first);
  static_assert(alignof(T) <= alignof(typename sorter::record) &&
                alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  const std::size_t bytes = count * (sizeof(typename sorter::record) + sizeof(T));
  void* const memory = ::operator new(bytes, std::nothrow);
  if (memory == nullptr) return false;
  auto* const records = static_cast<typename sorter::record*>(memory);
  sorter(first, last - first, records, reinterpret_cast<T*>(records + count), by).run();
  ::operator delete(memory);
  return true;
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

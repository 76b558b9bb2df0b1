// A stable quicksort with raw room for as many elements: one strand's part of a stable sort.
// Comparisons with a pivot do not wait for one another, as those of a merge do, and equal elements
// are done at once.
#ifndef NOPAL_DETAIL_SORT_STABLE_QUICK_HPP
#define NOPAL_DETAIL_SORT_STABLE_QUICK_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/sort_partition.hpp>
#include <nopal/detail/sort_small.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// A stable partition under way: the left ones close up, the right ones wait in the room. They come
/// back behind the left ones at the end, and if a comparison throws.
template <class Iterator>
class closing_up {
public:
  using element = value<Iterator>;

  closing_up(Iterator first, element* room) noexcept : left_(first), room_(room), right_(room) {}
  closing_up(const closing_up&) = delete;
  closing_up& operator=(const closing_up&) = delete;
  [[gnu::always_inline]] ~closing_up() {
    Iterator to = left_;
    for (element* from = room_; from != right_; ++from, ++to) *to = std::move(*from);
    std::destroy(room_, right_);
  }

  /// Of elements in registers: it goes to both sides, one of which is overwritten by the next.
  [[gnu::always_inline]] void take(Iterator one, bool goes_left) {
    element copy(*one);
    *right_ = copy;
    *left_ = std::move(copy);
    left_ += goes_left;
    right_ += !goes_left;
  }

  /// Returns where it is now.
  element* take_left(Iterator one) {
    if (left_ != one) *left_ = std::move(*one);
    return std::addressof(*left_++);
  }
  element* take_right(Iterator one) { return std::construct_at(right_++, std::move(*one)); }

  [[nodiscard]] Iterator border() const noexcept { return left_; }

private:
  Iterator left_;
  element* room_;
  element* right_;
};

/// Moves the elements of which `goes_left(one, pivot)` holds before the others, both in their
/// order. Returns the first of the others. The pivot is not one of the elements.
template <class T, class GoesLeft>
T* stable_partition_in_registers(T* first, T* last, T* room, const T& pivot, const GoesLeft& goes_left) {
  closing_up<T*> sides(first, room);
  for (T* one = first; one != last; ++one) sides.take(one, goes_left(*one, pivot));
  return sides.border();
}

/// The same for others, a block at a time. The pivot may be one of the elements: it is compared with
/// where it is, and moves with its block.
template <class Iterator, class GoesLeft>
Iterator stable_partition_in_blocks(Iterator first, Iterator last, value<Iterator>* room,
                                    value<Iterator>* pivot, const GoesLeft& goes_left) {
  using count_type = difference<Iterator>;
  constexpr count_type most = 64;
  closing_up<Iterator> sides(first, room);
  while (first != last) {
    const count_type size = std::min(last - first, most);
    unsigned char lefts[most + 1];
    unsigned char rights[most + 1];
    count_type left_count = 0;
    count_type right_count = 0;
    for (count_type i = 0; i < size; ++i) {
      const bool left = goes_left(first[i], *pivot);
      lefts[left_count] = static_cast<unsigned char>(i);
      rights[right_count] = static_cast<unsigned char>(i);
      left_count += left;
      right_count += !left;
    }
    value<Iterator>* const compared = pivot;
    for (count_type i = 0; i < right_count; ++i) {
      const Iterator one = first + rights[i];
      value<Iterator>* const now = sides.take_right(one);
      if (std::addressof(*one) == compared) pivot = now;
    }
    for (count_type i = 0; i < left_count; ++i) {
      const Iterator one = first + lefts[i];
      value<Iterator>* const now = sides.take_left(one);
      if (std::addressof(*one) == compared) pivot = now;
    }
    first += size;
  }
  return sides.border();
}

template <class Iterator, class GoesLeft>
Iterator stable_partition_by(Iterator first, Iterator last, value<Iterator>* room, Iterator pivot,
                             const GoesLeft& goes_left) {
  if constexpr (in_registers<Iterator>) {
    const value<Iterator> copy(*pivot);
    return stable_partition_in_registers(first, last, room, copy, goes_left);
  } else {
    return stable_partition_in_blocks(first, last, room, std::addressof(*pivot), goes_left);
  }
}

/// The same by a pivot that is not one of the elements.
template <class Iterator, class GoesLeft>
Iterator stable_partition_around(Iterator first, Iterator last, value<Iterator>* room, value<Iterator>& pivot,
                                 const GoesLeft& goes_left) {
  if constexpr (in_registers<Iterator>) {
    return stable_partition_in_registers(first, last, room, pivot, goes_left);
  } else {
    return stable_partition_in_blocks(first, last, room, std::addressof(pivot), goes_left);
  }
}

/// Sorts. What is left after `partitions` of them, one in another, is handed to `otherwise(first,
/// last)`.
template <class Iterator, class Order, class Otherwise>
void stable_quick_sort(Iterator first, Iterator last, value<Iterator>* room, int partitions,
                       const Order& less, const Otherwise& otherwise) {
  while (last - first > few<Iterator>) {
    if (partitions-- <= 0) return otherwise(first, last);
    const auto before = [&less](auto&& one, auto&& pivot) { return less(one, pivot); };
    const auto not_after = [&less](auto&& one, auto&& pivot) { return !less(pivot, one); };
    const Iterator pivot = choose_pivot(first, last, less);
    const Iterator cut = stable_partition_by(first, last, room, pivot, before);
    if (cut != first) {
      stable_quick_sort(first, cut, room, partitions, less, otherwise);
      first = cut;
    } else {
      // Nothing precedes the pivot, and nothing has moved.
      first = stable_partition_by(first, last, room, pivot, not_after);
    }
  }
  sort_few(first, last, less);
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

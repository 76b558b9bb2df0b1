// Partitions: a range is split into what goes left and the rest, and the value to split it by is
// chosen.
#ifndef NOPAL_DETAIL_SORT_PARTITION_HPP
#define NOPAL_DETAIL_SORT_PARTITION_HPP

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include <nopal/detail/sort_order.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// Without branches: each element changes places with the first of the right ones, and that place
/// moves on if it went left. One element is held meanwhile, so that a change of places is two
/// copies.
template <class T, class GoesLeft>
T* partition_in_registers(T* first, T* last, const GoesLeft& goes_left) {
  if (first == last) return first;
  T* border = first;
  {
    held_element<T*> held(first);
    for (T* right = first + 1; right != last; ++right) {
      const bool left = goes_left(*right);
      *held.place() = *border;
      *border = *right;
      held.set_place(right);
      border += left;
    }
    const bool left = goes_left(held.get());
    held.take_from(border);
    border += left;
  }
  return border;
}

/// A block at one end of what is not partitioned yet: which of its elements, counted from that end,
/// are on the wrong side.
template <class Iterator>
class block {
public:
  using count_type = difference<Iterator>;
  static constexpr count_type most = 64;

  [[nodiscard]] count_type size() const noexcept { return size_; }
  [[nodiscard]] count_type wrong() const noexcept { return wrong_end_ - wrong_begin_; }

  /// Looks at `size` elements, `at(i)` being whether the one at distance `i` is wrong. No branch
  /// depends on an answer.
  template <class IsWrong>
  void look(count_type size, const IsWrong& is_wrong) {
    size_ = size;
    wrong_begin_ = 0;
    wrong_end_ = 0;
    for (count_type i = 0; i < size; ++i) {
      distances_[wrong_end_] = static_cast<unsigned char>(i);
      wrong_end_ += is_wrong(i);
    }
  }
  count_type take_nearest() noexcept { return distances_[wrong_begin_++]; }
  count_type take_farthest() noexcept { return distances_[--wrong_end_]; }

private:
  count_type size_ = 0;
  count_type wrong_begin_ = 0;
  count_type wrong_end_ = 0;
  unsigned char distances_[most + 1];
};

/// Exchanges what is wrong in a block at `first` with what is wrong in one before `last`, until one
/// of them has no more. Two moves for each pair.
template <class Iterator>
void exchange_wrong(Iterator first, block<Iterator>& left, Iterator last, block<Iterator>& right) {
  difference<Iterator> pairs = std::min(left.wrong(), right.wrong());
  if (pairs == 0) return;
  held_element<Iterator> held(first + left.take_nearest());
  held.take_from(last - (1 + right.take_nearest()));
  while (--pairs > 0) {
    held.take_from(first + left.take_nearest());
    held.take_from(last - (1 + right.take_nearest()));
  }
}

/// From both ends, a block at a time. After S. Edelkamp and A. Weiss, "BlockQuicksort: avoiding
/// branch mispredictions in quicksort", ESA 2016.
template <class Iterator, class GoesLeft>
Iterator partition_in_blocks(Iterator first, Iterator last, const GoesLeft& goes_left) {
  using count_type = difference<Iterator>;
  block<Iterator> left;
  block<Iterator> right;
  while (true) {
    count_type unknown = (last - first) - left.size() - right.size();
    if (unknown == 0) break;
    if (left.wrong() == 0) {
      first += left.size();
      const count_type share = right.wrong() == 0 ? unknown - unknown / 2 : unknown;
      left.look(std::min(share, left.most), [&](count_type i) { return !goes_left(first[i]); });
      unknown -= left.size();
    }
    if (right.wrong() == 0) {
      last -= right.size();
      right.look(std::min(unknown, right.most), [&](count_type i) { return goes_left(last[-1 - i]); });
    }
    exchange_wrong(first, left, last, right);
  }
  // Only one has wrong ones: they go to its inner end.
  if (left.wrong() > 0) {
    last = first + left.size();
    while (left.wrong() > 0) swap_places(first + left.take_farthest(), --last);
    return last;
  }
  first = last - right.size();
  while (right.wrong() > 0) swap_places(last - (1 + right.take_farthest()), first++);
  return first;
}

/// Moves the elements of which `goes_left` holds before the others, whose first is returned. Reads
/// nothing outside the range whatever it answers; every element stays in the range if it throws.
template <class Iterator, class GoesLeft>
Iterator partition_by(Iterator first, Iterator last, const GoesLeft& goes_left) {
  if constexpr (in_registers<Iterator>) {
    return partition_in_registers(first, last, goes_left);
  } else {
    return partition_in_blocks(first, last, goes_left);
  }
}

/// The element with which others are compared: a copy where that is free, else the element in its
/// place, which is outside the range that is partitioned.
template <class Iterator>
class pivot_of {
public:
  explicit pivot_of(Iterator place) : pivot_(*place) {}
  decltype(auto) get() noexcept { return (pivot_); }

private:
  std::conditional_t<in_registers<Iterator>, value<Iterator>, std::iter_reference_t<Iterator>> pivot_;
};

/// Where the median of three is.
template <class Iterator, class Order>
Iterator median_of(Iterator a, Iterator b, Iterator c, const Order& less) {
  const bool a_before_b = less(*a, *b);
  if (a_before_b != less(*a, *c)) return a;
  return a_before_b == less(*b, *c) ? b : c;
}

/// A median of medians of about the square root of so many elements around three places.
template <class Iterator, class Order>
Iterator median_around(Iterator a, Iterator b, Iterator c, difference<Iterator> count, const Order& less) {
  if (count >= 8) {
    const difference<Iterator> eighth = count / 8;
    a = median_around(a, a + eighth * 4, a + eighth * 7, eighth, less);
    b = median_around(b, b + eighth * 4, b + eighth * 7, eighth, less);
    c = median_around(c, c + eighth * 4, c + eighth * 7, eighth, less);
  }
  return median_of(a, b, c, less);
}

/// An element that about half of the others precede, as far as a few comparisons tell. Of at least
/// eight elements.
template <class Iterator, class Order>
Iterator choose_pivot(Iterator first, Iterator last, const Order& less) {
  const difference<Iterator> count = last - first;
  const difference<Iterator> eighth = count / 8;
  const Iterator a = first;
  const Iterator b = first + eighth * 4;
  const Iterator c = first + eighth * 7;
  return count < 64 ? median_of(a, b, c, less) : median_around(a, b, c, eighth, less);
}

/// Exchanges some elements, so that a pattern that made pivots bad is gone.
template <class Iterator>
void disturb(Iterator first, Iterator last) {
  const difference<Iterator> count = last - first;
  if (count < 16) return;
  const difference<Iterator> quarter = count / 4;
  for (difference<Iterator> i = 0; i < 3; ++i) {
    std::ranges::iter_swap(first + i, first + (quarter + i));
    std::ranges::iter_swap(last - (i + 1), last - (quarter + i + 1));
    swap_places(first + (2 * quarter + i), first + (3 * quarter - i - 1));
  }
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

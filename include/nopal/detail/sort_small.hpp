// Sorts of few elements, and the sort that bounds the others' worst case.
#ifndef NOPAL_DETAIL_SORT_SMALL_HPP
#define NOPAL_DETAIL_SORT_SMALL_HPP

#include <cstddef>
#include <iterator>
#include <utility>

#include <nopal/detail/sort_order.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// Moves `*last` down into the sorted range before it. Stable.
template <class Iterator, class Order>
[[gnu::always_inline]] inline void insert_last(Iterator first, Iterator last, const Order& less) {
  if (!less(*last, *std::prev(last))) return;
  held_element<Iterator> held(last);
  do {
    held.take_from(std::prev(held.place()));
  } while (held.place() != first && less(held.get(), *std::prev(held.place())));
}

/// Sorts, `[first, from)` being sorted already. Stable; quadratic.
template <class Iterator, class Order>
void insertion_sort(Iterator first, Iterator from, Iterator last, const Order& less) {
  for (; from != last; ++from) insert_last(first, from, less);
}

// --- few elements that are moved in registers: networks and merges without branches --------------

/// Four elements, sorted, to another place. Five comparisons. Stable. A permutation whatever `less`
/// says.
template <class T, class Order>
[[gnu::always_inline]] inline void sort_four(T* from, T* to, const Order& less) {
  const bool swap_first = less(from[1], from[0]);
  const bool swap_second = less(from[3], from[2]);
  T* const a = from + swap_first;
  T* const b = from + !swap_first;
  T* const c = from + 2 + swap_second;
  T* const d = from + 2 + !swap_second;
  const bool c_before_a = less(*c, *a);
  const bool d_before_b = less(*d, *b);
  T* const least = c_before_a ? c : a;
  T* const greatest = d_before_b ? b : d;
  T* const left = c_before_a ? a : (d_before_b ? c : b);
  T* const right = d_before_b ? d : (c_before_a ? b : c);
  const bool swap_middle = less(*right, *left);
  to[0] = std::move(*least);
  to[1] = std::move(*(swap_middle ? right : left));
  to[2] = std::move(*(swap_middle ? left : right));
  to[3] = std::move(*greatest);
}

/// Merges two sorted neighbors, of `count / 2` elements and of the others, from both ends at once.
/// Stable. False if `less` is no order: then what is at `to` is not what was at `from`, which stays
/// as it is.
template <class T, class Order>
[[gnu::always_inline]] inline bool merge_halves(T* from, std::size_t count, T* to, const Order& less) {
  const std::size_t half = count / 2;
  T* left = from;
  T* left_end = from + half;
  T* right = left_end;
  T* right_end = from + count;
  T* to_end = to + count;
  for (std::size_t i = 0; i < half; ++i) {
    const bool take_right = less(*right, *left);
    *to++ = std::move(*(take_right ? right : left));
    right += take_right;
    left += !take_right;
    const bool take_left = less(right_end[-1], left_end[-1]);
    *--to_end = std::move((take_left ? left_end : right_end)[-1]);
    right_end -= !take_left;
    left_end -= take_left;
  }
  if (count % 2 != 0) {
    const bool take_left = left < left_end;
    *to = std::move(*(take_left ? left : right));
    left += take_left;
    right += !take_left;
  }
  return left == left_end && right == right_end;
}

/// The most elements that `small_sort` takes.
inline constexpr std::size_t small_room = 32;

/// Copies elements back to where they came from unless told that they arrived another way.
template <class T>
class put_back {
public:
  put_back(T* from, std::size_t count, T* to) noexcept : from_(from), to_(to), count_(count) {}
  put_back(const put_back&) = delete;
  put_back& operator=(const put_back&) = delete;
  ~put_back() {
    for (std::size_t i = 0; i < count_; ++i) to_[i] = std::move(from_[i]);
  }
  void not_needed() noexcept { count_ = 0; }

private:
  T* from_;
  T* to_;
  std::size_t count_;
};

/// Sorts up to `small_room` elements: pieces by networks, the rest by insertion, two halves by a
/// merge. Stable.
template <class T, class Order>
[[gnu::noinline]] void small_sort(T* first, std::size_t count, const Order& less) {
  if (count < 8) {
    insertion_sort(first, first + (count != 0), first + count, less);
    return;
  }
  stack_room<T, small_room> room;
  T* const halves = room.data();
  const std::size_t half = count / 2;
  std::size_t sorted = 4;
  if (count >= 16) {
    stack_room<T, 8> fours_room;
    T* const fours = fours_room.data();
    sorted = 8;
    for (const std::size_t at : {std::size_t{0}, half}) {
      sort_four(first + at, fours, less);
      sort_four(first + at + 4, fours + 4, less);
      if (!merge_halves(fours, 8, halves + at, less)) {
        for (std::size_t i = 0; i < 8; ++i) halves[at + i] = std::move(fours[i]);
      }
    }
  } else {
    sort_four(first, halves, less);
    sort_four(first + half, halves + half, less);
  }
  for (std::size_t i = sorted; i < half; ++i) halves[i] = first[i];
  for (std::size_t i = half + sorted; i < count; ++i) halves[i] = first[i];
  insertion_sort(halves, halves + sorted, halves + half, less);
  insertion_sort(halves + half, halves + half + sorted, halves + count, less);

  put_back<T> guard(halves, count, first);
  if (merge_halves(halves, count, first, less)) guard.not_needed();
}

/// No more than these are sorted without a partition.
template <class Iterator>
inline constexpr difference<Iterator> few = in_registers<Iterator> ? static_cast<int>(small_room) : 16;

/// Sorts up to `few` elements. Stable.
template <class Iterator, class Order>
void sort_few(Iterator first, Iterator last, const Order& less) {
  if constexpr (in_registers<Iterator>) {
    small_sort(first, static_cast<std::size_t>(last - first), less);
  } else if (first != last) {
    insertion_sort(first, std::next(first), last, less);
  }
}

// --- the worst case ------------------------------------------------------------------------------

/// Lets `*(first + at)` sink in the heap of `count` elements.
template <class Iterator, class Order>
void sink(Iterator first, difference<Iterator> at, difference<Iterator> count, const Order& less) {
  held_element<Iterator> held(first + at);
  while (2 * at + 1 < count) {
    difference<Iterator> child = 2 * at + 1;
    if (child + 1 < count && less(first[child], first[child + 1])) ++child;
    if (!less(held.get(), first[child])) break;
    held.take_from(first + child);
    at = child;
  }
}

/// Always in O(n log n), in place and not stable.
template <class Iterator, class Order>
void heap_sort(Iterator first, Iterator last, const Order& less) {
  const difference<Iterator> count = last - first;
  for (difference<Iterator> i = count / 2; i-- > 0;) sink(first, i, count, less);
  for (difference<Iterator> i = count; --i > 0;) {
    std::ranges::iter_swap(first, first + i);
    sink(first, difference<Iterator>{0}, i, less);
  }
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// A stable quicksort of elements that are moved in registers, with as much room as there are elements: a strand's part of a stable
// sort. A partition costs less than a merge, and equal elements are done at once.
#ifndef NOPAL_DETAIL_SORT_STABLE_QUICK_HPP
#define NOPAL_DETAIL_SORT_STABLE_QUICK_HPP

#include <cstddef>
#include <utility>

#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/sort_partition.hpp>
#include <nopal/detail/sort_small.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// A stable partition under way: the left ones close up, the right ones wait in the room. They come back at the end, and if a
/// comparison throws.
template <class T>
class closing_up {
public:
  closing_up(T* first, T* room) noexcept : left_(first), room_(room), right_(room) {}
  closing_up(const closing_up&) = delete;
  closing_up& operator=(const closing_up&) = delete;
  [[gnu::always_inline]] ~closing_up() {
    for (T* to = left_; room_ != right_; ++room_, ++to) *to = std::move(*room_);
  }

  /// Goes to both sides; one of them is overwritten by the next.
  [[gnu::always_inline]] void take(T* one, bool goes_left) {
    T copy(*one);
    *right_ = copy;
    *left_ = std::move(copy);
    left_ += goes_left;
    right_ += !goes_left;
  }
  [[nodiscard]] T* border() const noexcept { return left_; }

private:
  T* left_;
  T* room_;
  T* right_;
};

/// Moves the elements of which `goes_left` holds before the others, both in their order. Returns the first of the others.
template <class T, class GoesLeft>
T* stable_partition_by(T* first, T* last, T* room, const GoesLeft& goes_left) {
  closing_up<T> sides(first, room);
  for (T* one = first; one != last; ++one) sides.take(one, goes_left(*one));
  return sides.border();
}

/// Sorts `[first, last)`, of which no element precedes `*before` if that is given. What is left after `partitions` of them, one
/// in another, is handed to `otherwise(first, last)`.
template <class T, class Order, class Otherwise>
void stable_quick_sort(T* first, T* last, T* room, T* before, int partitions, const Order& less,
                       const Otherwise& otherwise) {
  while (last - first > static_cast<std::ptrdiff_t>(small_room)) {
    if (partitions-- <= 0) return otherwise(first, last);
    T pivot(*choose_pivot(first, last, less));
    T* cut = first;
    if (before == nullptr || less(*before, pivot)) {
      cut = stable_partition_by(first, last, room, [&](T& one) { return less(one, pivot); });
    }
    if (cut == first) {
      // Nothing precedes the pivot.
      first = stable_partition_by(first, last, room, [&](T& one) { return !less(pivot, one); });
      before = nullptr;
    } else {
      stable_quick_sort(cut, last, room, &pivot, partitions, less, otherwise);
      last = cut;
    }
  }
  small_sort(first, static_cast<std::size_t>(last - first), less);
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

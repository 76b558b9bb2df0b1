// The stable quicksort by a few strands: parts on both sides of a pivot are sorted at the same time,
// and large ranges are partitioned in halves, which are put together by moves through the room.
//
// That costs less than a merge for each level, and more moves for each strand that takes part. So it
// is for few workers.
#ifndef NOPAL_DETAIL_SORT_STABLE_HALVES_HPP
#define NOPAL_DETAIL_SORT_STABLE_HALVES_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include <nopal/detail/sort_division.hpp>
#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/sort_partition.hpp>
#include <nopal/detail/sort_stable_quick.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// Calls `move(from, to)` for pieces of a range of places.
template <class Move>
void move_in_pieces(std::ptrdiff_t from, std::ptrdiff_t to, const Move& move) {
  scope pieces;
  while (to - from > least_piece) {
    const std::ptrdiff_t middle = from + (to - from) / 2;
    pieces.fork([middle, to, &move] { move_in_pieces(middle, to, move); });
    to = middle;
  }
  move(from, to);
  pieces.join();
}

/// Exchanges two neighbors, through raw room for both. Returns where the first one begins then.
template <class Iterator>
Iterator exchange_neighbors(Iterator first, Iterator middle, Iterator last, value<Iterator>* room) {
  using element = value<Iterator>;
  using count_type = difference<Iterator>;
  const std::ptrdiff_t left = middle - first;
  const std::ptrdiff_t right = last - middle;
  if (left == 0 || right == 0) return first + static_cast<count_type>(right);
  move_in_pieces(0, left + right, [first, room](std::ptrdiff_t from, std::ptrdiff_t to) {
    for (; from != to; ++from)
      std::construct_at(room + from, std::move(first[static_cast<count_type>(from)]));
  });
  move_in_pieces(0, left + right, [first, room, left, right](std::ptrdiff_t from, std::ptrdiff_t to) {
    for (; from != to; ++from) {
      element& moved = room[from < right ? left + from : from - right];
      first[static_cast<count_type>(from)] = std::move(moved);
      std::destroy_at(&moved);
    }
  });
  return first + static_cast<count_type>(right);
}

/// A stable partition by a pivot that is not moved meanwhile, in pieces of `piece` elements and more.
template <class Iterator, class GoesLeft>
Iterator stable_partition_in_halves(Iterator first, Iterator last, value<Iterator>* room,
                                    value<Iterator>& pivot, const GoesLeft& goes_left, std::ptrdiff_t piece) {
  if (last - first < 2 * piece) return stable_partition_around(first, last, room, pivot, goes_left);
  const Iterator middle = first + (last - first) / 2;
  Iterator left_cut = first;
  scope halves;
  halves.fork([&left_cut, first, middle, room, &pivot, &goes_left, piece] {
    left_cut = stable_partition_in_halves(first, middle, room, pivot, goes_left, piece);
  });
  const Iterator right_cut =
      stable_partition_in_halves(middle, last, room + (middle - first), pivot, goes_left, piece);
  halves.join();
  return exchange_neighbors(left_cut, middle, right_cut, room);
}

/// The same by a pivot that is one of the elements. One that cannot be copied stays between two
/// partitions, and goes with the left ones or the right ones as a whole.
template <bool pivot_goes_left, class Iterator, class GoesLeft>
Iterator stable_partition_at_once(Iterator first, Iterator last, value<Iterator>* room, Iterator pivot,
                                  const GoesLeft& goes_left, std::ptrdiff_t piece) {
  if (last - first < 2 * piece) return stable_partition_by(first, last, room, pivot, goes_left);
  if constexpr (in_registers<Iterator>) {
    value<Iterator> copy(*pivot);
    return stable_partition_in_halves(first, last, room, copy, goes_left, piece);
  } else {
    const Iterator behind = std::next(pivot);
    Iterator left_cut = first;
    scope halves;
    halves.fork([&left_cut, first, room, pivot, &goes_left, piece] {
      left_cut = stable_partition_in_halves(first, pivot, room, *pivot, goes_left, piece);
    });
    const Iterator right_cut =
        stable_partition_in_halves(behind, last, room + (behind - first), *pivot, goes_left, piece);
    halves.join();
    return exchange_neighbors(left_cut, pivot_goes_left ? pivot : behind, right_cut, room);
  }
}

/// One of the elements that is near the middle of them, and of their order.
template <class Iterator, class Order>
Iterator choose_middle_pivot(Iterator first, Iterator last, const Order& less) {
  if constexpr (in_registers<Iterator>) {
    return choose_pivot(first, last, less);
  } else {
    const difference<Iterator> margin = (last - first) / 16 * 7;
    return choose_pivot(first + margin, last - margin, less);
  }
}

/// Sorts; see stable_quick_sort. What throws leaves when every strand is done, and all elements are
/// in the range.
template <class Iterator, class Order, class Otherwise>
void stable_quick_sort_at_once(Iterator first, Iterator last, value<Iterator>* room, int partitions,
                               const Order& less, const Otherwise& otherwise, std::ptrdiff_t piece) {
  scope parts;
  while (last - first > usual_serial && partitions > 0) {
    --partitions;
    const auto before = [&less](auto&& one, auto&& pivot) { return less(one, pivot); };
    const auto not_after = [&less](auto&& one, auto&& pivot) { return !less(pivot, one); };
    const bool is_large = last - first >= 2 * piece;
    const Iterator pivot =
        is_large ? choose_middle_pivot(first, last, less) : choose_pivot(first, last, less);
    Iterator cut = stable_partition_at_once<false>(first, last, room, pivot, before, piece);
    if (cut != first) {
      parts.fork([first, cut, room, partitions, &less, &otherwise, piece] {
        stable_quick_sort_at_once(first, cut, room, partitions, less, otherwise, piece);
      });
    } else {
      // Nothing precedes the pivot, and nothing has moved.
      cut = stable_partition_at_once<true>(first, last, room, pivot, not_after, piece);
    }
    room += cut - first;
    first = cut;
  }
  stable_quick_sort(first, last, room, partitions, less, otherwise);
  parts.join();
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

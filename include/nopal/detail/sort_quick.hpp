// The sort that is not stable: quicksort that is never quadratic, with a parallel partition of what
// is large.
//
// Pivots are medians of about the square root of the range. Where a range begins after a former
// pivot that equals the new one, the elements equal to it are set aside, so that many equal ones
// make it faster. After a few bad partitions the rest is a heap sort.
#ifndef NOPAL_DETAIL_SORT_QUICK_HPP
#define NOPAL_DETAIL_SORT_QUICK_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <nopal/detail/sort_division.hpp>
#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/sort_partition.hpp>
#include <nopal/detail/sort_runs.hpp>
#include <nopal/detail/sort_small.hpp>
#include <nopal/detail/thrown.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

// --- the partition in pieces ---------------------------------------------------------------------

inline constexpr std::size_t most_pieces = 256;

/// The partitioned pieces of a range, and their elements that are on the wrong side of the whole.
/// Either side has as many of those.
template <class Iterator>
class partitioned_pieces {
public:
  using count_type = difference<Iterator>;

  partitioned_pieces(Iterator first, Iterator last, count_type piece) noexcept
      : first_(first), count_(last - first),
        pieces_(std::clamp<count_type>(count_ / piece, 1, static_cast<count_type>(most_pieces))) {}

  template <class GoesLeft>
  void partition_each(const GoesLeft& goes_left) {
    scope pieces;
    for (count_type i = 0; i + 1 < pieces_; ++i) {
      pieces.fork([this, i, &goes_left] { partition_one(i, goes_left); });
    }
    NOPAL_DETAIL_TRY { partition_one(pieces_ - 1, goes_left); }
    NOPAL_DETAIL_JOIN_IF_THROWN(pieces)
    pieces.join();
  }

  /// Brings what is on the wrong side to the other, and returns the first element of the right
  /// side.
  Iterator exchange() {
    for (count_type i = 0; i < pieces_; ++i) border_ += cuts_[i] - begin_of(i);
    count_type wrong = 0;
    for (count_type i = 0; i < pieces_; ++i) wrong += wrong_on_left(i).count;
    exchange_from(0, wrong);
    return first_ + border_;
  }

private:
  /// Neighbors on the wrong side.
  struct run {
    count_type begin;
    count_type count;
  };

  count_type begin_of(count_type i) const noexcept {
    return count_ / pieces_ * i + std::min(i, count_ % pieces_);
  }

  template <class GoesLeft>
  void partition_one(count_type i, const GoesLeft& goes_left) {
    cuts_[i] = partition_by(first_ + begin_of(i), first_ + begin_of(i + 1), goes_left) - first_;
  }

  /// Those of piece `i` that are to go from the left side to the right one.
  run wrong_on_left(count_type i) const noexcept {
    return {cuts_[i], std::max<count_type>(std::min(begin_of(i + 1), border_) - cuts_[i], 0)};
  }
  run wrong_on_right(count_type i) const noexcept {
    const count_type begin = std::max(begin_of(i), border_);
    return {begin, std::max<count_type>(cuts_[i] - begin, 0)};
  }

  /// Exchanges `count` of those on the left, from number `from` on, with as many on the right.
  void exchange_from(count_type from, count_type count) const {
    if (count > run_chunk) {
      const count_type half = count / 2;
      scope halves;
      halves.fork([this, from, half] { exchange_from(from, half); });
      NOPAL_DETAIL_TRY { exchange_from(from + half, count - half); }
      NOPAL_DETAIL_JOIN_IF_THROWN(halves)
      halves.join();
      return;
    }
    count_type left_piece = 0;
    count_type right_piece = 0;
    run left = find(left_piece, from, &partitioned_pieces::wrong_on_left);
    run right = find(right_piece, from, &partitioned_pieces::wrong_on_right);
    while (count > 0) {
      while (left.count == 0) left = wrong_on_left(++left_piece);
      while (right.count == 0) right = wrong_on_right(++right_piece);
      const count_type both = std::min({left.count, right.count, count});
      std::swap_ranges(first_ + left.begin, first_ + (left.begin + both), first_ + right.begin);
      left = {left.begin + both, left.count - both};
      right = {right.begin + both, right.count - both};
      count -= both;
    }
  }

  /// The run in which number `from` is, from there on; `piece` becomes its piece.
  run find(count_type& piece, count_type from,
           run (partitioned_pieces::*wrong)(count_type) const noexcept) const {
    run found = (this->*wrong)(piece);
    while (found.count <= from && piece + 1 < pieces_) {
      from -= found.count;
      found = (this->*wrong)(++piece);
    }
    return {found.begin + from, found.count - from};
  }

  Iterator first_;
  count_type count_;
  count_type pieces_;
  count_type border_ = 0;
  count_type cuts_[most_pieces];
};

template <class Iterator, class GoesLeft>
[[gnu::noinline]] Iterator partition_in_pieces(Iterator first, Iterator last, const GoesLeft& goes_left,
                                               difference<Iterator> piece) {
  partitioned_pieces<Iterator> pieces(first, last, piece);
  pieces.partition_each(goes_left);
  return pieces.exchange();
}

template <class Iterator, class GoesLeft>
[[gnu::always_inline]] inline Iterator
partition_range(Iterator first, Iterator last, const GoesLeft& goes_left, difference<Iterator> piece) {
  if (last - first >= 2 * piece) return partition_in_pieces(first, last, goes_left, piece);
  return partition_by(first, last, goes_left);
}

// --- quicksort -----------------------------------------------------------------------------------

/// What a quicksort knows of its range.
template <class Iterator>
struct quick_range {
  Iterator first;
  Iterator last;
  int bad_partitions;  ///< how many more there may be
  bool leftmost;       ///< no element lies before `first`; else that one precedes none of the range

  [[nodiscard]] difference<Iterator> size() const noexcept { return last - first; }
};

/// One step: partitions the range. `range` becomes one side; the other one, which may be empty, is
/// returned. Neither has what is in its final place.
template <class Iterator, class Order>
[[gnu::always_inline]] inline quick_range<Iterator> split(quick_range<Iterator>& range, const Order& less,
                                                          difference<Iterator> piece) {
  const Iterator first = range.first;
  const Iterator last = range.last;
  const difference<Iterator> count = range.size();
  swap_places(first, choose_pivot(first, last, less));
  pivot_of<Iterator> pivot(first);
  quick_range<Iterator> other{first, first, range.bad_partitions, range.leftmost};

  if (!range.leftmost && !less(*std::prev(first), pivot.get())) {
    // Nothing precedes the pivot.
    range.first =
        partition_range(std::next(first), last, [&](auto&& one) { return !less(pivot.get(), one); }, piece);
    return other;
  }
  const Iterator cut = std::prev(
      partition_range(std::next(first), last, [&](auto&& one) { return less(one, pivot.get()); }, piece));
  swap_places(first, cut);
  other.last = cut;
  range.first = std::next(cut);
  range.leftmost = false;
  if (std::min(other.size(), range.size()) < count / 8) {
    other.bad_partitions = --range.bad_partitions;
    disturb(other.first, other.last);
    disturb(range.first, range.last);
  }
  return other;
}

template <class Iterator, class Order>
void quick_sort_serially(quick_range<Iterator> range, const Order& less) {
  while (range.size() > few<Iterator>) {
    if (range.bad_partitions <= 0) return heap_sort(range.first, range.last, less);
    quick_range<Iterator> other = split(range, less, range.size());
    if (range.size() < other.size()) std::swap(range, other);
    quick_sort_serially(other, less);
  }
  sort_few(range.first, range.last, less);
}

template <class Iterator, class Order>
void quick_sort(quick_range<Iterator> range, const Order& less, division by) {
  scope parts;
  NOPAL_DETAIL_TRY {
    while (range.size() > by.serial && range.bad_partitions > 0) {
      quick_range<Iterator> other = split(range, less, static_cast<difference<Iterator>>(by.piece));
      if (range.size() < other.size()) std::swap(range, other);
      parts.fork([other, &less, by] { quick_sort(other, less, by); });
    }
    quick_sort_serially(range, less);
  }
  NOPAL_DETAIL_JOIN_IF_THROWN(parts)
  parts.join();
}

/// Sorts. See nopal::parallel_sort.
template <class Iterator, class Order>
void sort_range(Iterator first, Iterator last, const Order& less, division by) {
  if (sort_run(first, last, less)) return;
  quick_sort(quick_range<Iterator>{first, last, 2 * floor_log2(last - first), true}, less, by);
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

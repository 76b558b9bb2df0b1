// Sorting in parallel.
#ifndef NOPAL_SORT_HPP
#define NOPAL_SORT_HPP

#include <nopal/detail/language.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <nopal/detail/mode.hpp>
#include <nopal/detail/refused.hpp>
#include <nopal/detail/sort_division.hpp>
#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/sort_quick.hpp>
#include <nopal/detail/sort_stable.hpp>
#include <nopal/detail/sort_text.hpp>
#include <nopal/detail/unless_stopped.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// Sorts `[first, last)` by `compare`, as std::sort does: equal elements end in any order. With a
/// projection elements are compared by what it makes of them, as in std::ranges::sort.
///
/// Iterators are random-access ones. Elements are movable and nothing else: they need not be
/// copyable nor have a default constructor. They are moved by several strands at once, each its
/// own, so a range whose elements share memory, as those of std::vector<bool> do, cannot be sorted.
///
/// `compare` and `projection` are copied once, and all strands call the same copies at the same
/// time: they change nothing that is not safe to change then. `compare` is to be a strict weak
/// order. If it is not, the elements end in some order, but in the range, all of them.
///
/// What `compare` or `projection` throws leaves as from a join: the range then has all its
/// elements, in some order. If a move of an element throws, that leaves too; values may be lost
/// then, as with std::sort, and the range still has as many elements.
///
/// Complexity: O(n log n) comparisons and moves for every input; O(n) if the range is in order or
/// strictly in the opposite one, and O(n log k) expected with k different values. In place: O(log
/// n) memory per strand, none on the heap. Strings and string views of char and char8_t by an order
/// of the standard library are the exception: 64 and more are compared by numbers of seven
/// characters each, which takes a block of 16 bytes and the size of a string for each, and time
/// linear in the characters that distinguish them beside the comparisons of numbers; where a sample
/// says that they are few different ones, and they are no more than 64, it takes one look at each,
/// and a byte in place of the block. Without that memory they are compared as they are. Span, with P workers: O(n/P + log² n) expected for P up to
/// 256, as ranges above a share of n/(4P), and of 32768 elements, are partitioned in parallel; the
/// worst case, an input made against this very algorithm, is a serial heap sort. A strand sorts
/// 2048 elements and fewer. The order of equal elements depends on the input and the number of
/// workers alone, and not on the schedule. In a stopped `cancel_scope` it does nothing; one that has begun
/// is done wholly.
template <sort_detail::sortable_iterator Iterator, class Compare = std::less<>,
          class Projection = std::identity>
void parallel_sort(Iterator first, Iterator last, Compare compare = {}, Projection projection = {}) {
  if constexpr (sort_detail::is_sortable<Iterator, Compare, Projection>()) {
    const detail::unless_stopped whole;
    if (!whole.goes_on()) return;
    const sort_detail::order<Compare, Projection> less(compare, projection);
    const auto begin = sort_detail::plain_iterator(first);
    const auto end = begin + (last - first);
    const auto count = static_cast<std::ptrdiff_t>(last - first);
    const auto by = sort_detail::division_of(count, sort_detail::workers_for(count));
    if constexpr (sort_detail::sorts_as_text<std::remove_const_t<decltype(begin)>, Compare, Projection>) {
      if (sort_detail::sort_run(begin, end, less)) return;
      if (count >= sort_detail::few_texts && sort_detail::sort_texts<Compare>(begin, end, by)) return;
    }
    sort_detail::sort_range(begin, end, less, by);
  }
}

/// The same for all of a range, or a container.
template <class Range, class Compare = std::less<>, class Projection = std::identity>
  requires sort_detail::sortable_range<Range>
void parallel_sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  nopal::parallel_sort(std::begin(range), std::end(range), std::move(compare), std::move(projection));
}

/// What else it is called with does not compile.
template <class... Arguments>
void parallel_sort(Arguments&&... /*arguments*/) {
  static_assert(refusals::accepted<Arguments...>,
                "nopal: sort: parallel_sort takes two random-access iterators of one type, or a range that "
                "has them (a std::list has none), then a comparator and a projection, or none");
}

/// Sorts `[first, last)` by `compare`, as std::stable_sort does: equal elements stay in the order
/// they had.
///
/// What is said of `parallel_sort` about iterators, elements, comparators and exceptions holds here
/// too; which exception is rethrown if several comparisons threw is not specified. The result does
/// not depend on the number of workers.
///
/// Complexity: O(n log n) comparisons and moves for every input; O(n) if the range is in order or
/// strictly in the opposite one. Span: O(log³ n), beside what one strand sorts: a share of n/(2P)
/// with P workers, of no fewer than 2048 elements and no more than 262144. With two to four workers
/// it is a quicksort whose partitions take them all: O(n) expected. Memory: a buffer of n
/// elements on the heap, or of 2n numbers if moves of elements may throw (the last step, n moves,
/// is serial then). Without that memory it throws std::bad_alloc before anything is moved. Integers
/// by an order of the standard library are sorted as by `parallel_sort`, which needs none.
template <sort_detail::sortable_iterator Iterator, class Compare = std::less<>,
          class Projection = std::identity>
void parallel_stable_sort(Iterator first, Iterator last, Compare compare = {}, Projection projection = {}) {
  if constexpr (sort_detail::equal_is_same<std::iter_value_t<Iterator>, Compare, Projection>) {
    nopal::parallel_sort(first, last, std::move(compare));
  } else if constexpr (sort_detail::is_sortable<Iterator, Compare, Projection>()) {
    const detail::unless_stopped whole;
    if (!whole.goes_on()) return;
    const sort_detail::order<Compare, Projection> less(compare, projection);
    const auto begin = sort_detail::plain_iterator(first);
    const auto count = static_cast<std::ptrdiff_t>(last - first);
    sort_detail::stable_sort_range(begin, begin + (last - first), less,
                                   sort_detail::stable_division_of(count, sort_detail::workers_for(count)));
  }
}

/// The same for all of a range, or a container.
template <class Range, class Compare = std::less<>, class Projection = std::identity>
  requires sort_detail::sortable_range<Range>
void parallel_stable_sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  nopal::parallel_stable_sort(std::begin(range), std::end(range), std::move(compare), std::move(projection));
}

/// What else it is called with does not compile.
template <class... Arguments>
void parallel_stable_sort(Arguments&&... /*arguments*/) {
  static_assert(refusals::accepted<Arguments...>,
                "nopal: sort: parallel_stable_sort takes two random-access iterators of one type, or a range "
                "that has them (a std::list has none), then a comparator and a projection, or none");
}

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// The stable sort: merges between the range and a buffer of as many elements.
//
// The range is halved a fixed, even number of times, so that what is merged alternates between the
// two and ends in the range. The smallest parts are sorted by one strand each, by a quicksort that
// has its part of the buffer; after bad pivots by merges again. With few workers the quicksort is
// that of the whole range.
#ifndef NOPAL_DETAIL_SORT_STABLE_HPP
#define NOPAL_DETAIL_SORT_STABLE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <nopal/detail/sort_division.hpp>
#include <nopal/detail/sort_merge.hpp>
#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/sort_runs.hpp>
#include <nopal/detail/sort_small.hpp>
#include <nopal/detail/sort_stable_halves.hpp>
#include <nopal/detail/sort_stable_quick.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// Raw memory for elements.
template <class T>
class raw_buffer {
public:
  /// Throws std::bad_alloc.
  explicit raw_buffer(std::size_t count) : data_(std::allocator<T>().allocate(count)), count_(count) {}
  raw_buffer(const raw_buffer&) = delete;
  raw_buffer& operator=(const raw_buffer&) = delete;
  ~raw_buffer() { std::allocator<T>().deallocate(data_, count_); }
  T* data() noexcept { return data_; }

private:
  T* data_;
  std::size_t count_;
};

/// How often `count` is halved, an even number of times, until no more than `most` are left.
inline int even_halvings(std::ptrdiff_t count, std::ptrdiff_t most) noexcept {
  int halvings = 0;
  for (; count > most; count = (count + 3) / 4) halvings += 2;
  return halvings;
}

/// A stable sort under way.
template <class Iterator, class Order>
class merge_sort {
public:
  using count_type = difference<Iterator>;
  using element = value<Iterator>;

  merge_sort(Iterator first, element* buffer, const Order& less, stable_division by) noexcept
      : first_(first), buffer_(buffer), less_(less), serial_(by.serial), piece_(by.piece) {}

  /// Sorts. Rethrows the first exception of a comparison.
  void run(count_type count) {
    if constexpr (std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>) {
      if (piece_ != 0 && !seems_to_have_runs(0, count)) {
        if (!failure_.is_set()) sort_at_once(count);
        return failure_.rethrow();
      }
    }
    const int halvings = even_halvings(static_cast<std::ptrdiff_t>(count), serial_);
    if (halvings == 0) {
      sort_serially(0, count);
    } else {
      sort_halves(0, count, halvings);
      destroy_buffer(0, count);
    }
    failure_.rethrow();
  }

private:
  template <bool construct>
  using to_buffer = merge_of<Iterator, element*, construct>;
  using from_buffer = merge_of<element*, Iterator, false>;

  /// The elements end in the buffer if `halvings` is odd.
  void sort_halves(count_type begin, count_type end, int halvings) {
    if (halvings == 0) return sort_serially(begin, end);
    const count_type middle = begin + (end - begin) / 2;
    scope halves;
    halves.fork([this, begin, middle, halvings] { sort_halves(begin, middle, halvings - 1); });
    sort_halves(middle, end, halvings - 1);
    halves.join();
    with_merge(begin, middle, end, halvings, [this](auto parts) {
      parts.merge_in_parallel(less_, failure_, std::min(serial_, merge_serial));
    });
  }

  /// By one quicksort in which strands take part as they come.
  void sort_at_once(count_type count) {
    failure_.guard([&] {
      stable_quick_sort_at_once(
          first_, first_ + count, buffer_, 2 * floor_log2(count), less_,
          [this](Iterator from, Iterator to) { sort_by_merges(from - first_, to - first_); }, piece_);
    });
  }

  /// By one strand. The part of the buffer is raw memory before and after.
  void sort_serially(count_type begin, count_type end) {
    if (end - begin < 2 || failure_.is_set()) return;
    bool sorted = false;
    failure_.guard([&] { sorted = sort_run(first_ + begin, first_ + end, less_); });
    if (sorted || failure_.is_set()) return;
    if constexpr (std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>) {
      if (end - begin > usual_serial && seems_to_have_runs(begin, end)) return sort_by_merges(begin, end, 2);
      failure_.guard([&] {
        stable_quick_sort(first_ + begin, first_ + end, buffer_ + begin, 2 * floor_log2(end - begin), less_,
                          [this](Iterator from, Iterator to) { sort_by_merges(from - first_, to - first_); });
      });
    } else {
      sort_by_merges(begin, end);
    }
  }

  /// Whether both halves begin with one. Long ones are found in the halves or theirs, and merged; a
  /// quicksort would not see them.
  bool seems_to_have_runs(count_type begin, count_type end) {
    bool found = false;
    failure_.guard([&] {
      const Iterator first = first_ + begin;
      const Iterator middle = first + (end - begin) / 2;
      found = begins_with_run(first, middle, less_) && begins_with_run(middle, first_ + end, less_);
    });
    return found;
  }

  void sort_by_merges(count_type begin, count_type end) {
    sort_by_merges(begin, end, even_halvings(static_cast<std::ptrdiff_t>(end - begin), few<Iterator>));
  }

  void sort_by_merges(count_type begin, count_type end, int halvings) {
    sort_part(begin, end, halvings);
    if (halvings != 0) std::destroy(buffer_ + begin, buffer_ + end);
  }

  void sort_part(count_type begin, count_type end, int halvings) {
    if (halvings == 0) {
      if (end - begin > few<Iterator>) return sort_serially(begin, end);
      failure_.guard([&] { sort_few(first_ + begin, first_ + end, less_); });
      return;
    }
    const count_type middle = begin + (end - begin) / 2;
    sort_part(begin, middle, halvings - 1);
    sort_part(middle, end, halvings - 1);
    with_merge(begin, middle, end, halvings, [this](auto parts) { parts.merge(less_, failure_); });
  }

  /// Calls `merge` with the sorted halves, from where they are to where they belong. The first of
  /// the merges upward finds raw memory.
  template <class Merge>
  [[gnu::always_inline]] void with_merge(count_type begin, count_type middle, count_type end, int halvings,
                                         const Merge& merge) {
    const Iterator in = first_;
    element* const out = buffer_;
    if (halvings % 2 == 0) {
      merge(from_buffer{out + begin, out + middle, out + middle, out + end, in + begin});
    } else if (halvings == 1) {
      merge(to_buffer<true>{in + begin, in + middle, in + middle, in + end, out + begin});
    } else {
      merge(to_buffer<false>{in + begin, in + middle, in + middle, in + end, out + begin});
    }
  }

  void destroy_buffer(count_type begin, count_type end) {
    if constexpr (!std::is_trivially_destructible_v<element>) {
      if (end - begin <= run_chunk) {
        std::destroy(buffer_ + begin, buffer_ + end);
        return;
      }
      const count_type middle = begin + (end - begin) / 2;
      scope halves;
      halves.fork([this, begin, middle] { destroy_buffer(begin, middle); });
      destroy_buffer(middle, end);
      halves.join();
    }
  }

  Iterator first_;
  element* buffer_;
  const Order& less_;
  std::ptrdiff_t serial_;
  std::ptrdiff_t piece_;
  first_failure failure_;
};

/// Moves each element to its place: `from[i]` says where the one at `i` is now.
template <class Iterator>
void arrange(Iterator first, difference<Iterator>* from, difference<Iterator> count) {
  for (difference<Iterator> i = 0; i < count; ++i) {
    if (from[i] == i) continue;
    held_element<Iterator> held(first + i);
    difference<Iterator> free = i;
    while (from[free] != i) {
      const difference<Iterator> next = from[free];
      held.take_from(first + next);
      from[free] = free;
      free = next;
    }
    from[free] = free;
  }
}

/// For elements whose moves may throw, which must not lie in two places: their numbers are sorted,
/// then they are arranged.
template <class Iterator, class Order>
void stable_sort_by_number(Iterator first, difference<Iterator> count, const Order& less,
                           stable_division by) {
  using number = difference<Iterator>;
  raw_buffer<number> numbers(2 * static_cast<std::size_t>(count));
  number* const from = numbers.data();
  for (number i = 0; i < count; ++i) from[i] = i;
  const auto less_at = [&](number a, number b) { return less(first[a], first[b]); };
  merge_sort<number*, decltype(less_at)>(from, from + count, less_at, by).run(count);
  arrange(first, from, count);
}

/// Sorts, stable. See nopal::parallel_stable_sort.
template <class Iterator, class Order>
void stable_sort_range(Iterator first, Iterator last, const Order& less, stable_division by) {
  const difference<Iterator> count = last - first;
  if (sort_run(first, last, less)) return;
  if constexpr (moves_cannot_throw<Iterator>()) {
    raw_buffer<value<Iterator>> buffer(static_cast<std::size_t>(count));
    merge_sort<Iterator, Order>(first, buffer.data(), less, by).run(count);
  } else {
    stable_sort_by_number(first, count, less, by);
  }
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

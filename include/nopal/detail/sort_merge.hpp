// Merges of two sorted ranges into a third, serial and parallel, that lose no element when a
// comparison throws.
#ifndef NOPAL_DETAIL_SORT_MERGE_HPP
#define NOPAL_DETAIL_SORT_MERGE_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/thrown.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// The first exception of a comparison in a sort that many strands take part in. From then on they
/// only move elements to where they belong, in any order, so that no exception passes strands that
/// hold some.
class first_failure {
public:
  /// Whether there was one.
  [[nodiscard]] bool is_set() const noexcept { return claimed_.load(std::memory_order_relaxed); }

  /// Runs `f`; false if that threw.
  template <class F>
  [[gnu::always_inline]] bool guard(const F& f) noexcept {
#ifdef __cpp_exceptions
    try {
      f();
      return true;
    } catch (...) {
      keep();
      return false;
    }
#else
    f();
    return true;
#endif
  }

  /// After all strands have joined.
  void rethrow() {
#ifdef __cpp_exceptions
    exception_.rethrow();
#endif
  }

private:
#ifdef __cpp_exceptions
  [[gnu::noinline, gnu::cold]] void keep() noexcept {
    // The joins of the strands order this before `rethrow`.
    if (!claimed_.exchange(true, std::memory_order_relaxed)) exception_.keep();
  }

  detail::kept_exception exception_;
#endif
  std::atomic<bool> claimed_{false};
};

/// Two sorted ranges, and where their elements go: to objects, or to raw memory if `construct`.
template <class In, class Out, bool construct>
struct merge_of {
  In left;
  In left_end;
  In right;
  In right_end;
  Out out;

  [[nodiscard]] difference<In> left_count() const noexcept { return left_end - left; }
  [[nodiscard]] difference<In> right_count() const noexcept { return right_end - right; }
  [[nodiscard]] difference<In> count() const noexcept { return left_count() + right_count(); }

  [[gnu::always_inline]] static void put(Out to, In from) {
    if constexpr (construct) {
      std::construct_at(std::to_address(to), std::ranges::iter_move(from));
    } else {
      *to = std::ranges::iter_move(from);
    }
  }

  /// All that is left, one range after the other.
  void move_all() {
    for (; left != left_end; ++left, ++out) put(out, left);
    for (; right != right_end; ++right, ++out) put(out, right);
  }

  /// The larger range is behind the smaller one as a whole.
  template <class Order>
  bool move_whole_ranges(const Order& less) {
    if (left == left_end || right == right_end || !less(*right, *std::prev(left_end))) {
      move_all();
      return true;
    }
    if (less(*std::prev(right_end), *left)) {
      std::swap(left, right);
      std::swap(left_end, right_end);
      move_all();
      return true;
    }
    return false;
  }

  /// What a merge has left, which is kept in registers, comes back here when it ends or throws.
  class remainder {
  public:
    explicit remainder(merge_of& whole) noexcept : parts(whole), whole_(whole) {}
    remainder(const remainder&) = delete;
    remainder& operator=(const remainder&) = delete;
    [[gnu::always_inline]] ~remainder() { whole_ = parts; }
    merge_of parts;

  private:
    merge_of& whole_;
  };

  /// From both ends at once, so that two chains of comparisons overlap; no branch depends on one.
  /// As many steps are taken without looking for the ends as neither range can run out in. Ends
  /// with one element or none in one of the ranges.
  template <class Order>
  void merge_from_both_ends(const Order& less) {
    remainder rest(*this);
    merge_of& at = rest.parts;
    Out out_end = out + count();
    while (const difference<In> steps = std::min(at.left_count(), at.right_count()) / 2) {
      for (difference<In> i = 0; i < steps; ++i) {
        const bool take_right = less(*at.right, *at.left);
        const bool take_left = less(at.right_end[-1], at.left_end[-1]);
        put(at.out++, take_right ? at.right : at.left);
        at.right += take_right;
        at.left += !take_right;
        put(--out_end, (take_left ? at.left_end : at.right_end) - 1);
        at.right_end -= !take_left;
        at.left_end -= take_left;
      }
    }
  }

  /// In order of the output.
  template <class Order>
  void merge_from_front(const Order& less) {
    while (left != left_end && right != right_end) {
      if (less(*right, *left)) {
        put(out, right);
        ++right;
      } else {
        put(out, left);
        ++left;
      }
      ++out;
    }
  }

  /// Merges. Stable. Every element arrives, in some order if `less` throws or has thrown before.
  template <class Order>
  void merge(const Order& less, first_failure& failure) {
    static_cast<void>(!failure.is_set() && failure.guard([&] {
      if (move_whole_ranges(less)) return;
      merge_from_both_ends(less);
      merge_from_front(less);
    }));
    move_all();
  }

  /// How many of the first `count` merged elements come from the left.
  template <class Order>
  difference<In> left_among(difference<In> first_ones, const Order& less) const {
    difference<In> low = std::max<difference<In>>(0, first_ones - right_count());
    difference<In> high = std::min(first_ones, left_count());
    while (low < high) {
      const difference<In> middle = low + (high - low) / 2;
      if (less(right[first_ones - middle - 1], left[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// Merges, larger ranges than `serial` in two parts at once. Span: the square of the logarithm,
  /// and `serial`.
  template <class Order>
  void merge_in_parallel(const Order& less, first_failure& failure, std::ptrdiff_t serial) {
    if (count() <= serial) return merge(less, failure);
    const difference<In> first_ones = count() / 2;
    // Where the parts are divided matters to their order only.
    difference<In> from_left = std::min(first_ones, left_count());
    if (!failure.is_set()) failure.guard([&] { from_left = left_among(first_ones, less); });
    const In left_middle = left + from_left;
    const In right_middle = right + (first_ones - from_left);
    const merge_of before{left, left_middle, right, right_middle, out};
    merge_of after{left_middle, left_end, right_middle, right_end, out + first_ones};
    scope parts;
    parts.fork([part = before, &less, &failure, serial]() mutable {
      part.merge_in_parallel(less, failure, serial);
    });
    after.merge_in_parallel(less, failure, serial);
    parts.join();
  }
};

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

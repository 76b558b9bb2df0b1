// Ranges that are in order already, or in the opposite one.
#ifndef NOPAL_DETAIL_SORT_RUNS_HPP
#define NOPAL_DETAIL_SORT_RUNS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>

#include <nopal/detail/sort_order.hpp>
#include <nopal/detail/thrown.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// Whether no element of the range, which is not empty, precedes the one before it.
template <class Iterator, class Order>
bool is_in_order(Iterator first, Iterator last, const Order& less) {
  if constexpr (in_registers<Iterator>) {
    // Each is read once, and all branches but one in nine are of comparisons.
    auto before = *first;
    const auto steps_down = [&](difference<Iterator> i) {
      const auto here = first[i];
      const bool is_less = less(here, before);
      before = here;
      return is_less;
    };
    for (; last - first > 8; first += 8) {
      if (steps_down(1) || steps_down(2) || steps_down(3) || steps_down(4) || steps_down(5) ||
          steps_down(6) || steps_down(7) || steps_down(8)) {
        return false;
      }
    }
  }
  for (Iterator next = std::next(first); next != last; first = next, ++next) {
    if (less(*next, *first)) return false;
  }
  return true;
}

/// Elements that are looked at in one go: if a look elsewhere has failed, the rest is of no
/// interest.
inline constexpr int run_chunk = 1 << 14;

/// The same in parallel, `wrong` being set where the answer is no.
template <class Iterator, class Order>
void look_for_order(Iterator first, Iterator last, const Order& less, std::atomic<bool>& wrong) {
  if (wrong.load(std::memory_order_relaxed)) return;
  const difference<Iterator> count = last - first;
  if (count <= run_chunk) {
    if (!is_in_order(first, last, less)) wrong.store(true, std::memory_order_relaxed);
    return;
  }
  // The element in the middle is in both halves.
  const Iterator middle = first + count / 2;
  scope halves;
  halves.fork([=, &less, &wrong] { look_for_order(first, std::next(middle), less, wrong); });
  NOPAL_DETAIL_TRY { look_for_order(middle, last, less, wrong); }
  NOPAL_DETAIL_JOIN_IF_THROWN(halves)
  halves.join();
}

template <class Iterator, class Order>
bool is_in_order_everywhere(Iterator first, Iterator last, const Order& less) {
  std::atomic<bool> wrong{false};
  look_for_order(first, last, less, wrong);
  return !wrong.load(std::memory_order_relaxed);  // after the joins of all that stored it
}

/// Exchanges `[first, first + count)` with the elements before `last`, from both ends.
template <class Iterator>
void reverse_in_parallel(Iterator first, Iterator last, difference<Iterator> count) {
  if (count <= run_chunk) {
    for (; count > 0; --count) std::ranges::iter_swap(first++, --last);
    return;
  }
  const difference<Iterator> half = count / 2;
  scope halves;
  halves.fork([=] { reverse_in_parallel(first, last, half); });
  NOPAL_DETAIL_TRY { reverse_in_parallel(first + half, last - half, count - half); }
  NOPAL_DETAIL_JOIN_IF_THROWN(halves)
  halves.join();
}

/// "Not after" in the opposite order is "strictly before" in this one: reversed, equal elements
/// would not stay in their order.
template <class Order>
[[gnu::always_inline]] inline auto opposite_of(const Order& less) {
  return [&less](auto&& right, auto&& left) { return !less(right, left); };
}

/// Enough elements in order, or strictly in the opposite one, that this is no chance.
inline constexpr int run_sample = 256;

template <class Iterator, class Order>
bool begins_with_run(Iterator first, Iterator last, const Order& less) {
  const Iterator end = first + std::min<difference<Iterator>>(last - first, run_sample);
  return is_in_order(first, end, less) || is_in_order(first, end, opposite_of(less));
}

/// If the range is in order, or each element precedes the one before it, sorts it in linear time,
/// and true. Random ranges are left after a few looks.
template <class Iterator, class Order>
bool sort_run(Iterator first, Iterator last, const Order& less) {
  const difference<Iterator> count = last - first;
  if (count < 2) return true;
  const Iterator sample_end = first + std::min<difference<Iterator>>(count, run_sample);
  if (is_in_order(first, sample_end, less)) return is_in_order_everywhere(first, last, less);
  if (!is_in_order(first, sample_end, opposite_of(less))) return false;
  if (!is_in_order_everywhere(first, last, opposite_of(less))) return false;
  reverse_in_parallel(first, last, count / 2);
  return true;
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// A half-open interval that can be cut.
#ifndef NOPAL_COMPAT_TBB_BLOCKED_RANGE_H
#define NOPAL_COMPAT_TBB_BLOCKED_RANGE_H

#include <cstddef>
#include <utility>

// Programs rely on what oneTBB's header includes.
#include <atomic>
#include <climits>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <thread>
#include <type_traits>

#include "detail/split.h"
#include "version.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// The interval [begin, end) of integers, pointers or random-access iterators, cut no further once
/// it has `grainsize` elements or fewer. Every operation takes constant time; objects are as safe
/// to share as an `int`.
template <class Value>
class blocked_range {
public:
  using const_iterator = Value;
  using size_type = std::size_t;

  /// Parallel algorithms may ask for parts of unequal size.
  static constexpr bool is_splittable_in_proportion = true;

  blocked_range() = default;
  blocked_range(Value begin, Value end, size_type grainsize = 1)
      : begin_(begin), end_(end), grainsize_(grainsize) {}

  /// Takes the second half of `from`, which keeps the first. `from` has two elements at least.
  blocked_range(blocked_range& from, split) : blocked_range(from, from.size() / 2) {}
  /// Takes the second part, in the ratio given; neither part is empty.
  blocked_range(blocked_range& from, proportional_split& ratio)
      : blocked_range(from, left_part(from.size(), ratio)) {}

  [[nodiscard]] const_iterator begin() const { return begin_; }
  [[nodiscard]] const_iterator end() const { return end_; }
  [[nodiscard]] size_type size() const { return static_cast<size_type>(end_ - begin_); }
  [[nodiscard]] size_type grainsize() const { return grainsize_; }
  [[nodiscard]] bool empty() const { return !(begin_ < end_); }
  [[nodiscard]] bool is_divisible() const { return grainsize_ < size(); }

private:
  using difference = decltype(std::declval<const Value&>() - std::declval<const Value&>());

  blocked_range(blocked_range& from, size_type kept)
      : begin_(static_cast<Value>(from.begin_ + static_cast<difference>(kept))), end_(from.end_),
        grainsize_(from.grainsize_) {
    from.end_ = begin_;
  }
  static size_type left_part(size_type size, const proportional_split& ratio) {
    const double share =
        static_cast<double>(ratio.left()) / static_cast<double>(ratio.left() + ratio.right());
    const auto left = static_cast<size_type>(static_cast<double>(size) * share + 0.5);
    return left < 1 ? 1 : left < size ? left : size - 1;
  }

  Value begin_{};
  Value end_{};
  size_type grainsize_ = 1;
};

template <class Value>
blocked_range(Value, Value) -> blocked_range<Value>;
template <class Value>
blocked_range(Value, Value, std::size_t) -> blocked_range<Value>;

namespace nopal_detail {
/// How long a side is in terms of its grain.
template <class Value>
double grains(const blocked_range<Value>& side) {
  return static_cast<double>(side.size()) / static_cast<double>(side.grainsize());
}
}  // namespace nopal_detail

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

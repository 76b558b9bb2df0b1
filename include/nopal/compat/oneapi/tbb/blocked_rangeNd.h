// A box of any number of dimensions that can be cut.
#ifndef NOPAL_COMPAT_TBB_BLOCKED_RANGEND_H
#define NOPAL_COMPAT_TBB_BLOCKED_RANGEND_H

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

// Programs rely on what oneTBB's header includes.
#include <algorithm>
#include <memory>

#include "blocked_range.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// `dimensions` intervals. Cut across the one that is longest in terms of its grain. Time linear in
/// `dimensions`. The last argument is not to be given.
template <class Value, unsigned dimensions, class = std::make_index_sequence<dimensions>>
class blocked_nd_range;

template <class Value, unsigned dimensions, std::size_t... at>
class blocked_nd_range<Value, dimensions, std::index_sequence<at...>> {
  static_assert(dimensions != 0, "blocked_nd_range: needs a dimension");

public:
  using value_type = Value;
  using dim_range_type = blocked_range<Value>;
  using size_type = typename dim_range_type::size_type;

  template <std::size_t>
  using side = dim_range_type;

  static constexpr bool is_splittable_in_proportion = true;

  /// One interval for each dimension.
  // NOLINTNEXTLINE(google-explicit-constructor): a list of several sides is one
  blocked_nd_range(const side<at>&... sides) : sides_{sides...} {}
  /// The same as a list of bounds; `grainsize` holds for every dimension.
  explicit blocked_nd_range(const Value (&sizes)[dimensions], size_type grainsize = 1)
      : sides_{dim_range_type(0, sizes[at], grainsize)...} {}

  /// Takes the second half of `from`.
  blocked_nd_range(blocked_nd_range& from, split tag) : blocked_nd_range(from) { take(from, tag); }
  /// Takes the second part, in the ratio given.
  blocked_nd_range(blocked_nd_range& from, proportional_split ratio) : blocked_nd_range(from) {
    take(from, ratio);
  }
  blocked_nd_range(const blocked_nd_range&) = default;
  blocked_nd_range& operator=(const blocked_nd_range&) = default;
  ~blocked_nd_range() = default;

  /// The number of dimensions.
  static constexpr unsigned ndims() { return dimensions; }
  static constexpr unsigned dim_count() { return dimensions; }

  /// One dimension's interval.
  [[nodiscard]] const dim_range_type& dim(unsigned which) const { return sides_[which]; }

  [[nodiscard]] bool empty() const {
    for (const dim_range_type& each : sides_) {
      if (each.empty()) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool is_divisible() const {
    for (const dim_range_type& each : sides_) {
      if (each.is_divisible()) {
        return true;
      }
    }
    return false;
  }

private:
  template <class Split>
  void take(blocked_nd_range& from, Split& tag) {
    unsigned longest = 0;
    for (unsigned each = 1; each != dimensions; ++each) {
      if (nopal_detail::grains(sides_[each]) > nopal_detail::grains(sides_[longest])) {
        longest = each;
      }
    }
    sides_[longest] = dim_range_type(from.sides_[longest], tag);
  }

  std::array<dim_range_type, dimensions> sides_;
};

// Lists of two or three are sides, where there are several; one list or array is of bounds.
template <class Value, unsigned... lengths>
  requires(sizeof...(lengths) >= 2 && (... && (lengths == 2 || lengths == 3)))
blocked_nd_range(const Value (&... sides)[lengths]) -> blocked_nd_range<Value, sizeof...(lengths)>;
template <class Value, class... Values>
  requires(... && std::is_same_v<Value, Values>)
blocked_nd_range(blocked_range<Value>, blocked_range<Values>...)
    -> blocked_nd_range<Value, 1 + sizeof...(Values)>;
template <class Value, unsigned dimensions>
blocked_nd_range(const Value (&)[dimensions], std::size_t = 1) -> blocked_nd_range<Value, dimensions>;
template <class Value, unsigned dimensions>
blocked_nd_range(blocked_nd_range<Value, dimensions>, split) -> blocked_nd_range<Value, dimensions>;
template <class Value, unsigned dimensions>
blocked_nd_range(blocked_nd_range<Value, dimensions>, proportional_split)
    -> blocked_nd_range<Value, dimensions>;

/// The name that oneTBB gives it before version 2022.
template <class Value, unsigned dimensions>
using blocked_rangeNd = blocked_nd_range<Value, dimensions>;

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

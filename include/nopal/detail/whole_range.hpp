// What the patterns over whole ranges ask of them, and how such a call is told from one that is
// given two ends.
#ifndef NOPAL_DETAIL_WHOLE_RANGE_HPP
#define NOPAL_DETAIL_WHOLE_RANGE_HPP

#include <cstddef>
#include <iterator>
#include <string_view>
#include <type_traits>

#include <nopal/detail/invoke.hpp>
#include <nopal/detail/loop.hpp>
#include <nopal/detail/range.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// Whether the first two arguments of a pattern are the ends of a range, rather than a range and
/// something else. An array is an end if a pointer into it is the other one.
template <class First, class Last>
constexpr bool are_ends() {
  using first = std::decay_t<First>;
  using last = std::decay_t<Last>;
  if constexpr (std::is_array_v<std::remove_reference_t<First>> &&
                std::is_array_v<std::remove_reference_t<Last>>) {
    return false;
  } else if constexpr (std::is_pointer_v<first>) {
    return std::is_pointer_v<last> &&
           (std::is_convertible_v<first, last> || std::is_convertible_v<last, first>);
  } else if constexpr (is_range<First>) {
    return std::input_iterator<first>;
  } else {
    return true;
  }
}
template <class First, class Last>
concept ends = are_ends<First, Last>();
/// The same where an output follows two ends, and none does an array and its output.
template <class First, class Last, class Third>
concept ends_before_output = ends<First, Last> && (!std::is_array_v<std::remove_reference_t<First>> ||
                                                   std::input_or_output_iterator<std::decay_t<Third>>);

/// Whether the first two arguments of a call are the ends of a range, and what should follow is missing.
template <class First, class Last>
concept ends_alone =
    !is_range<First> && !std::is_void_v<positions_of<std::decay_t<First>, std::decay_t<Last>>>;

/// The type of two iterators; void, which is refused, if they have not the same.
template <class First, class Last>
using iterator_between =
    std::conditional_t<std::is_same_v<std::decay_t<First>, std::decay_t<Last>>, std::decay_t<First>, void>;

/// Checks that a range can be divided; the reason why not is one error.
template <class Range>
constexpr bool can_divide() {
  static_assert(is_range<Range>,
                "nopal: parallel patterns: the first argument must be a range, with begin and end, "
                "or the first of two ends");
  if constexpr (is_range<Range>) {
    using last = decltype(detail::end_of(std::declval<std::remove_reference_t<Range>&>()));
    constexpr bool divides =
        std::random_access_iterator<iterator_of<Range>> && std::sized_sentinel_for<last, iterator_of<Range>>;
    static_assert(divides,
                  "nopal: parallel patterns: the range must have random-access iterators and a size that "
                  "they tell; parallel_for_each takes any range");
    return divides;
  } else {
    return false;
  }
}

template <class Iterator>
struct two_ends {
  Iterator first;
  Iterator last;
};
/// Both ends as iterators, also where the range ends with a sentinel.
template <class Range>
two_ends<iterator_of<Range>> ends_of(Range& range) {
  const auto first = detail::begin_of(range);
  return {first, first + (detail::end_of(range) - first)};
}

/// Checks that iterators outlive the argument that they come from.
template <class Range>
constexpr bool keeps_iterators() {
  constexpr bool keeps =
      std::is_lvalue_reference_v<Range> || std::ranges::enable_borrowed_range<std::remove_cvref_t<Range>>;
  static_assert(keeps,
                "nopal: parallel search: the range ends with the call, and what is found in it too: give it "
                "a name");
  return keeps;
}

/// `f` for the positions of a range: called with elements if it takes them.
template <class Iterator, class F, class Use>
decltype(auto) with_elements(F& f, Use use) {
  if constexpr (std::is_invocable_v<F&, std::iter_reference_t<Iterator>>) {
    auto with_element = [&f](const Iterator& at) -> decltype(auto) { return detail::invoke(f, *at); };
    return use(with_element);
  } else {
    return use(f);
  }
}

/// Whether a reduction is given a grain, an identity and how to combine, rather than an identity, a
/// map and how to combine.
template <class Grain, class T, class Combine, class Position, class Element>
concept grain_and_no_map =
    integer_index<Grain> && !std::is_invocable_v<T&, Element> && !std::is_invocable_v<T&, const Position&> &&
    std::is_invocable_r_v<T, Combine&, T, T>;

/// Whether a map stands where the identity should. Values may be callable too: these can be combined.
template <class T, class Combine, class Position, class Element>
concept map_and_no_identity =
    !std::is_arithmetic_v<T> &&
    (std::is_invocable_v<T&, Element> || std::is_invocable_v<T&, const Position&>) &&
    !std::is_invocable_v<Combine&, T, T>;

template <class Positions>
struct positions_are {
  using position = typename Positions::position;
  using element = const position&;
};
template <class Iterator>
struct positions_are<indexed<Iterator>> {
  using position = Iterator;
  using element = std::iter_reference_t<Iterator>;
};
struct no_position {};
template <>
struct positions_are<void> {
  using position = no_position;
  using element = no_position;
};
template <class First, class Last>
using positions_between = positions_are<positions_of<First, Last>>;

template <class Range, bool = is_range<Range>>
struct positions_in {
  using position = no_position;
  using element = no_position;
};
template <class Range>
struct positions_in<Range, true> {
  using position = iterator_of<Range>;
  using element = std::iter_reference_t<position>;
};

/// The map of a reduction that has none: the number, or the element that the iterator leads to.
struct element_itself {
  template <class Position>
    requires std::is_integral_v<Position> || requires(const Position& at) { *at; }
  [[nodiscard]] constexpr decltype(auto) operator()(const Position& at) const {
    if constexpr (std::is_integral_v<Position>) {
      return Position(at);
    } else {
      return *at;
    }
  }
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

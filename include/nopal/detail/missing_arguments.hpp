// Calls of patterns that lack an argument. Each is one error, which names what the pattern takes.
#ifndef NOPAL_DETAIL_MISSING_ARGUMENTS_HPP
#define NOPAL_DETAIL_MISSING_ARGUMENTS_HPP

#include <cstddef>
#include <type_traits>

#include <nopal/detail/mode.hpp>
#include <nopal/detail/refused.hpp>
#include <nopal/detail/whole_range.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// Whether a call begins with two ends, where a whole range takes as many arguments in all.
template <class... Arguments>
inline constexpr bool begins_with_ends = false;
template <class First, class Last>
inline constexpr bool begins_with_ends<First, Last> = ends<First, Last>;
template <class First, class Last, class Out>
inline constexpr bool begins_with_ends<First, Last, Out> = ends_before_output<First, Last, Out>;

/// Whether an argument is missing, of a pattern that takes `least` with a whole range and one more with
/// two ends.
template <std::size_t least, class... Arguments>
concept lacks_argument =
    sizeof...(Arguments) < least || (sizeof...(Arguments) == least && begins_with_ends<Arguments...>);

}  // namespace detail

/// Without a function nothing can be called.
template <class... Nothing>
  requires(sizeof...(Nothing) == 0)
refusals::no_value parallel_invoke(Nothing... /*none*/) {
  static_assert(refusals::accepted<Nothing...>, "nopal: parallel_invoke takes one function or more");
  return {};
}

/// Without a body it does not compile; two ends alone are taken for a range and a body.
template <class... Arguments>
  requires(sizeof...(Arguments) < 2)
refusals::no_value parallel_for(Arguments&&... /*arguments*/) {
  static_assert(refusals::accepted<Arguments...>,
                "nopal: parallel_for takes a range or two ends, then a grain or none, then the body");
  return {};
}

/// Without a body it does not compile.
template <class... Arguments>
  requires detail::lacks_argument<2, Arguments...>
refusals::no_value parallel_for_each(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_for_each takes a range or two ends, then the body, then a projection or none");
  return {};
}

/// Without how to combine it does not compile.
template <class... Arguments>
  requires(sizeof...(Arguments) < 2)
refusals::no_value parallel_reduce(Arguments&&... /*arguments*/) {
  static_assert(refusals::accepted<Arguments...>,
                "nopal: parallel_reduce takes a range or two ends, then a grain or "
                "none, an identity, a map or none, and how to combine");
  return {};
}

/// Without a function or an output it does not compile.
template <class... Arguments>
  requires(sizeof...(Arguments) < 3)
refusals::no_value parallel_transform(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_transform takes a range or two ends, then a second range (behind two ends its "
      "beginning) or none, where the output begins, and the function");
  return {};
}

/// Without an output it does not compile.
template <class... Arguments>
  requires detail::lacks_argument<2, Arguments...>
refusals::no_value parallel_inclusive_scan(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_inclusive_scan takes a range or two ends, then where the output begins, then "
      "an operation or none, and a first value or none");
  return {};
}

/// Without a first value it does not compile.
template <class... Arguments>
  requires detail::lacks_argument<3, Arguments...>
refusals::no_value parallel_exclusive_scan(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_exclusive_scan takes a range or two ends, then where the output begins, then "
      "the first value, and an operation or none");
  return {};
}

/// Without a predicate it does not compile.
template <class... Arguments>
  requires detail::lacks_argument<2, Arguments...>
refusals::no_value parallel_find_if(Arguments&&... /*arguments*/) {
  static_assert(refusals::accepted<Arguments...>,
                "nopal: parallel_find_if takes a range or two ends, then the predicate, then a projection or "
                "none");
  return {};
}

/// Without a predicate it does not compile.
template <class... Arguments>
  requires detail::lacks_argument<2, Arguments...>
refusals::no_value parallel_any_of(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_any_of takes a range or two ends, then the predicate, then a projection or none");
  return {};
}

/// Without a predicate it does not compile.
template <class... Arguments>
  requires detail::lacks_argument<2, Arguments...>
refusals::no_value parallel_all_of(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_all_of takes a range or two ends, then the predicate, then a projection or none");
  return {};
}

/// Without a predicate it does not compile.
template <class... Arguments>
  requires detail::lacks_argument<2, Arguments...>
refusals::no_value parallel_none_of(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_none_of takes a range or two ends, then the predicate, then a projection or none");
  return {};
}

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

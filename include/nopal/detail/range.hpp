// Ranges and projections for the patterns, without <ranges> and <functional>, which take long to
// compile.
#ifndef NOPAL_DETAIL_RANGE_HPP
#define NOPAL_DETAIL_RANGE_HPP

#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/elements.hpp>
#include <nopal/detail/loop.hpp>
#include <nopal/detail/reduce.hpp>
#include <nopal/detail/scan.hpp>
#include <nopal/detail/unless_stopped.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// The projection that leaves an element as it is.
struct itself {
  template <class T>
  [[nodiscard]] constexpr T&& operator()(T&& value) const noexcept {
    return std::forward<T>(value);
  }
};

/// The sum of two, whatever their types.
struct plus {
  template <class A, class B>
  [[nodiscard]] constexpr auto operator()(A&& a, B&& b) const
      -> decltype(std::forward<A>(a) + std::forward<B>(b)) {
    return std::forward<A>(a) + std::forward<B>(b);
  }
};

namespace ends_of_ranges {
using std::begin;
using std::end;
template <class Range>
constexpr auto first(Range& range) -> decltype(begin(range)) {
  return begin(range);
}
template <class Range>
constexpr auto last(Range& range) -> decltype(end(range)) {
  return end(range);
}
}  // namespace ends_of_ranges
template <class Range>
constexpr auto begin_of(Range& range) -> decltype(ends_of_ranges::first(range)) {
  return ends_of_ranges::first(range);
}
template <class Range>
constexpr auto end_of(Range& range) -> decltype(ends_of_ranges::last(range)) {
  return ends_of_ranges::last(range);
}
template <class Range>
concept is_range_of_iterators = requires(std::remove_reference_t<Range>& range) {
  { detail::begin_of(range) } -> std::input_iterator;
  { detail::end_of(range) } -> std::sentinel_for<decltype(detail::begin_of(range))>;
};
template <class Range>
inline constexpr bool is_range = is_range_of_iterators<Range>;
template <class Range>
using iterator_of = decltype(detail::begin_of(std::declval<std::remove_reference_t<Range>&>()));

/// Whether `f` can be called with the projection of what an iterator leads to.
template <class F, class Projection, class Iterator>
constexpr bool can_take_projected() {
  if constexpr (std::is_invocable_v<Projection&, std::iter_reference_t<Iterator>>) {
    return std::is_invocable_v<F&, std::invoke_result_t<Projection&, std::iter_reference_t<Iterator>>>;
  } else {
    return false;
  }
}
template <class F, class Projection, class Iterator>
inline constexpr bool takes_projected = can_take_projected<F, Projection, Iterator>();

/// Whether its result, where it can be called so, is true or false.
template <class F, class Projection, class Iterator>
constexpr bool can_tell_projected() {
  using element = std::invoke_result_t<Projection&, std::iter_reference_t<Iterator>>;
  return std::is_constructible_v<bool, std::invoke_result_t<F&, element>>;
}
template <class F, class Projection, class Iterator>
inline constexpr bool tells_projected = can_tell_projected<F, Projection, Iterator>();

/// Calls `body` for each element: in a loop that is split, or, where positions cannot be told
/// beforehand, by a fork each.
template <class Iterator, class Sentinel, class Body, class Projection>
void for_each_in(Iterator first, Sentinel last, Body& body, Projection& projection) {
  if constexpr (std::random_access_iterator<Iterator> && std::sized_sentinel_for<Sentinel, Iterator>) {
    const indexed<Iterator> all{first};
    auto chunk = [&all, &body, &projection](std::size_t from, std::size_t to) {
      visit_chunk(all, from, to, [&body, &projection](const Iterator& at) {
        detail::invoke(body, detail::invoke(projection, *at));
      });
    };
    const auto distance = last - first;
    begin_loop(distance > 0 ? static_cast<std::size_t>(distance) : 0, 1, &chunk);
  } else if constexpr (std::forward_iterator<Iterator>) {
    auto call = [&body, &projection](const Iterator& at) {
      detail::invoke(body, detail::invoke(projection, *at));
    };
    scope s;
    NOPAL_DETAIL_TRY {
      for (; first != last; ++first) {
        s.fork([&call](const Iterator& at) { call(at); }, first);
      }
    }
    NOPAL_DETAIL_JOIN_IF_THROWN(s)
    s.join();
  } else {
    scope s;
    NOPAL_DETAIL_TRY {
      for (; first != last; ++first) {
        s.fork(
            [&body, &projection](std::iter_value_t<Iterator>&& value) {
              detail::invoke(body, detail::invoke(projection, value));
            },
            std::iter_value_t<Iterator>(*first));
      }
    }
    NOPAL_DETAIL_JOIN_IF_THROWN(s)
    s.join();
  }
}

/// Whether neither the test of an element nor the access to it throws.
template <class Iterator, class Predicate, class Projection>
constexpr bool tests_cannot_throw() {
  using element = std::iter_reference_t<Iterator>;
  return noexcept(*(std::declval<const Iterator&>() + std::iter_difference_t<Iterator>{})) &&
         std::is_nothrow_invocable_v<Projection&, element> &&
         std::is_nothrow_invocable_r_v<bool, Predicate&, std::invoke_result_t<Projection&, element>>;
}

/// Whether `predicate` holds for the projection of what is at a position.
template <class Iterator, class Predicate, class Projection>
auto tester(const indexed<Iterator>& all, Predicate& predicate, Projection& projection) {
  constexpr bool cannot_throw = tests_cannot_throw<Iterator, Predicate, Projection>();
  return [&all, &predicate, &projection](std::size_t position) noexcept(cannot_throw) {
    return static_cast<bool>(detail::invoke(predicate, detail::invoke(projection, *all.at(position))));
  };
}

/// Checks what a reduction is given, and calls `reduce(count, reduction)`.
template <class T, class First, class Last, class Map, class Combine, class Reduce>
T with_reduction(First first, Last last, const T& identity, Map& map, Combine& combine, Reduce reduce) {
  using all_positions = positions_of<First, Last>;
  static_assert(!std::is_void_v<all_positions>,
                "nopal: parallel_reduce: the first two arguments must be whole "
                "numbers or random-access iterators of one type");
  if constexpr (!std::is_void_v<all_positions>) {
    using position = typename all_positions::position;
    constexpr bool maps = takes_position<Map, position>();
    static_assert(maps,
                  "nopal: parallel_reduce: the map must be callable with a number or iterator of the range, "
                  "or with an element of it");
    if constexpr (maps) {
      using mapped = decltype(call_at(map, std::declval<const position&>()));
      constexpr bool combines =
          std::is_invocable_r_v<T, Combine&, T&&, mapped> && std::is_invocable_r_v<T, Combine&, T&&, T&&>;
      static_assert(combines,
                    "nopal: parallel_reduce: combine must take a value of the identity's type and what "
                    "the map returns, or two "
                    "values of that type, and return one");
      if constexpr (combines) {
        const reduction<T, all_positions, Map, Combine> of{
            {static_cast<position>(first)}, identity, map, combine};
        return reduce_as_fits(all_positions::count(static_cast<position>(first), static_cast<position>(last)),
                              of, reduce);
      }
    }
  }
}

template <class Out, class F, class... Elements>
constexpr bool assigns() {
  static_assert(NOPAL_ABI_NAMESPACE::detail::separate_elements<Out>,
                "nopal: parallel_transform: elements of the output must not share memory, as those of "
                "std::vector<bool> do");
  if constexpr (std::is_invocable_v<F&, Elements...>) {
    return std::is_assignable_v<std::iter_reference_t<Out>, std::invoke_result_t<F&, Elements...>>;
  } else {
    return false;
  }
}

/// Assigns `f` of the elements at the same position in each input to the output that starts at
/// `out`. Returns the end of the output.
template <class Out, class F, class... In>
Out transform_into(const Out& out, std::size_t count, F& f, const indexed<In>&... in) {
  const indexed<Out> results{out};
  auto chunk = [&](std::size_t from, std::size_t to) {
    if constexpr (std::contiguous_iterator<Out> && (std::contiguous_iterator<In> && ...)) {
      // One index for all of them, as compilers like it best.
      const auto end = static_cast<std::ptrdiff_t>(to);
      for (auto i = static_cast<std::ptrdiff_t>(from); i != end; ++i) {
        results.first[i] = detail::invoke(f, in.first[i]...);
      }
    } else {
      std::tuple<In...> inputs(in.at(from)...);
      visit_chunk(results, from, to, [&](const Out& result) {
        std::apply(
            [&](In&... each) {
              *result = detail::invoke(f, *each...);
              (static_cast<void>(++each), ...);
            },
            inputs);
      });
    }
  };
  begin_loop(count, 1, &chunk);
  return results.at(count);
}

template <class Iterator, bool = std::input_iterator<Iterator>>
struct value_type_of {
  using type = std::iter_value_t<Iterator>;
};
template <class Iterator>
struct value_type_of<Iterator, false> {
  using type = int;  // there is an error message
};
template <class Iterator>
using value_of = typename value_type_of<Iterator>::type;

/// Checks what a scan is given.
template <class In, class Out, class Op, class T>
constexpr bool can_scan() {
  constexpr bool iterators = std::random_access_iterator<In> && std::random_access_iterator<Out>;
  static_assert(iterators, "nopal: parallel scan: input and output must be random-access iterators");
  if constexpr (iterators) {
    using element = std::iter_reference_t<In>;
    constexpr bool adds = std::is_invocable_r_v<T, Op&, T&&, element> &&
                          std::is_invocable_r_v<T, Op&, const T&, element> &&
                          std::is_invocable_r_v<T, Op&, const T&, T&&> && std::is_constructible_v<T, element>;
    static_assert(adds, "nopal: parallel scan: the operation must take a value and an element, and two "
                        "values, and return a value");
    constexpr bool writes = std::is_assignable_v<std::iter_reference_t<Out>, T&>;
    static_assert(!adds || writes, "nopal: parallel scan: values must be assignable to the output");
    static_assert(NOPAL_ABI_NAMESPACE::detail::separate_elements<Out>,
                  "nopal: parallel scan: elements of the output must not share memory, as those of "
                  "std::vector<bool> do");
    return adds && writes;
  } else {
    return false;
  }
}

template <bool Inclusive, class In, class Out, class Op, class T>
Out scan_from(const In& first, const In& last, const Out& out, Op& op, T init) {
  const std::size_t count = indexed<In>::count(first, last);
  const unless_stopped whole;
  if (!whole.goes_on()) {
    return out;
  }
  const scanning<Inclusive, T, In, Out, Op> of{first, out, op};
  static_cast<void>(scan_range(0, count, &of, std::move(init)));
  return indexed<Out>{out}.at(count);
}

/// Checks what a search is given.
template <class Iterator, class Predicate, class Projection>
constexpr bool can_search() {
  constexpr bool iterators = std::random_access_iterator<Iterator>;
  static_assert(iterators, "nopal: parallel search: the range must have random-access iterators");
  if constexpr (iterators) {
    constexpr bool tests = takes_projected<Predicate, Projection, Iterator>;
    static_assert(tests,
                  "nopal: parallel search: the predicate must be callable with an element of the range");
    if constexpr (tests) {
      constexpr bool tells = tells_projected<Predicate, Projection, Iterator>;
      static_assert(tells,
                    "nopal: parallel search: the predicate must return whether the element is looked for");
      return tells;
    }
    return tests;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

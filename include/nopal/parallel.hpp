// Patterns over fork and join: loops, reductions, scans, searches, sorts.
//
// All of them are functions that fork and join within, may be called from any thread and any
// strand, nest, and return when all is done. What they are given is used by several strands at
// once, by reference. Exceptions leave as they leave a join: the one that the serial program would
// have met first. With NOPAL_ELIDE they are the serial loops.
//
// The automatic grain: a strand forks only when some worker has nothing to do; a loop on one worker
// forks about 2 log2 n times. T1 and T∞ in the comments are work and span where f takes a constant
// time: the span holds where there are workers enough to want work at each look, and grows by what
// a strand does between two looks, at most 1/8 of its range.
#ifndef NOPAL_PARALLEL_HPP
#define NOPAL_PARALLEL_HPP

#include <nopal/detail/language.h>

#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/invoke_all.hpp>
#include <nopal/detail/loop.hpp>
#include <nopal/detail/range.hpp>
#include <nopal/detail/reduce.hpp>
#include <nopal/detail/refused.hpp>
#include <nopal/detail/scan.hpp>
#include <nopal/detail/search.hpp>
#include <nopal/detail/unless_stopped.hpp>
#include <nopal/detail/whole_range.hpp>
#include <nopal/sort.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// Calls every function, which may run at the same time, and returns a tuple of their results, in
/// order; nothing if one of them returns void. Functions that return references have references in
/// the tuple. All have returned when it returns or throws; with results all are called even in a stopped
/// `cancel_scope`. One fork for each but the last, and no
/// allocation: T1 is the sum of theirs, T∞ the longest of them.
template <class First, class... Others>
auto parallel_invoke(First&& first, Others&&... others) {
  constexpr bool callable = std::is_invocable_v<First> && (std::is_invocable_v<Others> && ...);
  static_assert(callable, "nopal: parallel_invoke: every argument must be callable without arguments");
  if constexpr (callable) {
    using functions = std::tuple<First&&, Others&&...>;
    std::tuple<detail::slot_for<First>, detail::slot_for<Others>...> results;
    functions all(std::forward<First>(first), std::forward<Others>(others)...);
    constexpr bool has_results = !std::is_void_v<std::invoke_result_t<First>> &&
                                 (!std::is_void_v<std::invoke_result_t<Others>> && ...);
    [[maybe_unused]] const std::conditional_t<has_results, detail::unless_stopped, detail::no_guard> whole(
        true);
    detail::invoke_into(results, all, std::make_index_sequence<sizeof...(Others)>());
    if constexpr (has_results) {
      return std::apply(
          [](auto&... each) {
            return std::tuple<std::invoke_result_t<First>, std::invoke_result_t<Others>...>(each.take()...);
          },
          results);
    }
  }
}

/// Calls `body(i)` for each i from `first` up to, and without, `last`; or, if `body` takes two
/// arguments, `body(from, to)` for chunks that make up the range. `first` and `last` are whole
/// numbers, of which i has the common type, or random-access iterators; a body that does not take
/// an iterator gets what it leads to. Pieces of at most `grain` positions are not split further. A
/// `grain` of 0 is the automatic one; the largest number, which -1 becomes, makes the loop serial.
/// Nothing happens if `last` is not after `first`. T1 = O(n), T∞ = O(log n + grain).
template <class First, class Last, class Body>
void parallel_for(First first, Last last, std::size_t grain, Body&& body) {
  using positions = detail::positions_of<First, Last>;
  static_assert(!std::is_void_v<positions>, "nopal: parallel_for: the first two arguments must be whole "
                                            "numbers or random-access iterators of one type");
  if constexpr (!std::is_void_v<positions>) {
    using position = typename positions::position;
    using plain_body = std::remove_reference_t<Body>;
    constexpr bool by_chunk = std::is_invocable_v<plain_body&, const position&, const position&>;
    constexpr bool by_position = detail::takes_position<plain_body, position>();
    static_assert(by_chunk || by_position, "nopal: parallel_for: the body must be callable with a number or "
                                           "iterator of the range, with an element of it, or "
                                           "with the two ends of a chunk");
    if constexpr (by_chunk || by_position) {
      const positions all{static_cast<position>(first)};
      auto chunk = [&all, &body](std::size_t from, std::size_t to) {
        if constexpr (by_position) {
          detail::visit_chunk(all, from, to, [&body](const position& at) { detail::call_at(body, at); });
        } else {
          detail::invoke(body, all.at(from), all.at(to));
        }
      };
      detail::begin_loop(positions::count(static_cast<position>(first), static_cast<position>(last)),
                         detail::grain_of(grain), &chunk);
    }
  }
}

/// The same with the automatic grain.
template <class First, class Last, class Body>
  requires detail::ends<First, Last>
void parallel_for(First first, Last last, Body&& body) {
  nopal::parallel_for(first, last, std::size_t{0}, body);
}
/// A grain behind the body does not compile.
template <class First, class Last, class Body, class Grain>
  requires(detail::integer_index<Grain> && !std::is_convertible_v<Body, std::size_t>)
void parallel_for(First /*first*/, Last /*last*/, Body&& /*body*/, Grain /*grain*/) {
  static_assert(
      refusals::accepted<Body>,
      "nopal: parallel_for: the grain stands before the body: parallel_for(first, last, grain, body)");
}

/// Calls `body` with `projection` of each element from `first` up to `last`: as parallel_for where
/// the iterators are random-access, T1 = O(n) and T∞ = O(log n); else each call is a fork and the
/// iterator is advanced by the continuation, so T∞ = O(n) for that, and the body should be worth a
/// fork. Elements of input iterators are copied.
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel, class Body,
          class Projection = detail::itself>
void parallel_for_each(Iterator first, Sentinel last, Body&& body, Projection projection = {}) {
  constexpr bool takes = detail::takes_projected<Body, Projection, Iterator>;
  static_assert(takes, "nopal: parallel_for_each: the body must be callable with an element of the range");
  if constexpr (takes) {
    detail::for_each_in(std::move(first), std::move(last), body, projection);
  }
}

/// The same for the elements of a range. Its elements must outlive the call.
template <class Range, class Body, class Projection = detail::itself>
  requires(!std::input_iterator<std::remove_cvref_t<Range>> &&
           !(std::is_array_v<std::remove_reference_t<Range>> && detail::ends<Range, Body>))
void parallel_for_each(Range&& range, Body&& body, Projection projection = {}) {
  static_assert(detail::is_range<Range>,
                "nopal: parallel_for_each: the first argument must be a range, with begin and end");
  if constexpr (detail::is_range<Range>) {
    nopal::parallel_for_each(detail::begin_of(range), detail::end_of(range), body, std::move(projection));
  }
}

/// `identity`, then `map` of each position from `first` up to `last` in order, combined by
/// `combine(left, right)`, which must be associative, and `identity` neutral for it. Positions are
/// as for parallel_for. For operations that are only nearly associative, as the addition of
/// floating-point numbers, the result depends on which strands were stolen; see the next function.
/// T1 = O(n), T∞ = O(log n). `combine` is called about n times, with rvalues; values may be
/// move-only but for the copies of `identity`.
template <class First, class Last, class T, class Map, class Combine>
  requires(detail::ends<First, Last> &&
           !detail::grain_and_no_map<T, std::decay_t<Map>, std::remove_reference_t<Combine>,
                                     typename detail::positions_between<First, Last>::position,
                                     typename detail::positions_between<First, Last>::element>)
[[nodiscard]] T parallel_reduce(First first, Last last, T identity, Map&& map, Combine&& combine) {
  return detail::with_reduction<T>(
      first, last, identity, map, combine,
      [](std::size_t count, const auto& of) { return detail::begin_reduction(count, &of); });
}

/// The same by a tree that depends on the range and `grain` alone: halves down to `grain` positions
/// at most, each of these in order from `identity`. So the result is the same for every schedule
/// and any number of workers, floating point included. `grain` should be worth a fork; 0 stands for
/// 1024, and no less than the range for a serial reduction. T1 = O(n), T∞ = O(log n + grain).
template <class First, class Last, class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce(First first, Last last, std::size_t grain, T identity, Map&& map,
                                Combine&& combine) {
  constexpr std::size_t usual = 1024;
  return detail::with_reduction<T>(
      first, last, identity, map, combine, [grain](std::size_t count, const auto& of) {
        return detail::reduce_by_halves(0, count, grain != 0 ? grain : usual, &of);
      });
}

/// `identity`, then each number or element from `first` up to `last` in order, combined by
/// `combine`: the same as with a map that leaves them as they are.
template <class First, class Last, class T, class Combine>
  requires detail::ends<First, Last>
[[nodiscard]] T parallel_reduce(First first, Last last, T identity, Combine&& combine) {
  const detail::element_itself map;
  return nopal::parallel_reduce(first, last, detail::make_wholly<T>(std::move(identity)), map, combine);
}
/// Without an identity it does not compile.
template <class First, class Last, class Map, class Combine>
  requires(detail::ends<First, Last> &&
           detail::map_and_no_identity<Map, std::remove_reference_t<Combine>,
                                       typename detail::positions_between<First, Last>::position,
                                       typename detail::positions_between<First, Last>::element>)
refusals::no_value parallel_reduce(First /*first*/, Last /*last*/, Map /*map*/, Combine&& /*combine*/) {
  static_assert(refusals::accepted<Map>,
                "nopal: parallel_reduce: the identity is missing, which stands before the map");
  return {};
}
/// The same by the tree that depends on the range and `grain` alone.
template <class First, class Last, class Grain, class T, class Combine>
  requires(detail::ends<First, Last> &&
           detail::grain_and_no_map<Grain, T, std::remove_reference_t<Combine>,
                                    typename detail::positions_between<First, Last>::position,
                                    typename detail::positions_between<First, Last>::element>)
[[nodiscard]] T parallel_reduce(First first, Last last, Grain grain, T identity, Combine&& combine) {
  const detail::element_itself map;
  return nopal::parallel_reduce(first, last, static_cast<std::size_t>(grain),
                                detail::make_wholly<T>(std::move(identity)), map, combine);
}

/// Assigns `f(element)` for each element from `first` up to `last` to the output that starts at
/// `out`, which may be `first`. Returns the end of the output. Random-access iterators; elements of
/// the output share no memory, as those of std::vector<bool> do. T1 = O(n), T∞ = O(log n).
template <class First, class Last, class Out, class F>
  requires detail::ends<First, Last>
Out parallel_transform(First&& first, Last&& last, Out out, F&& f) {
  using In = detail::iterator_between<First, Last>;
  constexpr bool iterators = std::random_access_iterator<In> && std::random_access_iterator<Out>;
  static_assert(iterators, "nopal: parallel_transform: input and output must be random-access iterators");
  if constexpr (iterators) {
    constexpr bool assigns = detail::assigns<Out, F, std::iter_reference_t<In>>();
    static_assert(assigns,
                  "nopal: parallel_transform: the function must be callable with an element, and its result "
                  "assignable to the output");
    if constexpr (assigns) {
      return detail::transform_into(out, detail::indexed<In>::count(first, last), f,
                                    detail::indexed<In>{first});
    }
  }
}

/// The same with elements of two ranges, of which the second starts at `second`.
template <class In, class Second, class Out, class F>
Out parallel_transform(In first, In last, Second second, Out out, F&& f) {
  constexpr bool iterators = std::random_access_iterator<In> && std::random_access_iterator<Second> &&
                             std::random_access_iterator<Out>;
  static_assert(iterators, "nopal: parallel_transform: inputs and output must be random-access iterators");
  if constexpr (iterators) {
    constexpr bool assigns =
        detail::assigns<Out, F, std::iter_reference_t<In>, std::iter_reference_t<Second>>();
    static_assert(
        assigns,
        "nopal: parallel_transform: the function must be callable with an element of each range, and its "
        "result assignable to the output");
    if constexpr (assigns) {
      return detail::transform_into(out, detail::indexed<In>::count(first, last), f,
                                    detail::indexed<In>{first}, detail::indexed<Second>{second});
    }
  }
}

/// Writes a result for each element from `first` up to `last` to the output that starts at `out`:
/// `op` over `init`, all elements before it, and itself, in order. Returns the end of the output.
/// `op` must be associative. Random-access iterators; the output may be the input. On one worker
/// `op` is called n times; with P workers at most 2n times: T1 = O(n), T∞ = O(log n + P), and
/// 2/(P+1) of the serial time at best. Exceptions leave the output partly written.
template <class First, class Last, class Out, class Op, class T>
  requires detail::ends_before_output<First, Last, Out>
Out parallel_inclusive_scan(First&& first, Last&& last, Out out, Op op, T init) {
  using In = detail::iterator_between<First, Last>;
  constexpr bool fits = detail::can_scan<In, Out, Op, T>();
  if constexpr (fits) {
    return detail::scan_from<true>(In(first), In(last), out, op, std::move(init));
  }
}
/// The same without `init`; values are of the input's type.
template <class First, class Last, class Out, class Op = detail::plus>
  requires detail::ends_before_output<First, Last, Out>
Out parallel_inclusive_scan(First&& first, Last&& last, Out out, Op op = {}) {
  using In = detail::iterator_between<First, Last>;
  constexpr bool fits = detail::can_scan<In, Out, Op, detail::value_of<In>>();
  if constexpr (fits) {
    const detail::unless_stopped whole;
    if (!(first < last) || !whole.goes_on()) {
      return out;
    }
    detail::value_of<In> init = *first;
    *out = init;
    return detail::scan_from<true>(In(first + 1), In(last), out + 1, op, std::move(init));
  }
}
/// The same with each result leaving its own element out: the first is `init`.
template <class First, class Last, class Out, class T, class Op = detail::plus>
  requires detail::ends_before_output<First, Last, Out>
Out parallel_exclusive_scan(First&& first, Last&& last, Out out, T init, Op op = {}) {
  using In = detail::iterator_between<First, Last>;
  constexpr bool fits = detail::can_scan<In, Out, Op, T>();
  if constexpr (fits) {
    return detail::scan_from<false>(In(first), In(last), out, op, std::move(init));
  }
}

/// The first position from `first` up to `last` whose element, projected, satisfies `predicate`;
/// `last` if there is none. The same result for every schedule. Calls `predicate` for all elements
/// before that position, and for some after it: strands that work there stop at their next look.
/// What it throws there is dropped; what it throws at an element before is thrown, the first of it.
/// T1 = O(n), T∞ = O(log n).
template <class Iterator, class Predicate, class Projection = detail::itself>
[[nodiscard]] Iterator parallel_find_if(Iterator first, Iterator last, Predicate predicate,
                                        Projection projection = {}) {
  constexpr bool fits = detail::can_search<Iterator, Predicate, Projection>();
  if constexpr (fits) {
    const detail::indexed<Iterator> all{first};
    auto test = detail::tester(all, predicate, projection);
    return all.at(detail::first_position(detail::indexed<Iterator>::count(first, last), test));
  }
}

/// Whether `predicate` holds for an element, projected, from `first` up to `last`. Strands stop at
/// their next look once it is known: with the first find if `predicate` and `projection` are
/// noexcept; else the elements before that are tested too, as it may throw there, and throws then.
/// T1 = O(n), T∞ = O(log n).
template <class Iterator, class Predicate, class Projection = detail::itself>
[[nodiscard]] bool parallel_any_of(Iterator first, Iterator last, Predicate predicate,
                                   Projection projection = {}) {
  constexpr bool fits = detail::can_search<Iterator, Predicate, Projection>();
  if constexpr (fits) {
    const detail::indexed<Iterator> all{first};
    auto test = detail::tester(all, predicate, projection);
    return detail::any_position(detail::indexed<Iterator>::count(first, last), test);
  } else {
    return false;
  }
}

/// Whether it holds for all of them.
template <class Iterator, class Predicate, class Projection = detail::itself>
[[nodiscard]] bool parallel_all_of(Iterator first, Iterator last, Predicate predicate,
                                   Projection projection = {}) {
  constexpr bool fits = detail::can_search<Iterator, Predicate, Projection>();
  if constexpr (fits) {
    auto fails = [&predicate](auto&& value) noexcept(
                     std::is_nothrow_invocable_r_v<bool, Predicate&, decltype(value)>) {
      return !static_cast<bool>(detail::invoke(predicate, std::forward<decltype(value)>(value)));
    };
    return !nopal::parallel_any_of(first, last, fails, std::move(projection));
  } else {
    return false;
  }
}

/// Whether it holds for none of them.
template <class Iterator, class Predicate, class Projection = detail::itself>
[[nodiscard]] bool parallel_none_of(Iterator first, Iterator last, Predicate predicate,
                                    Projection projection = {}) {
  return !nopal::parallel_any_of(first, last, std::move(predicate), std::move(projection));
}

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

// The same patterns over whole ranges and over blocks, which those above are written for.
#include <nopal/blocked_range.hpp>
#include <nopal/parallel_ranges.hpp>
#include <nopal/searches.hpp>

#endif

// The patterns over whole ranges: a container, an array, a span, a view.
//
// Each is the pattern of <nopal/parallel.hpp> from the beginning of the range to its end, with the
// same guarantees and costs. The range has random-access iterators, and its size is what they tell;
// it may be constant, and a temporary. It must not change meanwhile. Callables are called with
// elements; where they do not take these, with iterators.
#ifndef NOPAL_PARALLEL_RANGES_HPP
#define NOPAL_PARALLEL_RANGES_HPP

#include <nopal/detail/language.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include <nopal/blocked_range.hpp>
#include <nopal/detail/missing_arguments.hpp>
#include <nopal/detail/whole_range.hpp>
#include <nopal/parallel.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// Calls `body(element)` for each element of the range; or, if `body` takes one, with an iterator;
/// or, if it takes two, with the ends of chunks that make up the range. A grain is as for two ends.
template <class Range, class Grain, class Body>
  requires(!detail::ends<Range, Grain>)
void parallel_for(Range&& range, Grain grain, Body&& body) {
  static_assert(detail::integer_index<Grain>,
                "nopal: parallel_for: the grain must be a whole number, and stands before the body");
  if constexpr (detail::can_divide<Range>() && detail::integer_index<Grain>) {
    const auto all = detail::ends_of(range);
    detail::with_elements<detail::iterator_of<Range>>(body, [&all, grain](auto& called) {
      nopal::parallel_for(all.first, all.last, static_cast<std::size_t>(grain), called);
    });
  }
}
/// The same with the automatic grain.
template <class Range, class Body>
  requires(!detail::has_sides<Range>)
void parallel_for(Range&& range, Body&& body) {
  static_assert(!detail::ends_alone<Range, Body>, "nopal: parallel_for: after two ends comes the body");
  if constexpr (detail::ends_alone<Range, Body>) {
    return;
  } else if constexpr (detail::can_divide<Range>()) {
    nopal::parallel_for(range, std::size_t{0}, body);
  }
}

/// `identity`, then `map` of each element in order, combined by `combine`.
template <class Range, class T, class Map, class Combine>
  requires(!detail::ends<Range, T> &&
           !detail::grain_and_no_map<T, std::decay_t<Map>, std::remove_reference_t<Combine>,
                                     typename detail::positions_in<Range>::position,
                                     typename detail::positions_in<Range>::element>)
[[nodiscard]] T parallel_reduce(Range&& range, T identity, Map&& map, Combine&& combine) {
  if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return detail::with_elements<detail::iterator_of<Range>>(map, [&](auto& called) {
      return nopal::parallel_reduce(all.first, all.last, detail::make_wholly<T>(std::move(identity)), called,
                                    combine);
    });
  }
}
/// The same by the tree that depends on the size and `grain` alone.
template <class Range, class Grain, class T, class Map, class Combine>
  requires(!detail::ends<Range, Grain>)
[[nodiscard]] T parallel_reduce(Range&& range, Grain grain, T identity, Map&& map, Combine&& combine) {
  static_assert(detail::integer_index<Grain>, "nopal: parallel_reduce: the grain must be a whole number");
  if constexpr (detail::can_divide<Range>() && detail::integer_index<Grain>) {
    const auto all = detail::ends_of(range);
    return detail::with_elements<detail::iterator_of<Range>>(map, [&](auto& called) {
      return nopal::parallel_reduce(all.first, all.last, static_cast<std::size_t>(grain),
                                    detail::make_wholly<T>(std::move(identity)), called, combine);
    });
  }
}
/// `identity`, then each element in order, combined by `combine`.
template <class Range, class T, class Combine>
[[nodiscard]] T parallel_reduce(Range&& range, T identity, Combine&& combine) {
  if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_reduce(all.first, all.last, detail::make_wholly<T>(std::move(identity)), combine);
  }
}
/// The same by the tree that depends on the size and `grain` alone.
template <class Range, class Grain, class T, class Combine>
  requires(!detail::ends<Range, Grain> &&
           detail::grain_and_no_map<Grain, T, std::remove_reference_t<Combine>,
                                    typename detail::positions_in<Range>::position,
                                    typename detail::positions_in<Range>::element>)
[[nodiscard]] T parallel_reduce(Range&& range, Grain grain, T identity, Combine&& combine) {
  if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_reduce(all.first, all.last, grain, detail::make_wholly<T>(std::move(identity)),
                                  combine);
  }
}

/// Without an identity it does not compile: a range and how to combine,
template <class Range, class Combine>
refusals::no_value parallel_reduce(Range&& /*range*/, Combine&& /*combine*/) {
  static_assert(refusals::accepted<Range>,
                "nopal: parallel_reduce: after the range come an identity and how to combine");
  return {};
}
/// two ends and how to combine,
template <class First, class Last, class Combine>
  requires(!detail::is_range<First>)
refusals::no_value parallel_reduce(First&& /*first*/, Last /*last*/, Combine&& /*combine*/) {
  static_assert(refusals::accepted<First>,
                "nopal: parallel_reduce: the first argument must be a range, or the first of two ends, after "
                "which come an identity and how to combine");
  return {};
}
/// or a map and how to combine.
template <class Range, class Map, class Combine>
  requires(detail::is_range<Range> &&
           detail::map_and_no_identity<Map, std::remove_reference_t<Combine>,
                                       typename detail::positions_in<Range>::position,
                                       typename detail::positions_in<Range>::element>)
refusals::no_value parallel_reduce(Range&& range, Map map, Combine&& combine) {
  return nopal::parallel_reduce(detail::begin_of(range), detail::end_of(range), map, combine);
}

/// Assigns `f(element)` for each element of the range to the output that starts at `out`. Returns
/// the end of the output.
template <class Range, class Out, class F>
Out parallel_transform(Range&& range, Out out, F&& f) {
  static_assert(!detail::ends_alone<Range, Out>,
                "nopal: parallel_transform: after two ends come where the output begins, and the function");
  if constexpr (detail::ends_alone<Range, Out>) {
    return out;
  } else if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_transform(all.first, all.last, out, f);
  }
}
/// The same with elements of two ranges, up to the end of the shorter one.
template <class Range, class Second, class Out, class F>
  requires(!detail::ends<Range, Second>)
Out parallel_transform(Range&& range, Second&& second, Out out, F&& f) {
  if constexpr (detail::can_divide<Range>() && detail::can_divide<Second>()) {
    const auto all = detail::ends_of(range);
    const auto others = detail::ends_of(second);
    const auto count = static_cast<std::size_t>(all.last - all.first);
    const auto other_count = static_cast<std::size_t>(others.last - others.first);
    using iterator = detail::iterator_of<Range>;
    const iterator last = detail::indexed<iterator>{all.first}.at(count < other_count ? count : other_count);
    return nopal::parallel_transform(all.first, last, others.first, out, f);
  }
}

/// Writes a result for each element to the output that starts at `out`: `op` over `init`, all
/// elements before it, and itself, in order. Returns the end of the output.
template <class Range, class Out, class Op, class T>
  requires(!detail::ends_before_output<Range, Out, Op>)
std::decay_t<Out> parallel_inclusive_scan(Range&& range, Out&& out, Op op, T init) {
  if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_inclusive_scan(all.first, all.last, std::decay_t<Out>(out), std::move(op),
                                          std::move(init));
  }
}
/// The same without `init`; values are of the input's type.
template <class Range, class Out, class Op = detail::plus>
  requires(!detail::ends_before_output<Range, Out, Op>)
std::decay_t<Out> parallel_inclusive_scan(Range&& range, Out&& out, Op op = {}) {
  if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_inclusive_scan(all.first, all.last, std::decay_t<Out>(out), std::move(op));
  }
}
/// The same with each result leaving its own element out: the first is `init`.
template <class Range, class Out, class T, class Op = detail::plus>
  requires(!detail::ends_before_output<Range, Out, T>)
std::decay_t<Out> parallel_exclusive_scan(Range&& range, Out&& out, T init, Op op = {}) {
  if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_exclusive_scan(all.first, all.last, std::decay_t<Out>(out), std::move(init),
                                          std::move(op));
  }
}

/// The first position whose element, projected, satisfies `predicate`; the end if there is none. The
/// range must outlive the call: an lvalue, or a view such as a span.
template <class Range, class Predicate, class Projection = detail::itself>
  requires(!detail::ends<Range, Predicate>)
[[nodiscard]] auto parallel_find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  if constexpr (detail::can_divide<Range>() && detail::keeps_iterators<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_find_if(all.first, all.last, std::move(predicate), std::move(projection));
  }
}
/// Whether `predicate` holds for an element, projected.
template <class Range, class Predicate, class Projection = detail::itself>
  requires(!detail::ends<Range, Predicate>)
[[nodiscard]] bool parallel_any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_any_of(all.first, all.last, std::move(predicate), std::move(projection));
  } else {
    return false;
  }
}
/// Whether it holds for all of them.
template <class Range, class Predicate, class Projection = detail::itself>
  requires(!detail::ends<Range, Predicate>)
[[nodiscard]] bool parallel_all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  if constexpr (detail::can_divide<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_all_of(all.first, all.last, std::move(predicate), std::move(projection));
  } else {
    return false;
  }
}
/// Whether it holds for none of them.
template <class Range, class Predicate, class Projection = detail::itself>
  requires(!detail::ends<Range, Predicate>)
[[nodiscard]] bool parallel_none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return !nopal::parallel_any_of(range, std::move(predicate), std::move(projection));
}

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// Searches that stop once they have found what they look for, over ranges and trees, and races between
// ways to find the same. Included by <nopal/parallel.hpp>.
#ifndef NOPAL_SEARCHES_HPP
#define NOPAL_SEARCHES_HPP

#include <nopal/detail/language.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include <nopal/detail/best_search.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/race.hpp>
#include <nopal/detail/range.hpp>
#include <nopal/detail/refused.hpp>
#include <nopal/detail/search.hpp>
#include <nopal/detail/tree_search.hpp>
#include <nopal/detail/whole_range.hpp>
#include <nopal/parallel.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// As `parallel_find_if`: the first position whose element, projected, satisfies `predicate`, which is what
/// the serial search finds, whatever the schedule; `last` if there is none. T1 = O(n), T∞ = O(log n).
template <class Iterator, class Predicate, class Projection = detail::itself>
  requires(detail::ends<Iterator, Iterator>)
[[nodiscard]] Iterator parallel_find_first(Iterator first, Iterator last, Predicate predicate,
                                           Projection projection = {}) {
  return nopal::parallel_find_if(first, last, std::move(predicate), std::move(projection));
}

/// Some position whose element, projected, satisfies `predicate`, as a rule the one that is found first;
/// `last` if there is none. Strands stop at their next look once one is found: it calls `predicate` for
/// fewer elements than `parallel_find_first`, which goes on before the find. What `predicate` throws is
/// thrown. T1 = O(n), T∞ = O(log n).
template <class Iterator, class Predicate, class Projection = detail::itself>
  requires(detail::ends<Iterator, Iterator>)
[[nodiscard]] Iterator parallel_find_any(Iterator first, Iterator last, Predicate predicate,
                                         Projection projection = {}) {
  constexpr bool fits = detail::can_search<Iterator, Predicate, Projection>();
  if constexpr (fits) {
    const detail::indexed<Iterator> all{first};
    auto test = detail::tester(all, predicate, projection);
    return all.at(detail::some_position(detail::indexed<Iterator>::count(first, last), test));
  }
}

/// The same over a whole range, which must outlive the call: an lvalue, or a view such as a span.
template <class Range, class Predicate, class Projection = detail::itself>
  requires(detail::is_range<Range> && !detail::ends<Range, Predicate> &&
           !detail::is_tree<Range, Predicate, Projection>)
[[nodiscard]] auto parallel_find_first(Range&& range, Predicate predicate, Projection projection = {}) {
  if constexpr (detail::can_divide<Range>() && detail::keeps_iterators<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_find_first(all.first, all.last, std::move(predicate), std::move(projection));
  }
}
/// The same.
template <class Range, class Predicate, class Projection = detail::itself>
  requires(detail::is_range<Range> && !detail::ends<Range, Predicate> &&
           !detail::is_tree<Range, Predicate, Projection>)
[[nodiscard]] auto parallel_find_any(Range&& range, Predicate predicate, Projection projection = {}) {
  if constexpr (detail::can_divide<Range>() && detail::keeps_iterators<Range>()) {
    const auto all = detail::ends_of(range);
    return nopal::parallel_find_any(all.first, all.last, std::move(predicate), std::move(projection));
  }
}

/// The first node of a tree, in the order of a depth-first search from `root`, that `accept(node)` holds for;
/// none if there is no such node. The serial answer, whatever the schedule.
///
/// `expand(node)` returns the node's children as a range, in order, of which nodes are copied; it is called for
/// nodes that are not accepted. Both are called for all nodes before the answer, and for some behind it, and by several
/// strands at once. What they throw behind the answer is dropped, as the serial search would not have come
/// there. One fork for each child; a strand that is behind a find ends at its next node.
template <class Node, class Expand, class Accept>
  requires(detail::is_tree<Node, Expand, Accept>)
[[nodiscard]] std::optional<std::decay_t<Node>> parallel_find_first(Node&& root, Expand expand,
                                                                    Accept accept) {
  return detail::first_node<std::decay_t<Node>>(std::forward<Node>(root), expand, accept);
}

/// Some node that `accept(node)` holds for, as a rule the one that is found first; none if there is no such
/// node. As `parallel_find_first`, but that all strands end at their next node once one is found. What
/// `expand` and `accept` throw is thrown.
template <class Node, class Expand, class Accept>
  requires(detail::is_tree<Node, Expand, Accept>)
[[nodiscard]] std::optional<std::decay_t<Node>> parallel_find_any(Node&& root, Expand expand, Accept accept) {
  return detail::some_node<std::decay_t<Node>>(std::forward<Node>(root), expand, accept);
}

/// The best node of a tree, by best-first branch and bound; none if no node has a value.
///
/// `value(node)` is what the node is worth as an answer, or an empty `std::optional` where it is none; of the same
/// type as the bound, or a `std::optional` of it.
/// `bound(node)` is the most that it, or any node below it, can be worth: no child's is better than its
/// parent's. `expand(node)` returns the children as a range. `better(a, b)`: a is better than b; less by
/// default, for costs; `std::greater<>()` for gains. Nodes whose bound is no better than the best value so
/// far are left out, as is all below them. Of several best nodes it is one, and which depends on the schedule.
///
/// On one worker nodes are expanded in the order of their bounds, so no other search of that kind
/// expands fewer. Several strands also expand some that one would have left out. Open nodes are kept in one
/// heap under a lock: made for nodes that take microseconds. `better` runs under that lock, on one thread: it may
/// fork, but not in an arena of fewer seats than threads, as others stand still in theirs meanwhile, and it must not
/// wait for them. What the functions throw is thrown, once all strands have ended; where several throw, one of that. In a stopped scope it ends at the next node, and the answer means nothing, or `stopped` is thrown as by
/// `poll`.
template <class Node, class Expand, class Value, class Bound, class Better = std::less<>>
[[nodiscard]] std::optional<std::decay_t<Node>> parallel_find_best(Node&& root, Expand expand, Value value,
                                                                   Bound bound, Better better = {}) {
  using node = std::decay_t<Node>;
  if constexpr (detail::can_find_best<node, Expand, Value, Bound, Better>()) {
    return detail::best_search<node, Expand, Value, Bound, Better>(expand, value, bound, better)
        .run(node(std::forward<Node>(root)));
  } else {
    return std::nullopt;
  }
}

/// What else they are called with does not compile.
template <class... Arguments>
refusals::no_value parallel_find_first(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_find_first takes two random-access iterators of one type and a predicate, a range "
      "and a predicate, or the root of a tree, a function that returns a node's children as a range, and "
      "one that accepts nodes");
  return {};
}
/// The same.
template <class... Arguments>
refusals::no_value parallel_find_any(Arguments&&... /*arguments*/) {
  static_assert(
      refusals::accepted<Arguments...>,
      "nopal: parallel_find_any takes two random-access iterators of one type and a predicate, a range "
      "and a predicate, or the root of a tree, a function that returns a node's children as a range, and "
      "one that accepts nodes");
  return {};
}

/// The same.
template <class... Arguments>
  requires(sizeof...(Arguments) < 4 || sizeof...(Arguments) > 5)
refusals::no_value parallel_find_best(Arguments&&... /*arguments*/) {
  static_assert(refusals::accepted<Arguments...>,
                "nopal: parallel_find_best takes the root of a tree, a function that returns a node's "
                "children as a range, the value of a node, the bound of a node, and a comparison or none");
  return {};
}

/// Calls every function, which may run at the same time, and returns what the first of them returns that
/// is done: of several ways to compute the same, the fastest. The number of that function if they return
/// nothing, the first being 0.
///
/// Once one has returned, those that have not begun do not begin, forks in those that run do not begin
/// their children, and `stop_requested()` says so there. All that began have returned when it returns. A
/// function that throws has not won. If all throw, what the first of them threw is thrown. On one
/// worker the first function wins. In a stopped `cancel_scope` only the first function is called.
template <class First, class... Others>
auto parallel_race(First&& first, Others&&... others) {
  constexpr bool callable = std::is_invocable_v<First> && (std::is_invocable_v<Others> && ...);
  static_assert(callable, "nopal: parallel_race: every argument must be callable without arguments");
  if constexpr (callable) {
    constexpr bool alike = detail::have_race_result<First, Others...>();
    static_assert(alike,
                  "nopal: parallel_race: what the functions return must have a common type that can be "
                  "moved, or be void for all of them");
    if constexpr (alike) return detail::race(std::forward<First>(first), std::forward<Others>(others)...);
  }
}

/// Without a function nothing can be called.
template <class... Nothing>
  requires(sizeof...(Nothing) == 0)
refusals::no_value parallel_race(Nothing... /*none*/) {
  static_assert(refusals::accepted<Nothing...>, "nopal: parallel_race takes one function or more");
  return {};
}

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// Reductions.
#ifndef NOPAL_COMPAT_TBB_PARALLEL_REDUCE_H
#define NOPAL_COMPAT_TBB_PARALLEL_REDUCE_H

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <nopal/detail/whole_calls.hpp>

#include "blocked_range.h"
#include "detail/halving.h"
#include "partitioner.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// A reduction by halving. What was found before a cancellation is part of the result: the parallel algorithms
/// of libstdc++ rely on it (is_sorted, for one). Where a half is complete before the other begins, the same body goes on,
/// unless the result has to be the same at each run: then each half has a body of its own.
template <class Range, class Body, bool deterministic, bool in_proportion>
class halved_reduction {
public:
  halved_reduction(const algorithm& self, bool offers)
      : self_(self), serial_(self.serial()), offers_(offers) {}

  // NOLINTNEXTLINE(misc-no-recursion): by halves
  void run(Range& range, Body& body, int halvings_left) const {
    if (halvings_left <= 0 || !range.is_divisible() || self_.is_cancelled()) {
      if (offers_) {
        offer_halves();
      }
      call_body(range, body);
      return;
    }
    half<Range, in_proportion> right(range);
    go_on(range, right.get(), body, less_one(halvings_left),
          [&](Range& part, Body& with, int left) { run(part, with, left); });
  }

  // NOLINTNEXTLINE(misc-no-recursion): by halves
  void run_parts(Range& range, Body& body, std::size_t parts) const {
    if (parts <= 1 || !range.is_divisible() || self_.is_cancelled()) {
      call_body(range, body);
      return;
    }
    const std::size_t right_parts = parts / 2;
    right_part<Range> right(range, parts - right_parts, right_parts);
    go_on(range, right.get(), body, 0, [&](Range& part, Body& with, int) {
      run_parts(part, with, &part == &range ? parts - right_parts : right_parts);
    });
  }

private:
  /// One copy for all ways that come to it: the compiler places the program's loop with care once, and then makes copies without.
  [[gnu::noinline]] void call_body(Range& range, Body& body) const {
    self_.call([&] { on_own(range, body); });
  }
  /// Nothing stops what a split forks: the body is joined whatever is cancelled, so it has to be whole.
  void split_off(std::optional<Body>& right, Body& body) const {
    if (!self_.is_cancelled()) {
      self_.call_anyway([&] { right.emplace(body, split()); });
    }
  }
  template <class Run>
  void go_on(Range& left, Range& right, Body& body, int halvings_left, const Run& run_part) const {
    if (serial_ && !deterministic) {
      run_part(left, body, halvings_left);
      run_part(right, body, halvings_left);
      return;
    }
    if (serial_) {
      std::optional<Body> right_body;
      split_off(right_body, body);
      run_part(left, body, halvings_left);
      if (right_body) {
        run_part(right, *right_body, halvings_left);
        self_.call_anyway([&] { body.join(*right_body); });
      }
      return;
    }
    completion left_done;
    std::optional<Body> right_body;
    if constexpr (deterministic) {
      split_off(right_body, body);
    }
    nopal::scope both;
    both.fork([&] {
      run_part(left, body, halvings_left);
      left_done.set();
    });
    NOPAL_DETAIL_TRY {
#ifdef NOPAL_CHECKED
      constexpr bool goes_on_with_it = false;  // as where the continuation was stolen
#else
      const bool goes_on_with_it = !deterministic && left_done.is_set();
#endif
      if (goes_on_with_it) {
        run_part(right, body, halvings_left);
      } else {
        if constexpr (!deterministic) {
          split_off(right_body, body);
        }
        if (right_body) {
          run_part(right, *right_body, deterministic ? halvings_left : after_steal(halvings_left));
        }
      }
    }
    NOPAL_DETAIL_JOIN_IF_THROWN(both)
    both.join();
    if (right_body) {
      self_.call_anyway([&] { body.join(*right_body); });
    }
  }

  const algorithm& self_;
  const bool serial_;
  const bool offers_;
};

template <bool deterministic, class Range, class Body, class Partitioner>
void run_reduction(Range range, Body& body, const Partitioner& partitioner, task_group_context& context) {
  if (range.empty()) {
    return;
  }
  algorithm self(context);
  const halved_reduction<Range, Body, deterministic, halves_in_proportion<Partitioner>> reduction(
      self, offers_halves<Partitioner>(self));
  if constexpr (std::is_same_v<std::remove_cv_t<Partitioner>, static_partitioner>) {
    reduction.run_parts(range, body, static_cast<std::size_t>(self.concurrency()));
  } else {
    reduction.run(range, body, halvings(self, partitioner));
  }
}

/// The body made of functions. Their values are copied and assigned wholly; what the function itself does may be cut
/// short.
template <class Range, class Value, class Function, class Reduction>
class function_body {
public:
  function_body(const Value& identity, const Function& function, const Reduction& reduction)
      : identity_(identity), function_(function), reduction_(reduction),
        value_(nopal::NOPAL_MODE_NAMESPACE::detail::make_wholly<Value>(identity)) {}
  function_body(function_body& other, split)
      : function_body(other.identity_, other.function_, other.reduction_) {}

  void operator()(const Range& range) {
    if constexpr (nopal::NOPAL_MODE_NAMESPACE::detail::copies_in_place<Value>) {
      value_ = std::invoke(function_, range, std::move(value_));
    } else {
      auto&& value = std::invoke(function_, range, std::move(value_));
      nopal::NOPAL_MODE_NAMESPACE::detail::whole_calls assigning;
      assigning.call([&] { value_ = std::forward<decltype(value)>(value); });
    }
  }
  void join(function_body& right) {
    value_ = std::invoke(reduction_, std::move(value_), std::move(right.value_));
  }
  Value take() { return nopal::NOPAL_MODE_NAMESPACE::detail::make_wholly<Value>(std::move(value_)); }

private:
  const Value& identity_;
  const Function& function_;
  const Reduction& reduction_;
  Value value_;
};

template <bool deterministic, class Range, class Value, class Function, class Reduction, class Partitioner>
Value reduce_functions(const Range& range, const Value& identity, const Function& function,
                       const Reduction& reduction, const Partitioner& partitioner,
                       task_group_context& context) {
  function_body<Range, Value, Function, Reduction> body(identity, function, reduction);
  run_reduction<deterministic>(range, body, partitioner, context);
  return body.take();
}

template <class T>
concept a_partitioner = is_partitioner<std::remove_cvref_t<T>>;

}  // namespace nopal_detail

/// Calls `body(part)` for parts of `range`, in order where nothing runs at the same time, else with
/// bodies made by `Body(body, split())`, which `body.join(right)` brings together in order.
///
/// `join` must be associative; it need not commute. Which parts go together depends on the
/// schedule. Work and span as with parallel_for, beside splits and joins, one for each steal at
/// most. Exceptions and threads as with parallel_for.
template <class Range, class Body>
void parallel_reduce(const Range& range, Body& body) {
  task_group_context context;
  nopal_detail::run_reduction<false>(range, body, auto_partitioner(), context);
}
template <class Range, class Body>
void parallel_reduce(const Range& range, Body& body, task_group_context& context) {
  nopal_detail::run_reduction<false>(range, body, auto_partitioner(), context);
}
template <class Range, class Body, nopal_detail::a_partitioner Partitioner>
void parallel_reduce(const Range& range, Body& body, Partitioner&& partitioner) {
  task_group_context context;
  nopal_detail::run_reduction<false>(range, body, partitioner, context);
}
template <class Range, class Body, nopal_detail::a_partitioner Partitioner>
void parallel_reduce(const Range& range, Body& body, Partitioner&& partitioner, task_group_context& context) {
  nopal_detail::run_reduction<false>(range, body, partitioner, context);
}

/// The same with functions: `function(part, value)` continues a value, `reduction(left, right)`
/// brings two together. Returns the value of the whole range; `identity` where that is empty.
template <class Range, class Value, class Function, class Reduction>
[[nodiscard]] Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                                    const Reduction& reduction) {
  task_group_context context;
  return nopal_detail::reduce_functions<false>(range, identity, function, reduction, auto_partitioner(),
                                               context);
}
template <class Range, class Value, class Function, class Reduction>
[[nodiscard]] Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                                    const Reduction& reduction, task_group_context& context) {
  return nopal_detail::reduce_functions<false>(range, identity, function, reduction, auto_partitioner(),
                                               context);
}
template <class Range, class Value, class Function, class Reduction, nopal_detail::a_partitioner Partitioner>
[[nodiscard]] Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                                    const Reduction& reduction, Partitioner&& partitioner) {
  task_group_context context;
  return nopal_detail::reduce_functions<false>(range, identity, function, reduction, partitioner, context);
}
template <class Range, class Value, class Function, class Reduction, nopal_detail::a_partitioner Partitioner>
[[nodiscard]] Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                                    const Reduction& reduction, Partitioner&& partitioner,
                                    task_group_context& context) {
  return nopal_detail::reduce_functions<false>(range, identity, function, reduction, partitioner, context);
}

/// A reduction whose parts, and what is joined with what, are the same at each run: with
/// simple_partitioner, the default, on any number of workers. A split and a join for each part.
template <class Range, class Body>
void parallel_deterministic_reduce(const Range& range, Body& body) {
  task_group_context context;
  nopal_detail::run_reduction<true>(range, body, simple_partitioner(), context);
}
template <class Range, class Body>
void parallel_deterministic_reduce(const Range& range, Body& body, task_group_context& context) {
  nopal_detail::run_reduction<true>(range, body, simple_partitioner(), context);
}
template <class Range, class Body, nopal_detail::a_partitioner Partitioner>
void parallel_deterministic_reduce(const Range& range, Body& body, Partitioner&& partitioner) {
  task_group_context context;
  nopal_detail::run_reduction<true>(range, body, partitioner, context);
}
template <class Range, class Body, nopal_detail::a_partitioner Partitioner>
void parallel_deterministic_reduce(const Range& range, Body& body, Partitioner&& partitioner,
                                   task_group_context& context) {
  nopal_detail::run_reduction<true>(range, body, partitioner, context);
}
template <class Range, class Value, class Function, class Reduction>
[[nodiscard]] Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                                  const Function& function, const Reduction& reduction) {
  task_group_context context;
  return nopal_detail::reduce_functions<true>(range, identity, function, reduction, simple_partitioner(),
                                              context);
}
template <class Range, class Value, class Function, class Reduction>
[[nodiscard]] Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                                  const Function& function, const Reduction& reduction,
                                                  task_group_context& context) {
  return nopal_detail::reduce_functions<true>(range, identity, function, reduction, simple_partitioner(),
                                              context);
}
template <class Range, class Value, class Function, class Reduction, nopal_detail::a_partitioner Partitioner>
[[nodiscard]] Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                                  const Function& function, const Reduction& reduction,
                                                  Partitioner&& partitioner) {
  task_group_context context;
  return nopal_detail::reduce_functions<true>(range, identity, function, reduction, partitioner, context);
}
template <class Range, class Value, class Function, class Reduction, nopal_detail::a_partitioner Partitioner>
[[nodiscard]] Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                                  const Function& function, const Reduction& reduction,
                                                  Partitioner&& partitioner, task_group_context& context) {
  return nopal_detail::reduce_functions<true>(range, identity, function, reduction, partitioner, context);
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

// Loops.
#ifndef NOPAL_COMPAT_TBB_PARALLEL_FOR_H
#define NOPAL_COMPAT_TBB_PARALLEL_FOR_H

#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "blocked_range.h"
#include "detail/exception.h"
#include "detail/halving.h"
#include "partitioner.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// A loop over a range, by halving. `Leaf` is called with whole ranges.
template <class Range, class Leaf, bool in_proportion>
class halved_loop {
public:
  halved_loop(const algorithm& self, const Leaf& leaf, bool offers)
      : self_(self), leaf_(leaf), serial_(self.serial()), offers_(offers) {}

  /// Halves until the range is at its grain, or often enough.
  // NOLINTNEXTLINE(misc-no-recursion): by halves
  void run(Range& range, int halvings_left) const {
    if (halvings_left <= 0 || !range.is_divisible() || self_.is_cancelled()) {
      if (offers_) {
        offer_halves();
      }
      call_leaf(range);
      return;
    }
    half<Range, in_proportion> right(range);
    if (serial_) {
      run(range, less_one(halvings_left));
      run(right.get(), less_one(halvings_left));
      return;
    }
    completion left_done;
    nopal::scope both;
    both.fork([&, halvings_left] {
      run(range, less_one(halvings_left));
      left_done.set();
    });
    NOPAL_DETAIL_TRY {
      run(right.get(), left_done.is_set() ? less_one(halvings_left) : after_steal(less_one(halvings_left)));
    }
    NOPAL_DETAIL_JOIN_IF_THROWN(both)
    both.join();
  }

  /// Cuts into as many parts, of about the same size. Each is for the thread of its index, as far
  /// as the caller's arena has indices to give.
  // NOLINTNEXTLINE(misc-no-recursion): by halves
  void run_parts(Range& range, std::size_t parts, int first = 0) const {
    if (parts <= 1 || !range.is_divisible() || self_.is_cancelled()) {
      call_leaf(range, first);
      return;
    }
    const std::size_t right_parts = parts / 2;
    const int right_first = first + static_cast<int>(parts - right_parts);
    right_part<Range> right(range, parts - right_parts, right_parts);
    if (serial_) {
      run_parts(range, parts - right_parts, first);
      run_parts(right.get(), right_parts, right_first);
      return;
    }
    nopal::scope both;
    both.fork([&, parts, right_parts, first] { run_parts(range, parts - right_parts, first); });
    NOPAL_DETAIL_TRY { run_parts(right.get(), right_parts, right_first); }
    NOPAL_DETAIL_JOIN_IF_THROWN(both)
    both.join();
  }

private:
  /// One copy for all ways that come to it, as in reductions.
  [[gnu::noinline]] void call_leaf(Range& range, int wanted_index = -1) const {
    self_.call([&] { on_own(range, [&](Range& part) { std::invoke(leaf_, part); }); }, wanted_index);
  }

  const algorithm& self_;
  const Leaf& leaf_;
  const bool serial_;
  const bool offers_;
};

template <class Range, class Leaf, class Partitioner>
void run_loop(Range range, const Leaf& leaf, const Partitioner& partitioner, task_group_context& context) {
  if (range.empty()) {
    return;
  }
  algorithm self(context);
  const halved_loop<Range, Leaf, halves_in_proportion<Partitioner>> loop(self, leaf,
                                                                         offers_halves<Partitioner>(self));
  if constexpr (std::is_same_v<std::remove_cv_t<Partitioner>, static_partitioner>) {
    loop.run_parts(range, static_cast<std::size_t>(self.concurrency()));
  } else {
    loop.run(range, halvings(self, partitioner));
  }
}

/// The indices first, first + step, ... below last, as numbers from 0.
template <class Index, class Function, class Partitioner>
void run_indices(Index first, Index last, Index step, const Function& f, const Partitioner& partitioner,
                 task_group_context& context) {
  if (!(Index(0) < step)) {
    throw_exception(std::invalid_argument("nopal: tbb::parallel_for: the step is not positive"));
  }
  if (!(first < last)) {
    return;
  }
  // The distance of signed numbers need not be one of their type.
  const auto steps = [&] {
    if constexpr (std::is_integral_v<Index>) {
      using number = std::make_unsigned_t<Index>;
      return static_cast<std::size_t>(
          static_cast<number>(static_cast<number>(last) - static_cast<number>(first) - 1U) /
              static_cast<number>(step) +
          std::size_t{1});
    } else if constexpr (requires { static_cast<std::size_t>((last - first - Index(1)) / step); }) {
      return static_cast<std::size_t>((last - first - Index(1)) / step) + 1;
    } else {  // a distance is of another type than an index
      return static_cast<std::size_t>(Index(last - first - 1) / step - Index(0)) + 1;
    }
  }();
  const auto leaf = [&](const blocked_range<std::size_t>& part) {
    auto at = static_cast<Index>(first + static_cast<Index>(part.begin()) * step);
    for (std::size_t count = part.size(); count != 0; --count) {
      std::invoke(f, static_cast<Index>(at));
      // Not past the last, where the next may not be a number of the type.
      if (count != 1) {
        at = static_cast<Index>(at + step);
      }
    }
  };
  run_loop(blocked_range<std::size_t>(0, steps), leaf, partitioner, context);
}

}  // namespace nopal_detail

/// Calls `body(part)` for parts of `range` that together are all of it.
///
/// Work: that of the calls and of cutting. Span: logarithmic in the number of parts, and the
/// longest call. An exception cancels the rest and is thrown again here. Each call of `body` stays
/// on its thread, whatever it forks. So does the function that calls this, unless it is a strand of
/// Nopal's own interface. `body` is called by several threads at once, and not copied.
template <class Range, class Body>
void parallel_for(const Range& range, const Body& body) {
  task_group_context context;
  nopal_detail::run_loop(range, body, auto_partitioner(), context);
}
/// The same, cancelled with `context`.
template <class Range, class Body>
void parallel_for(const Range& range, const Body& body, task_group_context& context) {
  nopal_detail::run_loop(range, body, auto_partitioner(), context);
}
/// The same, cut as the partitioner says.
template <class Range, class Body, class Partitioner>
  requires nopal_detail::is_partitioner<std::remove_cvref_t<Partitioner>>
void parallel_for(const Range& range, const Body& body, Partitioner&& partitioner) {
  task_group_context context;
  nopal_detail::run_loop(range, body, partitioner, context);
}
/// The same, cancelled with `context`.
template <class Range, class Body, class Partitioner>
  requires nopal_detail::is_partitioner<std::remove_cvref_t<Partitioner>>
void parallel_for(const Range& range, const Body& body, Partitioner&& partitioner,
                  task_group_context& context) {
  nopal_detail::run_loop(range, body, partitioner, context);
}

/// Calls `f(i)` for i = first, first + step, ... below last. Throws std::invalid_argument if `step`
/// is not positive.
template <class Index, class Function, class Partitioner>
  requires nopal_detail::is_partitioner<std::remove_cvref_t<Partitioner>>
void parallel_for(Index first, Index last, Index step, const Function& f, Partitioner&& partitioner,
                  task_group_context& context) {
  nopal_detail::run_indices(first, last, step, f, partitioner, context);
}
template <class Index, class Function, class Partitioner>
  requires nopal_detail::is_partitioner<std::remove_cvref_t<Partitioner>>
void parallel_for(Index first, Index last, Index step, const Function& f, Partitioner&& partitioner) {
  task_group_context context;
  nopal_detail::run_indices(first, last, step, f, partitioner, context);
}
template <class Index, class Function>
void parallel_for(Index first, Index last, Index step, const Function& f, task_group_context& context) {
  nopal_detail::run_indices(first, last, step, f, auto_partitioner(), context);
}
template <class Index, class Function>
  requires std::is_invocable_v<const Function&, Index>
void parallel_for(Index first, Index last, Index step, const Function& f) {
  task_group_context context;
  nopal_detail::run_indices(first, last, step, f, auto_partitioner(), context);
}
/// With a step of 1.
template <class Index, class Function, class Partitioner>
  requires nopal_detail::is_partitioner<std::remove_cvref_t<Partitioner>>
void parallel_for(Index first, Index last, const Function& f, Partitioner&& partitioner,
                  task_group_context& context) {
  nopal_detail::run_indices(first, last, static_cast<Index>(1), f, partitioner, context);
}
template <class Index, class Function, class Partitioner>
  requires(nopal_detail::is_partitioner<std::remove_cvref_t<Partitioner>> &&
           std::is_invocable_v<const Function&, Index>)
void parallel_for(Index first, Index last, const Function& f, Partitioner&& partitioner) {
  task_group_context context;
  nopal_detail::run_indices(first, last, static_cast<Index>(1), f, partitioner, context);
}
template <class Index, class Function>
  requires std::is_invocable_v<const Function&, Index>
void parallel_for(Index first, Index last, const Function& f, task_group_context& context) {
  nopal_detail::run_indices(first, last, static_cast<Index>(1), f, auto_partitioner(), context);
}
template <class Index, class Function>
  requires std::is_invocable_v<const Function&, Index>
void parallel_for(Index first, Index last, const Function& f) {
  task_group_context context;
  nopal_detail::run_indices(first, last, static_cast<Index>(1), f, auto_partitioner(), context);
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

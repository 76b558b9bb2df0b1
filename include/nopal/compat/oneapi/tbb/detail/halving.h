// Recursive halving of a range, the first half being the child.
#ifndef NOPAL_COMPAT_TBB_DETAIL_HALVING_H
#define NOPAL_COMPAT_TBB_DETAIL_HALVING_H

#include <bit>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "../partitioner.h"
#include "completion.h"
#include "context.h"
#include "scope.h"
#include "split.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// Pieces that a range is cut into per worker, so that unequal ones even out; where continuations
/// are stolen it is cut further.
inline constexpr unsigned pieces_per_worker = 16;

/// How often to halve at most. No limit: down to the range's own grain.
inline constexpr int halve_fully = std::numeric_limits<int>::max();

template <class Partitioner>
int halvings(const algorithm& self, const Partitioner&) {
  using partitioner = std::remove_cv_t<Partitioner>;
#ifdef NOPAL_CHECKED
  static_cast<void>(self);
  return halve_fully;  // as far as any schedule divides it
#endif
  if constexpr (std::is_same_v<partitioner, simple_partitioner>) {
    return halve_fully;
  } else {
    const auto workers = static_cast<unsigned>(self.concurrency());
    const unsigned pieces =
        std::is_same_v<partitioner, static_partitioner> ? workers : workers * pieces_per_worker;
    return static_cast<int>(std::bit_width(pieces - 1));
  }
}

/// What is left to halve after one more.
inline int less_one(int halvings_left) noexcept {
  return halvings_left == halve_fully ? halve_fully : halvings_left - 1;
}

/// For the half that a thief goes on with: others look for work, so it is worth cutting once more. Near the end that makes the
/// pieces ever smaller that the last ones to work have left.
inline int after_steal(int halvings_left) noexcept {
  return halvings_left == halve_fully ? halve_fully : halvings_left < 1 ? 2 : halvings_left + 1;
}

/// Whether an algorithm makes the halves that are left public before each piece, which may be long: thieves have them without
/// waiting for its end, and without interrupting it. Not where there may be many pieces, nor in another algorithm's part.
template <class Partitioner>
bool offers_halves(const algorithm& self) {
  return !std::is_same_v<std::remove_cv_t<Partitioner>, simple_partitioner> && self.is_outermost() &&
         !self.serial();
}

/// Before a piece.
inline void offer_halves() noexcept {
#if !defined(NOPAL_ELIDE) && !defined(NOPAL_CHECKED)
  nopal_offer_private();
#endif
}

/// Calls `leaf(first, last)` for pieces of [first, last).
// NOLINTNEXTLINE(misc-no-recursion): by halves
template <class Leaf>
void fork_halves(const algorithm& self, const Leaf& leaf, std::size_t first, std::size_t last,
                 int halvings_left) {
  if (halvings_left <= 0 || last - first < 2) {
    leaf(first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  completion left_done;
  nopal::scope both;
  both.fork([&, first, middle, halvings_left] {
    fork_halves(self, leaf, first, middle, halvings_left - 1);
    left_done.set();
  });
  NOPAL_DETAIL_TRY {
    fork_halves(self, leaf, middle, last,
                left_done.is_set() ? halvings_left - 1 : after_steal(halvings_left - 1));
  }
  NOPAL_DETAIL_JOIN_IF_THROWN(both)
  both.join();
}

/// A range of which a copy costs next to nothing and is seen by nobody.
template <class Range>
inline constexpr bool is_plain_range =
    std::is_trivially_copyable_v<Range> && std::is_copy_constructible_v<Range> &&
    sizeof(Range) <= 8 * sizeof(void*);

/// Calls `f(range)`. A plain range is copied first: nobody else has the address of the copy, so compilers see that
/// what a body stores does not change its bounds, and vectorize the loop in it.
template <class Range, class F>
void on_own(Range& range, F&& f) {
  if constexpr (is_plain_range<Range>) {
    Range own(std::as_const(range));  // by its copy constructor, whatever other constructors would take
    f(own);
  } else {
    f(range);
  }
}

/// Whether `Partitioner` halves a range by its constructor for parts in proportion, if it has one.
template <class Partitioner>
inline constexpr bool halves_in_proportion =
    std::is_same_v<std::remove_cv_t<Partitioner>, affinity_partitioner>;

/// Cuts off the right of `range`: into parts in the ratio given, where the range can do that, else
/// into halves.
template <class Range>
class right_part {
public:
  right_part(Range& range, std::size_t left, std::size_t right) : range_(cut(range, left, right)) {}
  Range& get() noexcept { return range_; }

private:
  static Range cut(Range& range, std::size_t left, std::size_t right) {
    if constexpr (std::is_constructible_v<Range, Range&, proportional_split&>) {
      proportional_split ratio(left, right);
      return Range(range, ratio);
    } else {
      static_cast<void>(left);
      static_cast<void>(right);
      return Range(range, split());
    }
  }
  Range range_;
};

/// Cuts off the second half of `range`.
template <class Range, bool in_proportion>
class half {
public:
  explicit half(Range& range) : range_(range, split()) {}
  Range& get() noexcept { return range_; }

private:
  Range range_;
};
template <class Range>
class half<Range, true> : public right_part<Range> {
public:
  explicit half(Range& range) : right_part<Range>(range, 1, 1) {}
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

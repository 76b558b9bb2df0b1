// Reductions over ranges: in chunks that are split as loops are, or by a fixed tree.
#ifndef NOPAL_DETAIL_REDUCE_HPP
#define NOPAL_DETAIL_REDUCE_HPP

#include <cstddef>
#include <memory>
#include <utility>

#include <nopal/detail/loop.hpp>
#include <nopal/detail/whole_calls.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// What all strands of a reduction know. Where something around it may be stopped, that of values that are copied by
/// calls of the program is a `kept_reduction`.
template <class T, class Positions, class Map, class Combine>
struct reduction {
  using value_type = T;
  Positions positions;
  const T& identity;
  Map& map;
  Combine& combine;

  [[nodiscard]] [[gnu::always_inline]] T begin() const { return T(identity); }
  /// `sum` and then what the positions give.
  [[nodiscard]] [[gnu::always_inline]] T add_chunk(std::size_t from, std::size_t to, T sum) const {
    if constexpr (copies_in_place<T>) {
      if (may_be_stopped()) {
        return add_wholly(from, to, std::move(sum));
      }
    }
    visit_chunk(positions, from, to, [this, &sum](const auto& position) {
      sum = detail::invoke(combine, std::move(sum), call_at(map, position));
    });
    return sum;
  }
  [[nodiscard]] T joined(T&& left, T&& right) const {
    if constexpr (copies_in_place<T>) {
      if (may_be_stopped()) {
        return join_wholly(std::move(left), std::move(right));
      }
    }
    return detail::invoke(combine, std::move(left), std::move(right));
  }

private:
  // What was mapped counts, whatever is stopped: `combine` may fork, and nothing stops that.
  [[nodiscard]] [[gnu::noinline]] T add_wholly(std::size_t from, std::size_t to, T sum) const {
    whole_calls combining;
    visit_chunk(positions, from, to, [&](const auto& position) {
      auto&& one = call_at(map, position);
      sum = combining.call(
          [&]() -> T { return detail::invoke(combine, std::move(sum), std::forward<decltype(one)>(one)); });
    });
    return sum;
  }
  [[nodiscard]] [[gnu::noinline]] T join_wholly(T&& left, T&& right) const {
    whole_calls combining;
    return combining.call([&]() -> T { return detail::invoke(combine, std::move(left), std::move(right)); });
  }
};

/// The same with values by pointer, which strands hand on without a call of the program's. Behind a shield they are
/// made, combined and assigned: a copy that is cut short is none.
template <class T, class Positions, class Map, class Combine>
struct kept_reduction {
  using value_type = std::unique_ptr<T>;
  const reduction<T, Positions, Map, Combine>& of;

  [[nodiscard]] value_type begin() const {
    whole_calls making;
    return making.call([&] { return std::make_unique<T>(of.identity); });
  }
  [[nodiscard]] value_type add_chunk(std::size_t from, std::size_t to, value_type sum) const {
    whole_calls combining;
    visit_chunk(of.positions, from, to, [&](const auto& position) {
      auto&& one = call_at(of.map, position);
      combining.call(
          [&] { *sum = detail::invoke(of.combine, std::move(*sum), std::forward<decltype(one)>(one)); });
    });
    return sum;
  }
  [[nodiscard]] value_type joined(value_type&& left, value_type&& right) const {
    whole_calls combining;
    return combining.call([&] {
      const value_type from_left = std::move(left);
      const value_type from_right = std::move(right);
      return value_type(new T(detail::invoke(of.combine, std::move(*from_left), std::move(*from_right))));
    });
  }
};

template <class T, class Positions, class Map, class Combine, class Reduce>
[[gnu::noinline]] T reduce_kept(std::size_t count, const reduction<T, Positions, Map, Combine>& of,
                                const Reduce& reduce) {
  const kept_reduction<T, Positions, Map, Combine> kept{of};
  const std::unique_ptr<T> sum = reduce(count, kept);
  return detail::make_wholly<T>(std::move(*sum));
}

/// Calls `reduce(count, reduction)`. No strand of a reduction can be stopped where its caller cannot.
template <class T, class Positions, class Map, class Combine, class Reduce>
[[gnu::always_inline]] inline T
reduce_as_fits(std::size_t count, const reduction<T, Positions, Map, Combine>& of, const Reduce& reduce) {
#ifndef NOPAL_ELIDE
  if constexpr (!copies_in_place<T>) {
    if (may_be_stopped()) return reduce_kept(count, of, reduce);
  }
#endif
  return reduce(count, of);
}

template <split How, class Reduction, class T>
T split_reduction(std::size_t from, std::size_t to, const Reduction* of, T sum);

/// `sum` and then what the range gives; split as loops are.
template <class Reduction, class T>
T add_range(std::size_t from, std::size_t to, const Reduction* of, T sum) {
  const std::size_t usual = chunk_of(to - from, 1);
  while (from < to) {
    if (to - from > 1) {
      if (const demand seen = look_for_demand(); seen != demand::none) {
        return seen == demand::asked_for ? split_reduction<split::open>(from, to, of, std::move(sum))
                                         : split_reduction<split::halve>(from, to, of, std::move(sum));
      }
    }
    const std::size_t next = end_of_chunk(from, to, usual);
    sum = of->add_chunk(from, next, std::move(sum));
    from = next;
  }
  return sum;
}

template <class Reduction, class T>
T open_reduction(std::size_t from, std::size_t to, const Reduction* of, T sum) {
  return to - from > 1 ? split_reduction<split::open>(from, to, of, std::move(sum))
                       : of->add_chunk(from, to, std::move(sum));
}

template <split How, class Reduction, class T>
[[gnu::noinline]] T split_reduction(std::size_t from, std::size_t to, const Reduction* of, T sum) {
  const std::size_t middle = middle_of(from, to);
  T left(std::move(sum));
  T right(of->begin());  // before the fork: an exception of the copy would hide one of the child
  scope s;
  s.fork([&left, from, middle, of] {
    left = How == split::open ? open_reduction(from, middle, of, T(std::move(left)))
                              : add_range(from, middle, of, T(std::move(left)));
  });
  NOPAL_DETAIL_TRY { right = add_range(middle, to, of, T(std::move(right))); }
  NOPAL_DETAIL_JOIN_IF_THROWN(s)
  s.join();
  return of->joined(std::move(left), std::move(right));
}

template <class Reduction>
[[gnu::noinline]] typename Reduction::value_type begin_shared_reduction(std::size_t count,
                                                                        const Reduction* of);

/// What two functions know of a reduction's place.
template <class Reduction>
[[nodiscard]] const void* place_of_reduction() noexcept {
  return reinterpret_cast<const void*>(&begin_shared_reduction<Reduction>);
}

/// What is left of a reduction, `sum` being that of what is over, for whoever wants it.
template <class Reduction>
[[gnu::noinline]] typename Reduction::value_type share_rest_of_reduction(std::size_t rest, std::size_t count,
                                                                         const Reduction* of,
                                                                         typename Reduction::value_type sum) {
  return look_for_demand() == demand::none ? add_range(rest, count, of, std::move(sum))
                                           : open_reduction(rest, count, of, std::move(sum));
}

/// The whole of one, as far as the loop goes on alone, and then the rest.
template <class Whole, class Reduction>
[[gnu::always_inline]] inline typename Reduction::value_type reduce_whole(Whole& loop, std::size_t count,
                                                                          const Reduction* of) {
  typename Reduction::value_type sum(of->begin());
  const std::size_t rest = loop.go_alone(1, [of, &sum](std::size_t from, std::size_t to) {
    sum = of->add_chunk(from, to, std::move(sum));
    return true;
  });
  if (rest < count) {
    sum = share_rest_of_reduction(rest, count, of, std::move(sum));
  }
  loop.note_end();
  return sum;
}

template <class Reduction>
[[gnu::noinline]] typename Reduction::value_type begin_shared_reduction(std::size_t count,
                                                                        const Reduction* of) {
  if (count <= 1) {
    return open_reduction(0, count, of, of->begin());
  }
  whole_loop loop(place_of_reduction<Reduction>(), count);
  return reduce_whole(loop, count, of);
}

/// The same after quiet.
template <class Reduction>
[[gnu::noinline]] typename Reduction::value_type begin_quiet_reduction(std::size_t count,
                                                                       const Reduction* of) {
  quiet_loop loop(place_of_reduction<Reduction>(), count);
  if (!loop.goes_on()) {
    return begin_shared_reduction(count, of);
  }
  return reduce_whole(loop, count, of);
}

template <class Reduction>
typename Reduction::value_type reduce_by_halves(std::size_t from, std::size_t to, std::size_t grain,
                                                const Reduction* of);

template <class Reduction>
typename Reduction::value_type begin_reduction(std::size_t count, const Reduction* of) {
#ifdef NOPAL_CHECKED
  if (count != 0) return reduce_by_halves(0, count, 1, of);  // as far as any schedule divides it
#endif
  if (may_be_quiet(place_of_reduction<Reduction>(), count)) {
    return begin_quiet_reduction(count, of);
  }
  return count <= few_positions && look_for_demand() == demand::none ? add_range(0, count, of, of->begin())
                                                                     : begin_shared_reduction(count, of);
}

/// The same by halves down to `grain` positions at most, whether or not a thief wants work: the
/// tree depends on the range and the grain alone.
template <class Reduction>
typename Reduction::value_type reduce_by_halves(std::size_t from, std::size_t to, std::size_t grain,
                                                const Reduction* of) {
  using T = typename Reduction::value_type;
  if (to - from <= grain) {
    return of->add_chunk(from, to, of->begin());
  }
  const std::size_t middle = middle_of(from, to);
  T left(of->begin());
  T right(of->begin());  // as above
  scope s;
  s.fork([&left, from, middle, grain, of] { left = reduce_by_halves(from, middle, grain, of); });
  NOPAL_DETAIL_TRY { right = reduce_by_halves(middle, to, grain, of); }
  NOPAL_DETAIL_JOIN_IF_THROWN(s)
  s.join();
  return of->joined(std::move(left), std::move(right));
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// Loops that split only when some worker has nothing to do.
//
// A strand goes through its range in chunks and looks between them whether a fork is of use: a
// thief has asked for work, or the deque has nothing more that a thief could take. Only then it
// forks. The child gets the earlier half of what is left, so a thief takes the later half. At the
// beginning, and where a thief asked, the child is halved in turn, down to the first position: all
// others can be stolen however long that one takes. So there are about 2 log2 n forks where nobody
// steals; each steal takes half of what is left; and a chunk, in which the strand does not look, is
// a small part of its range.
#ifndef NOPAL_DETAIL_LOOP_HPP
#define NOPAL_DETAIL_LOOP_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include <nopal/detail/invoke.hpp>
#include <nopal/detail/loop_demand.h>
#include <nopal/detail/thrown.hpp>
#include <nopal/detail/whole_loop.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

#ifdef NOPAL_ELIDE
using NOPAL_ABI_NAMESPACE::detail::invoke;
#endif

/// Whether a fork is of use now; see nopal_demand.
#ifdef NOPAL_ELIDE
enum class demand { none, nothing_left, asked_for };
#else
enum class demand { none = nopal_no_demand, nothing_left = nopal_nothing_left, asked_for = nopal_asked_for };
#endif

[[gnu::always_inline]] inline demand look_for_demand() noexcept {
#ifdef NOPAL_ELIDE
  return demand::none;
#else
  const nopal_demand seen = nopal_look_for_demand();
  return static_cast<demand>(seen == nopal_wake_owed ? nopal_pay_wake() : seen);
#endif
}

/// Whether the calling strand is one that a thief took from its worker at a fork of `s`.
[[gnu::always_inline]] inline bool is_stolen_from(const scope& s) noexcept {
#ifdef NOPAL_ELIDE
  static_cast<void>(s);
  return false;
#else
  return scope_access::steals(s) != 0;
#endif
}

/// The middle of a range that is split.
inline std::size_t middle_of(std::size_t from, std::size_t to) noexcept { return from + (to - from) / 2; }

// --- positions: what a loop counts, from 0 -------------------------------------------------------

/// Whole numbers from `first` on.
template <class Integer>
struct numbers {
  using position = Integer;
  Integer first;

  [[nodiscard]] static constexpr std::size_t count(Integer first, Integer last) noexcept {
    using bits = std::make_unsigned_t<Integer>;
    return first < last ? static_cast<std::size_t>(
                              static_cast<bits>(static_cast<bits>(last) - static_cast<bits>(first)))
                        : 0;
  }
  [[nodiscard]] constexpr Integer at(std::size_t offset) const noexcept {
    using bits = std::make_unsigned_t<Integer>;
    return static_cast<Integer>(static_cast<bits>(static_cast<bits>(first) + static_cast<bits>(offset)));
  }
};

/// Iterators from `first` on.
template <class Iterator>
struct indexed {
  using position = Iterator;
  Iterator first;

  [[nodiscard]] static std::size_t count(const Iterator& first, const Iterator& last) {
    const auto distance = last - first;
    return distance > 0 ? static_cast<std::size_t>(distance) : 0;
  }
  [[nodiscard]] Iterator at(std::size_t offset) const {
    return first + static_cast<std::iter_difference_t<Iterator>>(offset);
  }
};

/// Calls `visit` with each position of a chunk.
template <class Positions, class Visit>
[[gnu::always_inline]] inline void visit_chunk(const Positions& all, std::size_t from, std::size_t to,
                                               Visit&& visit) {
  const auto end = all.at(to);
  for (auto position = all.at(from); position != end; ++position) {
    visit(position);
  }
}

template <class T>
concept integer_index = std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= sizeof(std::size_t);

/// What a loop from an A to a B counts; void if that cannot be told.
template <class A, class B>
constexpr auto positions_type() {
  if constexpr (integer_index<A> && integer_index<B>) {
    return std::type_identity<numbers<std::common_type_t<A, B>>>();
  } else if constexpr (std::random_access_iterator<A> && std::is_same_v<A, B>) {
    return std::type_identity<indexed<A>>();
  } else {
    return std::type_identity<void>();
  }
}
template <class A, class B>
using positions_of = typename decltype(positions_type<A, B>())::type;

/// `f` of a position: of the number or iterator, or else of what the iterator leads to.
template <class F, class Position>
[[gnu::always_inline]] inline decltype(auto) call_at(F& f, const Position& position) {
  if constexpr (std::is_invocable_v<F&, const Position&>) {
    return detail::invoke(f, position);
  } else {
    return detail::invoke(f, *position);
  }
}

template <class F, class Position>
constexpr bool takes_position() {
  if constexpr (std::is_invocable_v<F&, const Position&>) {
    return true;
  } else if constexpr (std::random_access_iterator<Position>) {
    return std::is_invocable_v<F&, std::iter_reference_t<Position>>;
  } else {
    return false;
  }
}

// --- the loop ------------------------------------------------------------------------------------

/// What becomes of the earlier half of a range that is split.
enum class split { halve, open };

template <split How, class Chunk>
void split_loop(std::size_t from, std::size_t to, std::size_t grain, Chunk* chunk);

/// Calls `(*chunk)(from, to)` for chunks that make up the range; false from it ends the strand's
/// part.
template <class Chunk>
void run_loop(std::size_t from, std::size_t to, std::size_t grain, Chunk* chunk) {
  const std::size_t usual = chunk_of(to - from, grain);
  while (from < to) {
    if (to - from > grain) {
      if (const demand seen = look_for_demand(); seen != demand::none) {
        return seen == demand::asked_for ? split_loop<split::open>(from, to, grain, chunk)
                                         : split_loop<split::halve>(from, to, grain, chunk);
      }
    }
    const std::size_t next = end_of_chunk(from, to, usual);
    if constexpr (std::is_same_v<decltype((*chunk)(from, next)), bool>) {
      if (!(*chunk)(from, next)) {
        return;
      }
    } else {
      (*chunk)(from, next);
    }
    from = next;
  }
}

/// The same with everything but the first positions for whoever wants it.
template <class Chunk>
void open_loop(std::size_t from, std::size_t to, std::size_t grain, Chunk* chunk) {
  if (to - from > grain) {
    split_loop<split::open>(from, to, grain, chunk);
  } else if (from < to) {
    static_cast<void>((*chunk)(from, to));
  }
}

/// The same with the later half for whoever wants it, and maybe halves of the earlier one.
template <split How, class Chunk>
[[gnu::noinline]] void split_loop(std::size_t from, std::size_t to, std::size_t grain, Chunk* chunk) {
  const std::size_t middle = middle_of(from, to);
  scope s;
  s.fork(How == split::open ? open_loop<Chunk> : run_loop<Chunk>, from, middle, grain, chunk);
  NOPAL_DETAIL_TRY { run_loop(middle, to, grain, chunk); }
  NOPAL_DETAIL_JOIN_IF_THROWN(s)
  s.join();
}

/// What is left of a loop, for whoever wants it.
template <class Chunk>
[[gnu::noinline]] void share_rest(std::size_t rest, std::size_t count, std::size_t grain, Chunk* chunk) {
  if (look_for_demand() == demand::none) {
    run_loop(rest, count, grain, chunk);
  } else {
    open_loop(rest, count, grain, chunk);
  }
}

/// As a chunk: true where the loop goes on.
template <class Chunk>
[[gnu::always_inline]] inline bool visit_on(Chunk* chunk, std::size_t from, std::size_t to) {
  if constexpr (std::is_same_v<decltype((*chunk)(from, to)), bool>) {
    return (*chunk)(from, to);
  } else {
    (*chunk)(from, to);
    return true;
  }
}

/// The whole of one, as far as the loop goes on alone, and then the rest.
template <class Whole, class Chunk>
[[gnu::always_inline]] inline void run_whole(Whole& loop, std::size_t count, std::size_t grain,
                                             Chunk* chunk) {
  const std::size_t rest =
      loop.go_alone(grain, [chunk](std::size_t from, std::size_t to) { return visit_on(chunk, from, to); });
  if (rest < count) share_rest(rest, count, grain, chunk);
  loop.note_end();
}

template <class Chunk>
void begin_shared_loop(std::size_t count, std::size_t grain, Chunk* chunk);

/// What two functions know of a loop's place.
template <class Chunk>
[[nodiscard]] const void* place_of_loop() noexcept {
  return reinterpret_cast<const void*>(&begin_shared_loop<Chunk>);
}

template <class Chunk>
[[gnu::noinline]] void begin_shared_loop(std::size_t count, std::size_t grain, Chunk* chunk) {
  if (count <= grain) {
    return open_loop(0, count, grain, chunk);
  }
  whole_loop loop(place_of_loop<Chunk>(), count);
  run_whole(loop, count, grain, chunk);
}

/// The same after quiet. A function of its own: its code is little, and no longer at hand.
template <class Chunk>
[[gnu::noinline]] void begin_quiet_loop(std::size_t count, std::size_t grain, Chunk* chunk) {
  quiet_loop loop(place_of_loop<Chunk>(), count);
  if (!loop.goes_on()) {
    return begin_shared_loop(count, grain, chunk);
  }
  run_whole(loop, count, grain, chunk);
}

/// So few positions are gone through with a look before each. More are worth a look at the clock.
inline constexpr std::size_t few_positions = 16;

#ifdef NOPAL_CHECKED

/// Calls of the library's own: what it reads and writes there is no race.
class unheeded {
public:
  unheeded() noexcept { nopal_check_ignore(); }
  unheeded(const unheeded&) = delete;
  unheeded& operator=(const unheeded&) = delete;
  ~unheeded() { nopal_check_heed(); }
};

/// A whole loop, each position a child: where a loop is split depends on the schedule, so that any two
/// positions may be in different parts whatever the grain. Only a range that is not larger than that
/// is one part for sure.
template <class Chunk>
void begin_loop(std::size_t count, std::size_t grain, Chunk* chunk) {
  if (count <= grain) {
    if (count != 0) static_cast<void>((*chunk)(0, count));
    return;
  }
  bool goes_on = true;
  scope s;
  for (std::size_t i = 0; i < count; ++i) {
    s.fork([chunk, i, &goes_on] {
      if constexpr (std::is_same_v<decltype((*chunk)(i, i + 1)), bool>) {
        if (!(*chunk)(i, i + 1)) {
          const unheeded here;
          goes_on = false;
        }
      } else {
        static_cast<void>(goes_on);
        (*chunk)(i, i + 1);
      }
    });
    const unheeded here;
    if (!goes_on) break;
  }
  s.join();
}

#else

/// A whole loop. Inside another loop that has left work in the deque it is a serial loop that
/// looks.
template <class Chunk>
[[gnu::always_inline]] inline void begin_loop(std::size_t count, std::size_t grain, Chunk* chunk) {
  if (may_be_quiet(place_of_loop<Chunk>(), count)) {
    begin_quiet_loop(count, grain, chunk);
  } else if (count <= few_positions && look_for_demand() == demand::none) {
    run_loop(0, count, grain, chunk);
  } else {
    begin_shared_loop(count, grain, chunk);
  }
}

#endif

/// The grain that was asked for; 0 asks for the automatic one.
constexpr std::size_t grain_of(std::size_t asked) noexcept { return asked != 0 ? asked : 1; }

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

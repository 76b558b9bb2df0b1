// Loops over ranges of several sides, divided into blocks.
//
// A block is halved across its longest side, counted in grains, until it is small. The halves are
// the order of the loop: it depends on the range alone, so the serial loop has it too, and
// neighbors in any direction are visited soon after each other. Each halving is a fork: a thief
// takes the largest block that is left. In a block that is small, positions are visited side after
// side, the last one fastest, as one loop that is split where somebody has nothing to do.
#ifndef NOPAL_DETAIL_BLOCKS_HPP
#define NOPAL_DETAIL_BLOCKS_HPP

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/loop.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// Ranges that have them; see <nopal/blocked_range.hpp>.
template <class Range>
concept has_sides = requires(const std::remove_reference_t<Range>& range) { range.sides(); };

/// Where a block begins and ends on each side, counted from the side's first position.
template <std::size_t sides>
struct block {
  std::size_t from[sides];
  std::size_t to[sides];

  /// The largest number if there are more.
  [[nodiscard]] std::size_t positions() const noexcept {
    std::size_t all = 1;
    for (std::size_t side = 0; side < sides; ++side) {
      if (__builtin_mul_overflow(all, to[side] - from[side], &all)) return static_cast<std::size_t>(-1);
    }
    return all;
  }
};

/// Which blocks are not halved.
template <std::size_t sides>
struct block_limits {
  std::size_t grain[sides];  ///< a side of that many positions; 0: no side is too short
  std::size_t positions;     ///< so few, where nothing but sides without a grain is left to halve
};

/// Small enough that a loop over it lies in the first cache, and worth a fork however short its bodies.
inline constexpr std::size_t small_block = 4096;
/// Blocks for bodies that take blocks: nobody waits longer for the last one than for an eighth.
inline constexpr std::size_t blocks_at_least = 8;

/// The side across which a block is halved; `sides` if it is not. `wanted`: small ones are, too.
template <std::size_t sides>
std::size_t side_to_halve(const block<sides>& all, const block_limits<sides>& limits, bool wanted) noexcept {
  const bool small = !wanted && all.positions() <= limits.positions;
  std::size_t longest = sides;
  std::size_t most = 1;
  for (std::size_t side = 0; side < sides; ++side) {
    const std::size_t grain = limits.grain[side];
    if (grain == 0 && small) continue;
    const std::size_t count = all.to[side] - all.from[side];
    const std::size_t grains = grain > 1 ? (count - 1) / grain + 1 : count;
    if (grains > most) {
      most = grains;
      longest = side;
    }
  }
  return longest;
}

template <std::size_t sides, class Body>
void split_blocks(const block<sides>& all, std::size_t side, const block_limits<sides>* limits, Body* body);

/// Calls `(*body)(block)` for blocks that make up one that is not empty.
template <std::size_t sides, class Body>
void run_blocks(const block<sides>* all, const block_limits<sides>* limits, Body* body) {
#ifdef NOPAL_CHECKED
  const bool wanted = Body::takes_blocks;  // as far as any schedule divides it
#else
  const bool wanted = Body::takes_blocks && look_for_demand() != demand::none;
#endif
  if (const std::size_t side = side_to_halve(*all, *limits, wanted); side != sides) {
    split_blocks(*all, side, limits, body);
  } else {
    (*body)(*all);
  }
}

/// The same for halves across a side.
template <std::size_t sides, class Body>
[[gnu::noinline]] void split_blocks(const block<sides>& all, std::size_t side,
                                    const block_limits<sides>* limits, Body* body) {
  block<sides> earlier = all;  // the child reads it here until the join
  block<sides> later = all;
  earlier.to[side] = later.from[side] = middle_of(all.from[side], all.to[side]);
  scope s;
  s.fork(run_blocks<sides, Body>, &earlier, limits, body);
  NOPAL_DETAIL_TRY { run_blocks(&later, limits, body); }
  NOPAL_DETAIL_JOIN_IF_THROWN(s)
  s.join();
}

/// A body that is called with a number for each side.
template <class Body, class... Integers>
struct position_body {
  static constexpr bool takes_blocks = false;
  static constexpr std::size_t sides = sizeof...(Integers);
  static constexpr std::size_t fastest = sides - 1;

  Body& body;
  std::tuple<numbers<Integers>...> all;
  std::size_t most_in_parts;  ///< a block of more positions is visited by one strand

  void operator()(const block<sides>& part) const {
    const std::size_t count = part.positions();
    auto chunk = [this, &part](std::size_t from, std::size_t to) { visit(part, from, to); };
    if (count <= most_in_parts) {
      begin_loop(count, 1, &chunk);
    } else {
      chunk(0, count);
    }
  }

private:
  /// Those with these numbers, in the order of the block.
  void visit(const block<sides>& part, std::size_t from, std::size_t to) const {
    block<sides> at = part;  // `from` is the next position
    std::size_t rest = from;
    for (std::size_t side = sides; side-- > 0;) {
      const std::size_t count = part.to[side] - part.from[side];
      at.from[side] += rest % count;
      rest /= count;
    }
    while (from < to) {
      const std::size_t begin = at.from[fastest];
      const std::size_t left = part.to[fastest] - begin;
      const std::size_t end = begin + (left < to - from ? left : to - from);
      call(at, begin, end, std::make_index_sequence<fastest>());
      from += end - begin;
      at.from[fastest] = part.from[fastest];
      for (std::size_t side = fastest; side-- > 0;) {
        if (++at.from[side] != part.to[side]) break;
        at.from[side] = part.from[side];
      }
    }
  }
  template <std::size_t... slower>
  [[gnu::always_inline]] void call(const block<sides>& at, std::size_t begin, std::size_t end,
                                   std::index_sequence<slower...>) const {
    const std::tuple outer(std::get<slower>(all).at(at.from[slower])...);
    visit_chunk(std::get<fastest>(all), begin, end,
                [this, &outer](const auto& last) { detail::invoke(body, std::get<slower>(outer)..., last); });
  }
};

/// A body that is called with a part of the range.
template <class Range, class Body>
struct block_body {
  static constexpr bool takes_blocks = true;

  Body& body;
  const Range& range;

  template <std::size_t sides>
  void operator()(const block<sides>& part) const {
    const Range called_with = cut(part, std::make_index_sequence<sides>());
    detail::invoke(body, called_with);
  }

private:
  template <std::size_t sides, std::size_t... each>
  [[nodiscard]] Range cut(const block<sides>& part, std::index_sequence<each...>) const {
    return Range(std::get<each>(range.sides()).part(part.from[each], part.to[each])...);
  }
};

/// A loop over a range whose sides these are.
template <class Range, class Body, class... Sides>
void for_blocks(const Range& range, Body& body, const Sides&... side) {
  constexpr std::size_t sides = sizeof...(Sides);
  constexpr bool by_position = std::is_invocable_v<Body&, const typename Sides::value_type&...>;
  constexpr bool by_block = std::is_invocable_v<Body&, const Range&>;
  static_assert(by_position || by_block,
                "nopal: parallel_for: the body must be callable with a number for each "
                "side of the range, or with a part of the range");
  if constexpr (by_position || by_block) {
    const block<sides> all{{(static_cast<void>(side), std::size_t{0})...}, {side.size()...}};
    if ((side.empty() || ...)) return;
    block_limits<sides> limits{{side.grain()...}, small_block};
    if constexpr (by_position) {
      const bool has_every_grain = ((side.grain() != 0) && ...);
      position_body<Body, typename Sides::value_type...> call{
          body, {numbers<typename Sides::value_type>{side.begin()}...}, has_every_grain ? 0 : small_block};
      run_blocks(&all, &limits, &call);
    } else {
      const std::size_t share = all.positions() / blocks_at_least;
      if (share < limits.positions) limits.positions = share;
      block_body<Range, Body> call{body, range};
      run_blocks(&all, &limits, &call);
    }
  }
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

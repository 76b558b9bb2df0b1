// What a run of knary consists of: enough to compute its work and span beforehand.
#ifndef NOPAL_BENCH_PROGRAMS_KNARY_HPP
#define NOPAL_BENCH_PROGRAMS_KNARY_HPP

#include <algorithm>
#include <cstdint>

namespace bench {

/// A tree of `depth` levels whose inner nodes have `children`; the first `serial` of them are visited one
/// after another, the others in parallel after those.
struct knary_tree {
  std::int64_t depth;
  std::int64_t children;
  std::int64_t serial;

  /// Work and span are both counted in nodes, each of which takes equally long.
  [[nodiscard]] constexpr std::uint64_t work() const { return nodes_at_growth(children); }
  [[nodiscard]] constexpr std::uint64_t span() const {
    return nodes_at_growth(std::min(serial + 1, children));
  }

private:
  // 1 + growth + growth^2 + ..., as many terms as there are levels.
  [[nodiscard]] constexpr std::uint64_t nodes_at_growth(std::int64_t growth) const {
    std::uint64_t nodes = 0;
    for (std::int64_t level = 0; level < depth; ++level)
      nodes = 1 + static_cast<std::uint64_t>(growth) * nodes;
    return nodes;
  }
};

/// The tree that a size stands for: 100 depth + 10 children + serial children.
constexpr knary_tree knary_tree_of(std::int64_t size) {
  const std::int64_t children = size / 10 % 10;
  return {.depth = size / 100, .children = children, .serial = std::min(size % 10, children)};
}

static_assert(knary_tree_of(321).work() == 7 && knary_tree_of(321).span() == 7);
static_assert(knary_tree_of(331).work() == 13 && knary_tree_of(331).span() == 7);
static_assert(knary_tree_of(330).work() == 13 && knary_tree_of(330).span() == 3);

}  // namespace bench

#endif

// Graphs for searches: made from a seed or read from a file, and a serial search to check others by.
#ifndef NOPAL_BENCH_PROGRAMS_GRAPH_HPP
#define NOPAL_BENCH_PROGRAMS_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "matrix_market.hpp"

namespace bench {

/// A directed graph in compressed rows: all neighbours of vertex 0, then those of vertex 1, ...
class graph {
public:
  using vertex = std::uint32_t;

  graph() = default;
  explicit graph(const edge_list& from);
  /// Of what others made in this form: `first` has one number more than there are vertices, its last that of all neighbours.
  graph(std::vector<std::size_t> first, std::vector<vertex> neighbours)
      : first_(std::move(first)), neighbours_(std::move(neighbours)) {}

  [[nodiscard]] std::size_t vertices() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t edges() const { return neighbours_.size(); }
  [[nodiscard]] std::span<const vertex> neighbours(vertex of) const {
    return {neighbours_.data() + first_[of], neighbours_.data() + first_[of + std::size_t{1}]};
  }
  /// The vertex with the most neighbours, the first of several. There is a vertex.
  [[nodiscard]] vertex busiest() const;

private:
  std::vector<std::size_t> first_ = {0};
  std::vector<vertex> neighbours_;
};

/// A cube of side^3 vertices, each with edges to and from the up to six beside it.
[[nodiscard]] graph grid_graph(std::int64_t side);

/// 2^scale vertices and 16 edges for each, as many again back; where they go is chosen bit by bit, mostly for small numbers, so
/// that some vertices have many and many none. D. Chakrabarti, Y. Zhan and C. Faloutsos, "R-MAT: a recursive model for
/// graph mining", 2004, with the constants of the Graph 500.
[[nodiscard]] graph rmat_graph(std::int64_t scale, std::uint64_t seed);

/// How many edges away each vertex is from where a search begins.
using distances = std::vector<std::int32_t>;
inline constexpr std::int32_t unreached = -1;

/// Those from the busiest vertex.
[[nodiscard]] distances search_serially(const graph& in);

/// What tables tell of a search of a graph.
struct search_facts {
  std::size_t vertices = 0;
  std::size_t edges = 0;
  std::size_t reached = 0;
  std::int32_t layers = 0;
  std::size_t lookups = 0;  ///< of the reducer, in a run on one worker
};

/// Of parallel_search.hpp with this grain, where blocks of a layer have `block` vertices.
[[nodiscard]] search_facts facts_of(const graph& in, std::ptrdiff_t grain, std::size_t block);

}  // namespace bench

#endif

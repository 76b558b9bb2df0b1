// The validation of a tree of parents by the Graph500's five rules. Against the list of edges, not against the
// graph that was searched. Each rank needs room for one number per vertex of the whole graph.
#ifndef NOPAL_EXAMPLES_MPI_VALIDATION_HPP
#define NOPAL_EXAMPLES_MPI_VALIDATION_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph.hpp"
#include "program.hpp"

namespace graph500 {

struct verdict {
  const char* broken_rule = nullptr;
  std::int64_t edges = 0;  ///< of the list, in the root's component: what a search is counted by
  [[nodiscard]] bool is_right() const { return broken_rule == nullptr; }
};

/// All ranks' parents, by the vertices' numbers.
inline std::vector<vertex> gathered(const std::vector<vertex>& own, vertex vertices,
                                    const nopal::mpi::session& session) {
  const auto ranks = static_cast<std::size_t>(session.size());
  std::vector<int> counts(ranks);
  std::vector<int> begins(ranks);
  int begin = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    counts[rank] =
        static_cast<int>((vertices - static_cast<vertex>(rank) + session.size() - 1) / session.size());
    begins[rank] = begin;
    begin += counts[rank];
  }
  std::vector<vertex> by_rank(static_cast<std::size_t>(vertices));
  nopal::mpi::complete(
      [&](MPI_Request* r) {
        return MPI_Iallgatherv(own.data(), static_cast<int>(own.size()), MPI_INT64_T, by_rank.data(),
                               counts.data(), begins.data(), MPI_INT64_T, MPI_COMM_WORLD, r);
      },
      nullptr, "MPI_Iallgatherv");
  std::vector<vertex> all(by_rank.size());
  nopal::parallel_for(std::size_t{0}, all.size(), [&](std::size_t v) {
    all[v] = by_rank[static_cast<std::size_t>(begins[v % ranks]) + v / ranks];
  });
  return all;
}

/// How far each vertex is from the root by its parents; -1: it has none. Empty: they are no tree.
inline std::vector<std::int32_t> levels_of(vertex root, const std::vector<vertex>& parents) {
  constexpr std::int32_t unknown = -2;
  std::vector<std::int32_t> levels(parents.size(), unknown);
  const auto at = [](vertex of) { return static_cast<std::size_t>(of); };
  if (parents[at(root)] != root) return {};
  levels[at(root)] = 0;
  std::vector<std::size_t> path;
  for (std::size_t v = 0; v < parents.size(); ++v) {
    if (parents[v] < 0) {
      levels[v] = -1;
      continue;
    }
    // Up to a vertex whose level is known. More steps than there are vertices: a cycle.
    path.clear();
    std::size_t ancestor = v;
    while (levels[ancestor] == unknown) {
      path.push_back(ancestor);
      const vertex parent = parents[ancestor];
      if (parent < 0 || at(parent) >= parents.size() || path.size() > parents.size()) return {};
      ancestor = at(parent);
    }
    std::int32_t level = levels[ancestor];
    if (level < 0) return {};
    while (!path.empty()) {
      levels[path.back()] = ++level;
      path.pop_back();
    }
  }
  return levels;
}

inline verdict validated(vertex root, const std::vector<vertex>& own, const edge_list& edges,
                         const nopal::mpi::session& session) {
  verdict found;
  const std::vector<vertex> parents = gathered(own, edges.vertices(), session);
  const std::vector<std::int32_t> levels = levels_of(root, parents);
  // The same on all ranks.
  if (levels.empty()) return {"the parents are no tree: a cycle, or no way to the root"};

  std::vector<std::uint8_t> is_in_list(parents.size(), 0);
  std::atomic<bool> is_level = true;
  std::atomic<bool> is_whole = true;
  std::atomic<std::int64_t> in_component = 0;
  constexpr std::int64_t chunk = 4096;
  // Relaxed, all: the loop's join orders them. Different strands write the same into a byte.
  nopal::parallel_for(
      std::int64_t{0}, (edges.count() + chunk - 1) / chunk, std::int64_t{1}, [&](std::int64_t which) {
        std::int64_t reached = 0;
        for (std::int64_t i = which * chunk; i < std::min(edges.count(), (which + 1) * chunk); ++i) {
          const edge one = edges[i];
          const auto from = static_cast<std::size_t>(one.from);
          const auto to = static_cast<std::size_t>(one.to);
          if ((levels[from] < 0) != (levels[to] < 0)) is_whole.store(false, std::memory_order_relaxed);
          if (levels[from] < 0 || levels[to] < 0) continue;
          ++reached;
          const std::int32_t apart = levels[from] - levels[to];
          if (apart < -1 || apart > 1) is_level.store(false, std::memory_order_relaxed);
          if (parents[from] == one.to) std::atomic_ref(is_in_list[from]).store(1, std::memory_order_relaxed);
          if (parents[to] == one.from) std::atomic_ref(is_in_list[to]).store(1, std::memory_order_relaxed);
        }
        in_component.fetch_add(reached, std::memory_order_relaxed);
      });
  std::vector<std::uint8_t> is_in_any(parents.size());
  nopal::mpi::complete(
      [&](MPI_Request* r) {
        return MPI_Iallreduce(is_in_list.data(), is_in_any.data(), static_cast<int>(parents.size()),
                              MPI_UINT8_T, MPI_MAX, MPI_COMM_WORLD, r);
      },
      nullptr, "MPI_Iallreduce");
  bool is_of_edges = true;
  for (std::size_t v = 0; v < parents.size(); ++v) {
    const bool has_parent = parents[v] >= 0 && parents[v] != static_cast<vertex>(v);
    if (has_parent && (is_in_any[v] == 0 || levels[v] != levels[static_cast<std::size_t>(parents[v])] + 1)) {
      is_of_edges = false;
    }
  }
  found.edges = program::sum_of(in_component.load(std::memory_order_relaxed));
  if (!program::everywhere(is_level.load(std::memory_order_relaxed))) {
    found.broken_rule = "the ends of an edge are more than one level apart";
  } else if (!program::everywhere(is_whole.load(std::memory_order_relaxed))) {
    found.broken_rule = "an edge leads out of the tree: its component is not whole";
  } else if (!is_of_edges) {
    found.broken_rule = "a vertex and its parent are not an edge, or not one level apart";
  }
  return found;
}

}  // namespace graph500

#endif

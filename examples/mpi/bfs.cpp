// Breadth-first search on an R-MAT graph by the rules of the Graph500 (its first kernels): from each of some
// roots, a tree of parents, which is validated. Level by level: what is another rank's is sent to it behind the
// work on what is this rank's own.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "graph.hpp"
#include "program.hpp"
#include "validation.hpp"

namespace {

using graph500::edge;
using graph500::edge_list;
using graph500::graph;
using graph500::outgoing;
using graph500::vertex;

struct arguments {
  std::int64_t scale = 14;
  std::int64_t edge_factor = 16;
  std::int64_t roots = 64;
  std::int64_t seed = 1;
  std::int64_t level = MPI_THREAD_MULTIPLE;
};

constexpr vertex none = -1;

class search {
public:
  search(const graph& of, vertex vertices, const nopal::mpi::session& session)
      : of_(of), session_(session), parents_(of.own_vertices()), told_(static_cast<std::size_t>(vertices)) {}

  /// The parent of each own vertex, `none` if it was not reached; the root is its own.
  std::vector<vertex> from(vertex root) {
    nopal::parallel_for(std::size_t{0}, parents_.size(),
                        // Relaxed: the loop's join orders it.
                        [&](std::size_t at) { parents_[at].store(none, std::memory_order_relaxed); });
    nopal::parallel_for(std::size_t{0}, told_.size(),
                        [&](std::size_t at) { told_[at].store(false, std::memory_order_relaxed); });
    std::vector<std::size_t> frontier;
    if (of_.owner(root) == static_cast<std::size_t>(session_.rank())) take({root, root}, frontier);
    while (program::sum_of(static_cast<std::int64_t>(frontier.size())) > 0) frontier = next_level(frontier);
    std::vector<vertex> found(parents_.size());
    for (std::size_t at = 0; at < found.size(); ++at)
      found[at] = parents_[at].load(std::memory_order_relaxed);
    return found;
  }

private:
  // Of a frontier, that a strand looks at in turn.
  static constexpr std::size_t vertices_at_once = 64;

  /// The child's parent, if it has none yet: then it is of the next frontier.
  void take(const edge& found, std::vector<std::size_t>& frontier) {
    const std::size_t at = of_.local(found.to);
    vertex expected = none;
    // Relaxed, both: a parent is read by others only behind a join.
    if (parents_[at].load(std::memory_order_relaxed) == none &&
        parents_[at].compare_exchange_strong(expected, found.from, std::memory_order_relaxed)) {
      frontier.push_back(at);
    }
  }

  using frontier_type = std::vector<std::size_t>;

  frontier_type next_level(const frontier_type& frontier) {
    const outgoing<edge> out = to_others(frontier);
    frontier_type next;
    const outgoing<edge> in = graph500::exchanged(out, [&] { take_own(frontier, next); });
    for (const auto& part : in) take_all(part, next);
    return next;
  }

  /// Calls `body(first, last, part)` in parallel for parts of [0, count), and has all parts in one, in order.
  template <class Thing, class F>
  static void in_parts(std::size_t count, std::size_t length, std::vector<Thing>& all, F body) {
    std::vector<std::vector<Thing>> parts((count + length - 1) / length);
    nopal::parallel_for(std::size_t{0}, parts.size(), std::size_t{1}, [&](std::size_t which) {
      body(which * length, std::min(count, (which + 1) * length), parts[which]);
    });
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  }

  /// The edges out of the frontier to other ranks: one for each vertex there, in the whole search.
  outgoing<edge> to_others(const frontier_type& frontier) {
    std::vector<edge> all;
    in_parts(frontier.size(), vertices_at_once, all,
             [&](std::size_t first, std::size_t last, std::vector<edge>& part) {
               for (std::size_t i = first; i < last; ++i) {
                 for (const vertex child : of_.to_others(frontier[i])) {
                   std::atomic<bool>& is_told = told_[static_cast<std::size_t>(child)];
                   // Relaxed: one of those that tell is as good as another.
                   if (!is_told.load(std::memory_order_relaxed) &&
                       !is_told.exchange(true, std::memory_order_relaxed)) {
                     part.push_back({of_.global(frontier[i]), child});
                   }
                 }
               }
             });
    outgoing<edge> out(static_cast<std::size_t>(session_.size()));
    for (const edge& one : all) out[of_.owner(one.to)].push_back(one);
    return out;
  }

  void take_own(const frontier_type& frontier, frontier_type& next) {
    in_parts(frontier.size(), vertices_at_once, next,
             [&](std::size_t first, std::size_t last, frontier_type& part) {
               for (std::size_t i = first; i < last; ++i) {
                 const vertex parent = of_.global(frontier[i]);
                 for (const vertex child : of_.to_own(frontier[i])) take({parent, child}, part);
               }
             });
  }

  void take_all(const std::vector<edge>& found, frontier_type& next) {
    constexpr std::size_t edges = 1024;
    in_parts(found.size(), edges, next, [&](std::size_t first, std::size_t last, frontier_type& part) {
      for (std::size_t i = first; i < last; ++i) take(found[i], part);
    });
  }

  const graph& of_;
  const nopal::mpi::session& session_;
  std::vector<std::atomic<vertex>> parents_;
  std::vector<std::atomic<bool>> told_;  // which vertices of other ranks these were told a parent of
};

/// Which of the vertices have edges, on whatever rank.
std::vector<std::uint8_t> with_edges(const graph& of, const std::vector<vertex>& vertices, int rank) {
  std::vector<std::uint8_t> own(vertices.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool is_own = of.owner(vertices[i]) == static_cast<std::size_t>(rank);
    own[i] = is_own && of.degree(of.local(vertices[i])) > 0 ? 1 : 0;
  }
  std::vector<std::uint8_t> all(own.size());
  nopal::mpi::complete(
      [&](MPI_Request* r) {
        return MPI_Iallreduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_UINT8_T, MPI_MAX,
                              MPI_COMM_WORLD, r);
      },
      nullptr, "MPI_Iallreduce");
  return all;
}

/// Different vertices with edges, drawn at random; fewer if the graph has not so many.
std::vector<vertex> drawn_roots(const graph& of, const edge_list& edges, const nopal::mpi::session& session,
                                const arguments& with) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < of.own_vertices(); ++at) count += of.degree(at) > 0 ? 1 : 0;
  count = program::sum_of(count);
  if (count == 0) {
    throw program::wrong_option(
        "no edge of this graph joins two vertices; accepted: more --edges, or another --scale or --seed");
  }
  // Drawn by all ranks alike, and looked at in blocks: who owns a vertex knows its edges.
  std::vector<vertex> block(256);
  std::vector<vertex> roots;
  const auto wanted = static_cast<std::size_t>(std::min(with.roots, count));
  for (std::uint64_t place = 0; roots.size() < wanted;) {
    for (vertex& one : block) {
      one = static_cast<vertex>(program::random_at(static_cast<std::uint64_t>(with.seed) + 1, place++) %
                                static_cast<std::uint64_t>(edges.vertices()));
    }
    const std::vector<std::uint8_t> has_edges = with_edges(of, block, session.rank());
    for (std::size_t i = 0; i < block.size() && roots.size() < wanted; ++i) {
      if (has_edges[i] != 0 && std::find(roots.begin(), roots.end(), block[i]) == roots.end()) {
        roots.push_back(block[i]);
      }
    }
  }
  return roots;
}

bool run(const nopal::mpi::session& session, const arguments& with) {
  const edge_list edges(static_cast<int>(with.scale), static_cast<int>(with.edge_factor),
                        static_cast<std::uint64_t>(with.seed), session.rank(), session.size());
  nopal::mpi::barrier();
  const program::stopwatch construction;
  const graph of(edges, session);
  const double built = program::largest_of(construction.seconds());
  const std::vector<vertex> roots = drawn_roots(of, edges, session, with);
  search tree(of, edges.vertices(), session);
  double inverse_sum = 0;
  double seconds_sum = 0;
  bool is_right = true;
  for (const vertex root : roots) {
    nopal::mpi::barrier();
    const program::stopwatch time;
    const std::vector<vertex> parents = tree.from(root);
    const double seconds = program::largest_of(time.seconds());
    const graph500::verdict found = graph500::validated(root, parents, edges, session);
    if (!found.is_right() && session.rank() == 0) {
      std::fprintf(stderr, "bfs: root %lld: %s\n", static_cast<long long>(root), found.broken_rule);
    }
    is_right = is_right && found.is_right();
    seconds_sum += seconds;
    inverse_sum += seconds / static_cast<double>(std::max<std::int64_t>(found.edges, 1));
  }
  if (session.rank() == 0) {
    const auto count = static_cast<double>(roots.size());
    std::printf("bfs: %d ranks x %d workers, scale %lld, %zu roots: built in %.4f s, searched in %.4f s, "
                "harmonic mean %.4g TEPS\n",
                session.size(), nopal::workers(), static_cast<long long>(with.scale), roots.size(), built,
                seconds_sum, count / inverse_sum);
  }
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  arguments with;
  return program::run(argc, argv, "bfs", "Breadth-first search by the rules of the Graph500.",
                      {{"--scale", "of the graph: 2^N vertices", &with.scale, 1, 40},
                       {"--edges", "for each vertex", &with.edge_factor, 1, 1024},
                       {"--roots", "to search from", &with.roots, 1, 1024},
                       {"--seed", "of graph and roots", &with.seed, 0, 1'000'000'000},
                       program::level_option(with.level)},
                      with.level, [&](const nopal::mpi::session& session) { return run(session, with); });
}

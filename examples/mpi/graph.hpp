// An R-MAT graph as the Graph500 has it, distributed over the ranks: vertex v is rank v mod ranks'.
#ifndef NOPAL_EXAMPLES_MPI_GRAPH_HPP
#define NOPAL_EXAMPLES_MPI_GRAPH_HPP

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "program.hpp"

namespace graph500 {

using vertex = std::int64_t;

/// As it is sent.
struct edge {
  vertex from;
  vertex to;
};

/// The same number of edges on each rank, give or take one. An edge is computed from its place in the list, so
/// the list needs no room, and the validation has it from the same source as the graph, not from the graph.
class edge_list {
public:
  edge_list(int scale, int edge_factor, std::uint64_t seed, int rank, int ranks)
      : scale_(scale), seed_(seed) {
    const std::int64_t all = std::int64_t{edge_factor} << scale;
    first_ = program::first_of(all, ranks, rank);
    last_ = program::first_of(all, ranks, rank + 1);
  }

  [[nodiscard]] std::int64_t count() const { return last_ - first_; }
  [[nodiscard]] vertex vertices() const { return vertex{1} << scale_; }

  /// Of this rank's, from 0. Each bit of both ends is drawn with A = 0.57, B = C = 0.19.
  [[nodiscard]] edge operator[](std::int64_t which) const {
    const auto place = static_cast<std::uint64_t>(first_ + which) * 64;
    edge found{0, 0};
    for (int bit = 0; bit < scale_; ++bit) {
      const double drawn =
          static_cast<double>(program::random_at(seed_, place + static_cast<unsigned>(bit)) >> 11) * 0x1p-53;
      const bool is_lower = drawn >= 0.57 + 0.19;                                    // C or D
      const bool is_right = is_lower ? drawn >= 0.57 + 0.19 + 0.19 : drawn >= 0.57;  // B or D
      found.from = 2 * found.from + (is_lower ? 1 : 0);
      found.to = 2 * found.to + (is_right ? 1 : 0);
    }
    return {scrambled(found.from), scrambled(found.to)};
  }

private:
  /// Another number of as many bits for each, so that those of many edges are not the small ones.
  [[nodiscard]] vertex scrambled(vertex of) const {
    const auto mask = static_cast<std::uint64_t>(vertices() - 1);
    auto bits = static_cast<std::uint64_t>(of);
    // Each step can be undone.
    for (std::uint64_t round = 0; round < 3; ++round) {
      bits = (bits * (program::random_at(seed_, round) | 1)) & mask;
      bits ^= bits >> (scale_ / 2 + 1);
      bits = (bits + program::random_at(seed_, round + 8)) & mask;
    }
    return static_cast<vertex>(bits);
  }

  int scale_;
  std::uint64_t seed_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

/// Things by the rank that they are for.
template <class Thing>
using outgoing = std::vector<std::vector<Thing>>;

/// Sends each rank what is for it, and returns what came, by rank. `behind()` is called while that is under way.
template <class Thing, class F>
outgoing<Thing> exchanged(const outgoing<Thing>& out, F behind) {
  const std::size_t ranks = out.size();
  std::vector<std::int64_t> counts_out(ranks);
  std::vector<std::int64_t> counts(ranks);
  for (std::size_t to = 0; to < ranks; ++to) counts_out[to] = static_cast<std::int64_t>(out[to].size());
  outgoing<Thing> in(ranks);
  nopal::scope s;
  s.fork([&] {
    nopal::mpi::complete(
        [&](MPI_Request* r) {
          return MPI_Ialltoall(counts_out.data(), 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T,
                               MPI_COMM_WORLD, r);
        },
        nullptr, "MPI_Ialltoall");
    std::vector<MPI_Request> requests(2 * ranks, MPI_REQUEST_NULL);
    nopal::mpi::start([&] {
      for (std::size_t other = 0; other < ranks; ++other) {
        in[other].resize(static_cast<std::size_t>(counts[other]));
        const auto bytes = [](std::size_t things) {
          if (things > INT_MAX / sizeof(Thing))
            throw nopal::error("bfs: --scale: too large for so few ranks; accepted: more ranks");
          return static_cast<int>(things * sizeof(Thing));
        };
        const int rank = static_cast<int>(other);
        nopal::mpi::check(MPI_Irecv(in[other].data(), bytes(in[other].size()), MPI_BYTE, rank, 1,
                                    MPI_COMM_WORLD, &requests[other]),
                          "MPI_Irecv");
        nopal::mpi::check(MPI_Isend(out[other].data(), bytes(out[other].size()), MPI_BYTE, rank, 1,
                                    MPI_COMM_WORLD, &requests[ranks + other]),
                          "MPI_Isend");
      }
    });
    nopal::mpi::wait_all(requests);
  });
  behind();
  s.join();
  return in;
}

/// The edges of this rank's vertices, in both directions, without those from a vertex to itself. Of each vertex,
/// first those to vertices of this rank.
class graph {
public:
  graph(const edge_list& edges, const nopal::mpi::session& session)
      : ranks_(session.size()), rank_(session.rank()) {
    outgoing<edge> out(static_cast<std::size_t>(ranks_));
    for (std::int64_t i = 0; i < edges.count(); ++i) {
      const edge one = edges[i];
      if (one.from == one.to) continue;
      out[owner(one.from)].push_back(one);
      out[owner(one.to)].push_back({one.to, one.from});
    }
    const outgoing<edge> in = exchanged(out, [] {});
    const vertex own = (edges.vertices() - rank_ + ranks_ - 1) / ranks_;
    begins_.assign(static_cast<std::size_t>(own) + 1, 0);
    for (const auto& part : in) {
      for (const edge& one : part) ++begins_[local(one.from) + 1];
    }
    for (std::size_t v = 0; v + 1 < begins_.size(); ++v) begins_[v + 1] += begins_[v];
    ends_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (const auto& part : in) {
      for (const edge& one : part) ends_[next[local(one.from)]++] = one.to;
    }
    others_.resize(static_cast<std::size_t>(own));
    nopal::parallel_for(std::size_t{0}, others_.size(), [this](std::size_t v) {
      vertex* const first = ends_.data();
      const auto is_own = [this](vertex to) { return to % ranks_ == rank_; };
      others_[v] = static_cast<std::size_t>(
          std::partition(first + begins_[v], first + begins_[v + 1], is_own) - first);
    });
  }

  [[nodiscard]] std::size_t owner(vertex of) const { return static_cast<std::size_t>(of % ranks_); }
  [[nodiscard]] std::size_t local(vertex of) const { return static_cast<std::size_t>(of / ranks_); }
  [[nodiscard]] vertex global(std::size_t at) const { return static_cast<vertex>(at) * ranks_ + rank_; }
  [[nodiscard]] std::size_t own_vertices() const { return begins_.size() - 1; }
  [[nodiscard]] std::size_t degree(std::size_t at) const { return begins_[at + 1] - begins_[at]; }
  /// Where the edges of an own vertex lead, on this rank and on others.
  [[nodiscard]] std::span<const vertex> to_own(std::size_t at) const {
    return {ends_.data() + begins_[at], ends_.data() + others_[at]};
  }
  [[nodiscard]] std::span<const vertex> to_others(std::size_t at) const {
    return {ends_.data() + others_[at], ends_.data() + begins_[at + 1]};
  }

private:
  int ranks_;
  int rank_;
  std::vector<std::size_t> begins_;  // of each own vertex, in `ends_`
  std::vector<std::size_t> others_;  // where those to other ranks begin
  std::vector<vertex> ends_;
};

}  // namespace graph500

#endif

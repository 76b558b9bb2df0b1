// Parallel breadth-first search layer by layer. The vertices of a layer are in a bag; strands visit its blocks in parallel and
// put what they find into the next layer's, a reducer. Two strands may find a vertex at the same time and both put it there,
// which costs a little work and changes no distance. Follows C. E. Leiserson and T. B. Schardl, "A work-efficient parallel
// breadth-first search algorithm", SPAA 2010.
#ifndef NOPAL_BENCH_PROGRAMS_PARALLEL_SEARCH_HPP
#define NOPAL_BENCH_PROGRAMS_PARALLEL_SEARCH_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <nopal/bag.hpp>
#include <nopal/reducer.hpp>

#include "fork_join.hpp"
#include "graph.hpp"
#include "in_halves.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {

class parallel_search {
public:
  using vertex = graph::vertex;

  /// Vertices with more edges than `grain` have their edges visited in parallel, so many at a time.
  parallel_search(const graph& in, std::ptrdiff_t grain)
      : in_(in), grain_(grain), found_(in.vertices(), unreached) {}

  /// From the vertex `start`.
  void run(vertex start) {
    found_[start] = 0;
    layer current;
    current.insert(start);
    next_layer next;
    for (std::int32_t distance = 1; !current.empty(); ++distance) {
      current.parallel_visit_blocks<scope>(
          [&](const vertex* first, const vertex* last) { visit_block({first, last}, distance, next); });
      current = next.take();
    }
  }

  [[nodiscard]] const distances& found() const { return found_; }

private:
  using layer = nopal::bag<vertex>;
  using next_layer = nopal::reducer<nopal::op_bag<vertex>>;

  void visit_block(std::span<const vertex> block, std::int32_t distance, next_layer& next) {
    layer* mine = &next.view();
    for (const vertex at : block) {
      const std::span<const vertex> edges = in_.neighbours(at);
      if (std::cmp_less_equal(edges.size(), grain_)) {
        visit_edges(edges, distance, *mine);
      } else {
        visit_many_edges(edges, distance, next);
        mine = &next.view();  // another strand's, maybe
      }
    }
  }

  void visit_many_edges(std::span<const vertex> edges, std::int32_t distance, next_layer& next) {
    in_halves(0, static_cast<std::ptrdiff_t>(edges.size()), grain_,
              [this, edges, distance, &next](std::ptrdiff_t first, std::ptrdiff_t last) {
                visit_edges(
                    edges.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
                    distance, next.view());
              });
  }

  void visit_edges(std::span<const vertex> edges, std::int32_t distance, layer& next) {
    for (const vertex to : edges) {
      // Relaxed: whoever is first or second writes the same.
      const std::atomic_ref<std::int32_t> place(found_[to]);
      if (place.load(std::memory_order_relaxed) != unreached) continue;
      place.store(distance, std::memory_order_relaxed);
      next.insert(to);
    }
  }

  const graph& in_;
  std::ptrdiff_t grain_;
  distances found_;
};

/// A program that searches a graph from its busiest vertex.
class search_instance : public instance {
public:
  search_instance(graph in, std::int64_t grain)
      : graph_(std::move(in)), search_(graph_, std::max<std::ptrdiff_t>(1, grain)),
        start_(graph_.vertices() == 0 ? 0 : graph_.busiest()) {}

  void run() override {
    if (graph_.vertices() != 0) search_.run(start_);
  }
  [[nodiscard]] bool verify() const override { return search_.found() == search_serially(graph_); }

private:
  graph graph_;
  parallel_search search_;
  graph::vertex start_;
};

inline constexpr grain_range search_grain = {.meaning = "edges of a vertex visited serially", .usual = 128};

}  // namespace bench::NOPAL_PROGRAM_VARIANT

#endif

// Graphs and their searches: what is made of a seed, the serial search, and the parallel one beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "programs/graph.hpp"
#include "programs/parallel_search.hpp"

namespace {

using bench::graph;
using bench::unreached;
using vertex = graph::vertex;
using neighbours = std::vector<vertex>;

neighbours of(const graph& in, vertex at) { return {in.neighbours(at).begin(), in.neighbours(at).end()}; }

bench::distances searched(const graph& in, std::ptrdiff_t grain) {
  bench::parallel::parallel_search search(in, grain);
  search.run(in.busiest());
  return search.found();
}

TEST(search, graphs_keep_the_order_of_their_edges) {
  const graph made(bench::edge_list{4, {{2, 1}, {0, 3}, {2, 0}, {2, 1}}});
  EXPECT_EQ(made.vertices(), 4u);
  EXPECT_EQ(made.edges(), 4u);
  EXPECT_EQ(of(made, 0), neighbours{3});
  EXPECT_EQ(of(made, 1), neighbours{});
  EXPECT_EQ(of(made, 2), (neighbours{1, 0, 1}));
  EXPECT_EQ(made.busiest(), 2u);
  EXPECT_EQ(graph(bench::edge_list{}).vertices(), 0u);
}

TEST(search, grids_have_an_edge_for_each_two_beside_each_other) {
  EXPECT_EQ(bench::grid_graph(0).vertices(), 0u);
  EXPECT_EQ(bench::grid_graph(1).edges(), 0u);
  const graph made = bench::grid_graph(3);
  EXPECT_EQ(made.vertices(), 27u);
  EXPECT_EQ(made.edges(), 2u * 3 * 9 * 2);
  EXPECT_EQ(of(made, 13), (neighbours{12, 14, 10, 16, 4, 22}));
  EXPECT_EQ(of(made, 0), (neighbours{1, 3, 9}));
}

TEST(search, random_graphs_are_the_same_for_a_seed_and_go_both_ways) {
  const graph made = bench::rmat_graph(6, 7);
  EXPECT_EQ(made.vertices(), 64u);
  EXPECT_EQ(made.edges(), 2u * 16 * 64);
  const graph again = bench::rmat_graph(6, 7);
  const graph other = bench::rmat_graph(6, 8);
  bool differs = false;
  for (vertex at = 0; at < 64; ++at) {
    EXPECT_EQ(of(made, at), of(again, at));
    differs = differs || of(made, at) != of(other, at);
    for (const vertex to : of(made, at)) {
      const neighbours back = of(made, to);
      EXPECT_NE(std::find(back.begin(), back.end(), at), back.end());
    }
  }
  EXPECT_TRUE(differs);
  // Small numbers have more edges.
  EXPECT_EQ(made.busiest(), 0u);
}

TEST(search, distances_count_edges_from_the_busiest_vertex) {
  const graph path(bench::edge_list{5, {{1, 2}, {2, 3}, {1, 1}, {4, 0}}});
  const bench::distances expected = {unreached, 0, 1, 2, unreached};
  EXPECT_EQ(bench::search_serially(path), expected);
  EXPECT_EQ(searched(path, 1), expected);
  EXPECT_TRUE(bench::search_serially(graph()).empty());
}

TEST(search, in_parallel_it_finds_what_it_does_serially) {
  for (const std::ptrdiff_t grain : {1, 3, 128}) {
    for (const graph& in : {bench::grid_graph(30), bench::rmat_graph(12, 5), bench::rmat_graph(0, 1)})
      EXPECT_EQ(searched(in, grain), bench::search_serially(in)) << grain;
  }
}

TEST(search, facts_count_layers_and_lookups) {
  const bench::search_facts grid = bench::facts_of(bench::grid_graph(3), 128, 4);
  EXPECT_EQ(grid.vertices, 27u);
  EXPECT_EQ(grid.reached, 27u);
  EXPECT_EQ(grid.layers, 4);
  // Layers of 1, 6, 12 and 8 in blocks of 4, and each is taken.
  EXPECT_EQ(grid.lookups, 1u + 2 + 3 + 2 + 4);
  // A star: its middle has 9 edges, taken 4 at most at a time, as 4, 2 and 3.
  bench::edge_list star{10, {}};
  for (std::int32_t tip = 1; tip < 10; ++tip) star.edges.emplace_back(0, tip);
  EXPECT_EQ(bench::facts_of(graph(star), 4, 256).lookups, (3u + 1) + 1 + 1 + 2);
}

}  // namespace

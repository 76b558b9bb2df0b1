// The validation of bfs finds trees that are wrong. By all ranks.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "validation.hpp"

namespace {

using graph500::edge;
using graph500::edge_list;
using graph500::vertex;

constexpr int scale = 8;

/// Of the whole graph, by one rank: neighbours, and the trees of a search in breadth or in depth.
struct whole {
  std::vector<std::vector<vertex>> neighbours = std::vector<std::vector<vertex>>(1 << scale);

  explicit whole(const edge_list& edges) {
    for (std::int64_t i = 0; i < edges.count(); ++i) {
      const edge one = edges[i];
      neighbours[static_cast<std::size_t>(one.from)].push_back(one.to);
      neighbours[static_cast<std::size_t>(one.to)].push_back(one.from);
    }
  }

  [[nodiscard]] std::vector<vertex> tree(vertex root, bool in_depth) const {
    std::vector<vertex> parents(neighbours.size(), -1);
    std::deque<edge> found = {{root, root}};
    while (!found.empty()) {
      const edge one = in_depth ? found.back() : found.front();
      in_depth ? found.pop_back() : found.pop_front();
      if (parents[static_cast<std::size_t>(one.to)] >= 0) continue;
      parents[static_cast<std::size_t>(one.to)] = one.from;
      for (const vertex next : neighbours[static_cast<std::size_t>(one.to)]) found.push_back({one.to, next});
    }
    return parents;
  }
};

std::vector<vertex> part_of(const std::vector<vertex>& all, const nopal::mpi::session& session) {
  std::vector<vertex> own;
  for (auto v = static_cast<std::size_t>(session.rank()); v < all.size();
       v += static_cast<std::size_t>(session.size())) {
    own.push_back(all[v]);
  }
  return own;
}

void expect(bool is_so, const char* what, const char* said) {
  if (is_so) return;
  std::fprintf(stderr, "validation_test: %s: '%s'\n", what, said == nullptr ? "" : said);
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const nopal::mpi::session session(argc, argv);
  const edge_list edges(scale, 4, 3, session.rank(), session.size());
  const whole graph(edge_list(scale, 4, 3, 0, 1));

  vertex root = 0;
  while (graph.neighbours[static_cast<std::size_t>(root)].size() < 8) ++root;
  const std::vector<vertex> right = graph.tree(root, false);
  const auto says = [&](const std::vector<vertex>& parents) {
    const char* const found =
        graph500::validated(root, part_of(parents, session), edges, session).broken_rule;
    return std::string(found == nullptr ? "" : found);
  };
  const auto is_told = [&](const char* what, const std::vector<vertex>& parents, const std::string& begin) {
    const std::string found = says(parents);
    expect(begin.empty() ? found.empty() : found.rfind(begin, 0) == 0, what, found.c_str());
  };
  is_told("a right tree", right, "");

  // A vertex at level 2 at least, and a leaf.
  const auto at = [](vertex of) { return static_cast<std::size_t>(of); };
  std::vector<bool> has_children(right.size(), false);
  for (const vertex parent : right) {
    if (parent >= 0) has_children[at(parent)] = true;
  }
  vertex deep = 0;
  while (right[at(deep)] < 0 || right[at(deep)] == root || right[at(right[at(deep)])] != root) ++deep;
  vertex leaf = 0;
  while (right[at(leaf)] < 0 || has_children[at(leaf)] || leaf == root) ++leaf;

  std::vector<vertex> wrong = right;
  wrong[at(right[at(deep)])] = deep;
  is_told("a cycle", wrong, "the parents are no tree");
  wrong = right;
  wrong[at(root)] = deep;
  is_told("a root with a parent", wrong, "the parents are no tree");
  wrong = right;
  wrong[at(leaf)] = 1 << 20;
  is_told("a parent that is no vertex", wrong, "the parents are no tree");
  wrong = right;
  wrong[at(leaf)] = -1;
  is_told("a vertex that is left out", wrong, "an edge leads out of the tree");
  is_told("a search in depth", graph.tree(root, true), "the ends of an edge are more than one level apart");
  // Another parent at the same level, without an edge.
  wrong = right;
  for (std::size_t v = 0; v < right.size(); ++v) {
    const auto& near = graph.neighbours[at(deep)];
    if (right[v] == root && static_cast<vertex>(v) != root &&
        std::find(near.begin(), near.end(), static_cast<vertex>(v)) == near.end()) {
      wrong[at(deep)] = static_cast<vertex>(v);
      break;
    }
  }
  expect(wrong != right, "a parent without an edge", "none was found");
  is_told("a parent without an edge", wrong, "a vertex and its parent are not an edge");
  return 0;
}

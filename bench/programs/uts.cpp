// Unbalanced Tree Search: counts the nodes of a tree that is known only by walking it, a fork per child.
// How many children a node has comes from a SHA-1 digest that depends on all its ancestors, so the
// subtrees' sizes differ wildly and cannot be foreseen.
//
// The trees T1 to T5 and their counts are those published with the benchmark (Olivier et al., "UTS: An
// Unbalanced Tree Search Benchmark", 2006). T1 is wide and T3 narrow and 1,572 levels deep; compiled
// without optimization it needs stacks of more than 1 MiB.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "fork_join.hpp"
#include "program.hpp"
#include "sha1.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

enum class shape { geometric_fixed, geometric_cyclic, geometric_linear, binomial, hybrid };

struct tree {
  shape kind;
  double branching;     ///< mean number of children, before the shape changes it with the depth
  int depth;            ///< of geometric trees, about
  double inner_chance;  ///< of a binomial node to have children
  int inner_children;   ///< that many
  std::uint32_t root_seed;
  std::int64_t nodes;
};

// Number 0 is a small one for tests: its root is chosen by the seed.
constexpr std::array trees = {
    tree{shape::geometric_fixed, 4, 7, 0, 0, 0, 0},
    tree{shape::geometric_fixed, 4, 10, 0, 0, 19, 4130071},
    tree{shape::geometric_cyclic, 6, 16, 0, 0, 502, 4117769},
    tree{shape::binomial, 2000, 0, 0.124875, 8, 42, 4112897},
    tree{shape::hybrid, 6, 16, 0.234375, 4, 1, 4132453},
    tree{shape::geometric_linear, 4, 20, 0, 0, 34, 4147582},
};

struct node {
  sha1_digest state;
  int depth;
};

node root_of(const tree& of) { return {sha1(std::array<std::uint32_t, 5>{0, 0, 0, 0, of.root_seed}), 0}; }

// Apart from the walk, so that its schedule is not in the frames of a deep tree.
[[gnu::noinline]] node child_of(const node& parent, int which) {
  const sha1_digest& of = parent.state;
  return {sha1(std::array{of[0], of[1], of[2], of[3], of[4], static_cast<std::uint32_t>(which)}),
          parent.depth + 1};
}

/// Between 0 and 1, from the last 31 bits of the state.
double random_of(const node& at) { return (at.state[4] & 0x7fffffff) / 2147483648.0; }

double mean_children(const tree& of, int depth) {
  if (depth == 0) return of.branching;
  switch (of.kind) {
  case shape::geometric_cyclic:
    if (depth > 5 * of.depth) return 0;
    return std::pow(of.branching, std::sin(2 * std::numbers::pi * depth / of.depth));
  case shape::geometric_linear:
  case shape::hybrid: return of.branching * (1 - static_cast<double>(depth) / of.depth);
  default: return depth < of.depth ? of.branching : 0;
  }
}

int geometric_children(const tree& of, const node& at) {
  constexpr double most = 100;
  const double chance = 1 / (1 + mean_children(of, at.depth));
  return static_cast<int>(std::min(most, std::floor(std::log(1 - random_of(at)) / std::log(1 - chance))));
}

int binomial_children(const tree& of, const node& at) {
  if (at.depth == 0) return static_cast<int>(of.branching);
  return random_of(at) < of.inner_chance ? of.inner_children : 0;
}

int children_of(const tree& of, const node& at) {
  const bool binomial = of.kind == shape::binomial || (of.kind == shape::hybrid && 2 * at.depth >= of.depth);
  return binomial ? binomial_children(of, at) : geometric_children(of, at);
}

std::int64_t count_children(const tree* of, const node* parent, int first, int last);

std::int64_t count_subtree(const tree* of, const node* parent, int which) {
  const node at = child_of(*parent, which);
  const int children = children_of(*of, at);
  return children == 0 ? 1 : 1 + count_children(of, &at, 0, children);
}

// A frame has room for the counts of a few children; where there are more it forks a half of them.
constexpr int most_counts = 8;

std::int64_t count_children(const tree* of, const node* parent, int first, int last) {
  if (last - first > most_counts) {
    const int middle = first + (last - first) / 2;
    std::int64_t lower;
#ifdef NOPAL_PROGRAM_HAS_INVOKE
    std::int64_t upper;
    invoke([&] { lower = count_children(of, parent, first, middle); },
           [&] { upper = count_children(of, parent, middle, last); });
#else
    scope s;
    s.fork_into(lower, count_children, of, parent, first, middle);
    const std::int64_t upper = count_children(of, parent, middle, last);
    s.join();
#endif
    return lower + upper;
  }
  std::array<std::int64_t, most_counts> counts{};
  scope s;
  for (int which = first; which < last - 1; ++which) {
    s.fork_into(counts[static_cast<std::size_t>(which - first)], count_subtree, of, parent, which);
  }
  const std::int64_t last_count = count_subtree(of, parent, last - 1);
  s.join();
  return std::accumulate(counts.begin(), counts.end(), last_count);
}

std::int64_t count_by_list(const tree& of) {
  std::vector<node> to_visit = {root_of(of)};
  std::int64_t nodes = 0;
  while (!to_visit.empty()) {
    const node at = to_visit.back();
    to_visit.pop_back();
    ++nodes;
    const int children = children_of(of, at);
    for (int which = 0; which < children; ++which) to_visit.push_back(child_of(at, which));
  }
  return nodes;
}

class uts_instance final : public instance {
public:
  explicit uts_instance(const input& with) : tree_(trees[static_cast<std::size_t>(with.size)]) {
    if (tree_.nodes == 0) tree_.root_seed = static_cast<std::uint32_t>(with.seed);
  }
  void run() override {
    const node root = root_of(tree_);
    const int children = children_of(tree_, root);
    result_ = children == 0 ? 1 : 1 + count_children(&tree_, &root, 0, children);
  }
  [[nodiscard]] bool verify() const override {
    return result_ == (tree_.nodes == 0 ? count_by_list(tree_) : tree_.nodes);
  }

private:
  tree tree_;
  std::int64_t result_ = -1;
};

}  // namespace

const program uts_program = {
    .name = "uts",
    .summary = "nodes of an unbalanced tree, a fork per child",
    .size = {.meaning = "tree: 1-5 are T1-T5, 0 small", .usual = 1, .quick = 0, .paper = 3, .largest = 5},
    .grain = {},
    .prepare = prepare<uts_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT

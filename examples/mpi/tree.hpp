// The trees of the Unbalanced Tree Search benchmark (Olivier et al., 2006): how many children a node has comes
// from a SHA-1 digest, so a subtree's size is known only by walking it. Numbers and counts are those published.
#ifndef NOPAL_EXAMPLES_MPI_TREE_HPP
#define NOPAL_EXAMPLES_MPI_TREE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sha1.hpp"

namespace uts {

struct tree {
  bool is_binomial;
  double branching;  ///< mean number of a node's children; of a binomial tree, of the root's
  int depth;         ///< of geometric trees, about
  double chance;     ///< of a binomial node to have `inner` children
  int inner;
  std::uint32_t root_seed;
  std::int64_t nodes;  ///< as published; 0: to be counted by one rank
};

inline constexpr std::array trees = {
    tree{false, 4, 7, 0, 0, 0, 0}, tree{false, 4, 10, 0, 0, 19, 4130071},             // T1
    tree{true, 30, 0, 0.12, 8, 0, 0}, tree{true, 2000, 0, 0.124875, 8, 42, 4112897},  // T3
};

/// As it is sent.
struct node {
  bench::sha1_digest state;
  std::int32_t depth;
};

inline node root_of(const tree& of) {
  return {bench::sha1(std::array<std::uint32_t, 5>{0, 0, 0, 0, of.root_seed}), 0};
}

inline node child_of(const node& parent, int which) {
  const bench::sha1_digest& of = parent.state;
  return {bench::sha1(std::array{of[0], of[1], of[2], of[3], of[4], static_cast<std::uint32_t>(which)}),
          parent.depth + 1};
}

inline int children_of(const tree& of, const node& at) {
  const double random = (at.state[4] & 0x7fffffff) / 2147483648.0;
  if (of.is_binomial) {
    if (at.depth == 0) return static_cast<int>(of.branching);
    return random < of.chance ? of.inner : 0;
  }
  if (at.depth >= of.depth && at.depth > 0) return 0;
  constexpr double most = 100;
  const double chance = 1 / (1 + of.branching);
  return static_cast<int>(std::min(most, std::floor(std::log(1 - random) / std::log(1 - chance))));
}

/// Walks up to `most` nodes, depth first; what is left of the list is what it knows and has not walked.
inline std::int64_t walk(const tree& of, std::vector<node>& list, std::int64_t most) {
  std::int64_t walked = 0;
  while (!list.empty() && walked < most) {
    const node at = list.back();
    list.pop_back();
    ++walked;
    const int children = children_of(of, at);
    for (int which = 0; which < children; ++which) list.push_back(child_of(at, which));
  }
  return walked;
}

}  // namespace uts

#endif

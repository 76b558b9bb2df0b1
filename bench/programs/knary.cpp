// A tree whose work and span can be chosen: n levels, k children of every inner node, the first r of them
// visited serially and the rest forked, and the same serial work in every node. knary.hpp has what both
// amount to, for curves of speedup against parallelism.
#include "knary.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "fork_join.hpp"
#include "program.hpp"
#include "serial_work.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

/// Returns the sum of what the nodes below and `node` itself came to. Nodes are numbered level by level.
std::uint64_t visit(knary_tree tree, std::int64_t steps, std::uint64_t node) {
  const std::uint64_t own = take_steps(node, steps);
  if (tree.depth == 1 || tree.children == 0) return own;
  const auto children = static_cast<std::size_t>(tree.children);
  const auto serial = static_cast<std::size_t>(tree.serial);
  const std::uint64_t first_child = node * children + 1;
  --tree.depth;
  std::array<std::uint64_t, 10> sums{};
  for (std::size_t i = 0; i < serial; ++i) sums[i] = visit(tree, steps, first_child + i);
  scope s;
  for (std::size_t i = serial; i < children; ++i) {
    s.fork_into(sums[i], visit, tree, steps, first_child + i);
  }
  s.join();
  return std::accumulate(sums.begin(), sums.end(), own);
}

class knary_instance final : public instance {
public:
  explicit knary_instance(const input& with) : tree_(knary_tree_of(with.size)), steps_(with.grain) {}
  void run() override { result_ = tree_.depth == 0 ? 0 : visit(tree_, steps_, 0); }

  // A node's steps are an affine map of its number, so they can be taken at once for all numbers' sum.
  [[nodiscard]] bool verify() const override {
    const std::uint64_t nodes = tree_.work();
    const std::uint64_t numbers = nodes % 2 == 0 ? nodes / 2 * (nodes - 1) : (nodes - 1) / 2 * nodes;
    const affine_map all_steps = steps_at_once(steps_);
    return result_ == all_steps.multiplier * numbers + all_steps.increment * nodes;
  }

private:
  knary_tree tree_;
  std::int64_t steps_;
  std::uint64_t result_ = 0;
};

}  // namespace

const program knary_program = {
    .name = "knary",
    .summary = "synthetic tree of chosen work and span, by default knary(10,5,2)",
    .size = {.meaning = "100 n + 10 k + r", .usual = 1052, .quick = 752, .paper = 1052, .largest = 2099},
    .grain = {.meaning = "steps of serial work in a node", .usual = 400},
    .prepare = prepare<knary_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT

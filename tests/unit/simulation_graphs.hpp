// Fork-join graphs whose work and span are known.
#ifndef NOPAL_TESTS_UNIT_SIMULATION_GRAPHS_HPP
#define NOPAL_TESTS_UNIT_SIMULATION_GRAPHS_HPP

#include <utility>

#include "record/graph.hpp"

namespace recording {

inline constexpr picoseconds nanosecond = 1000;

/// Forks `depth` deep, one child each, with nothing beside: every continuation is empty.
inline graph chain(int depth, picoseconds leaf) {
  graph_builder build;
  for (int i = 0; i < depth; ++i) build.fork(0, true);
  for (int i = 0; i < depth; ++i) {
    build.end(i == 0 ? leaf : 0);
    build.join(0);
  }
  return build.finish(0);
}

inline void add_tree(graph_builder& build, int depth, picoseconds leaf, picoseconds& last) {
  if (depth == 0) {
    last += leaf;
    return;
  }
  build.fork(std::exchange(last, 0), true);
  add_tree(build, depth - 1, leaf, last);
  build.end(std::exchange(last, 0));
  add_tree(build, depth - 1, leaf, last);
  build.join(std::exchange(last, 0));
}

/// A perfect binary tree: the left half is forked, the right half called.
inline graph tree(int depth, picoseconds leaf) {
  graph_builder build;
  picoseconds last = 0;
  add_tree(build, depth, leaf, last);
  return build.finish(last);
}

/// One scope that forks a leaf per iteration, `step` of its own work before each.
inline graph loop(int iterations, picoseconds leaf, picoseconds step) {
  graph_builder build;
  for (int i = 0; i < iterations; ++i) {
    build.fork(step, i == 0);
    build.end(leaf);
  }
  if (iterations > 0) build.join(0);
  return build.finish(0);
}

}  // namespace recording

#endif

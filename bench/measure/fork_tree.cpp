#include "measure/fork_tree.hpp"

#include <nopal/scope.hpp>

namespace measure::NOPAL_PROGRAM_VARIANT {

// Not inlined into itself in one variant and not in the other; and not pure, or one call would do for both halves.
[[gnu::noinline]] long count_leaves(int depth) {
  asm volatile("");
  if (depth == 0) return 1;
  long left;
  nopal::scope s;
  s.fork_into(left, count_leaves, depth - 1);
  const long right = count_leaves(depth - 1);
  s.join();
  return left + right;
}

}  // namespace measure::NOPAL_PROGRAM_VARIANT

// A recursion that forks at every level and does next to nothing else, compiled with and without its forks.
#ifndef NOPAL_BENCH_MEASURE_FORK_TREE_HPP
#define NOPAL_BENCH_MEASURE_FORK_TREE_HPP

namespace measure {

namespace parallel {
[[nodiscard]] long count_leaves(int depth);
}
namespace elided {
[[nodiscard]] long count_leaves(int depth);
}

}  // namespace measure

#endif

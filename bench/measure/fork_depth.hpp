// The D of the space bound: how deeply forks nest, counted by code compiled as the `depth` variant.
#ifndef NOPAL_BENCH_MEASURE_FORK_DEPTH_HPP
#define NOPAL_BENCH_MEASURE_FORK_DEPTH_HPP

namespace measure {

/// The most scopes that had forked and not joined at once on this thread since the last call.
[[nodiscard]] long take_fork_depth();

}  // namespace measure

#endif

// The S1 of the space bound: how many pages of stack a call touches.
#ifndef NOPAL_BENCH_MEASURE_FRESH_STACK_HPP
#define NOPAL_BENCH_MEASURE_FRESH_STACK_HPP

#include <cstddef>
#include <functional>

namespace measure {

/// Calls `f` on a stack of its own that no one has touched and returns how many of its pages are
/// resident afterwards. Rethrows what `f` throws. `f` must return on the thread it was called on.
std::size_t pages_touched_by(const std::function<void()>& f);

}  // namespace measure

#endif

// A discrete-event simulation of the scheduler on a recorded fork-join graph. No thread, no clock: what comes out
// depends on what goes in, the seed included, and on nothing else.
#ifndef NOPAL_BENCH_SIMULATE_SIMULATOR_HPP
#define NOPAL_BENCH_SIMULATE_SIMULATOR_HPP

#include <cstdint>

#include "record/graph.hpp"
#include "simulate/costs.hpp"
#include "simulate/scheduler.hpp"

namespace simulate {

/// Runs `of` on `workers`, all but the program's own thread asleep at the start. Throws std::logic_error if it loses a
/// strand.
[[nodiscard]] outcome run(const recording::graph& of, const costs& with, int workers, std::uint64_t seed);

}  // namespace simulate

#endif

// What the steps of the scheduler cost on this machine, for the simulation.
#ifndef NOPAL_BENCH_MEASURE_COSTS_HPP
#define NOPAL_BENCH_MEASURE_COSTS_HPP

#include "simulate/costs.hpp"

namespace measure {

/// Measures all of them, in about a second; medians and minima, since others may use the machine. Stops and starts the
/// runtime. Where there is one processor only, what takes two keeps its default.
[[nodiscard]] simulate::costs scheduler_costs();

/// Those that the system decides: barrier, interrupted, wake, wake_latency, discard, refault, look, yield, line.
void measure_system(simulate::costs& into);

/// Those of the runtime: fork, publish, visible, steal, leave, resume.
void measure_runtime(simulate::costs& into);

}  // namespace measure

#endif

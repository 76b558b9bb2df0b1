// A discrete-event simulation of the scheduler on a recorded fork-join graph. No thread, no clock: what comes out
// depends on what goes in, the seed included, and on nothing else.
//
// It follows src/scheduler step by step, each step at one moment, with what it costs put behind it; docs/simulation.md
// says what is left out.
#ifndef NOPAL_BENCH_SIMULATE_SIMULATOR_HPP
#define NOPAL_BENCH_SIMULATE_SIMULATOR_HPP

#include <cstdint>

#include "record/graph.hpp"
#include "simulate/costs.hpp"

namespace simulate {

using recording::picoseconds;

/// One simulated run.
struct outcome {
  picoseconds time = 0;
  std::uint64_t steals = 0;
  std::uint64_t failed_looks = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t publishes = 0;
  std::uint64_t forced_publishes = 0;
  std::uint64_t parks = 0;
  std::uint64_t wakes = 0;
  std::uint64_t discards = 0;
};

/// Runs `of` on `workers`, all but the program's own thread asleep at the start. Throws std::logic_error if it loses a
/// strand.
[[nodiscard]] outcome run(const recording::graph& of, const costs& with, int workers, std::uint64_t seed);

}  // namespace simulate

#endif

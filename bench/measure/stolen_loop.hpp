// A loop of forked leaves in which each continuation is wanted: what happened when.
#ifndef NOPAL_BENCH_MEASURE_STOLEN_LOOP_HPP
#define NOPAL_BENCH_MEASURE_STOLEN_LOOP_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace measure {

/// Times in nanoseconds.
struct iteration {
  std::int64_t before_fork = 0;
  std::int64_t leaf_started = 0;
  std::int64_t leaf_ended = 0;
  std::int64_t continued = 0;
  int leaf_worker = -1;
  int continuing_worker = -1;
};

/// Leaves of 3 us.
[[nodiscard]] std::vector<iteration> run_stolen_loop(std::size_t length);

}  // namespace measure

#endif

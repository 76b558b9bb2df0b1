// Where the time of an unstolen fork goes: Fibonacci numbers with ever more of a fork and join done.
#ifndef NOPAL_BENCH_MEASURE_FORK_STEPS_HPP
#define NOPAL_BENCH_MEASURE_FORK_STEPS_HPP

#include <string>
#include <vector>

namespace measure {

struct fork_step {
  std::string name;         ///< what this step adds to those before
  double seconds_per_fork;  ///< with all steps up to this one; the least of many runs
};

/// From the serial program to the whole fork. Takes about a second, on this thread alone; the runtime must have been
/// configured for one worker.
[[nodiscard]] std::vector<fork_step> measure_fork_steps();

}  // namespace measure

#endif

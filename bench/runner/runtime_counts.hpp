// What a run's record says of Nopal's runtime.
#ifndef NOPAL_BENCH_RUNNER_RUNTIME_COUNTS_HPP
#define NOPAL_BENCH_RUNNER_RUNTIME_COUNTS_HPP

#include <nopal/runtime.hpp>

#include "runner/run_record.hpp"

namespace bench {

/// What the runtime counted between two looks at its statistics, and the most stacks until the second.
inline void add_runtime_counts(run_record& record, const nopal::statistics& before,
                               const nopal::statistics& after) {
  const auto counted = [&](auto member) { return after.total.*member - before.total.*member; };
  record.steals = counted(&nopal::worker_statistics::steals);
  record.failed_steals = counted(&nopal::worker_statistics::failed_steals);
  record.suspensions = counted(&nopal::worker_statistics::suspensions);
  record.publishes = counted(&nopal::worker_statistics::publishes);
  record.forced_publishes = counted(&nopal::worker_statistics::forced_publishes);
  record.parks = counted(&nopal::worker_statistics::parks);
  record.pages_reclaimed = counted(&nopal::worker_statistics::pages_reclaimed);
  record.stacks_peak = after.stacks_peak;
  record.stack_pages_peak = after.stack_pages_peak;
}

}  // namespace bench

#endif

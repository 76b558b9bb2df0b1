// What a run's record says of Nopal's runtime.
#ifndef NOPAL_BENCH_RUNNER_RUNTIME_COUNTS_HPP
#define NOPAL_BENCH_RUNNER_RUNTIME_COUNTS_HPP

#include <nopal/runtime.hpp>

#include "runner/run_record.hpp"

namespace bench {

/// What the runtime counted between two looks at its statistics, and the most stacks until the second.
inline void add_runtime_counts(run_record& record, const nopal::statistics& before,
                               const nopal::statistics& after) {
#define BENCH_COUNTER(name, which, ...) BENCH_IF_##which(record.name = after.total.name - before.total.name;)
  NOPAL_DETAIL_WORKER_COUNTERS(BENCH_COUNTER)
#undef BENCH_COUNTER
#define BENCH_COUNTER(name, which, ...) BENCH_IF_##which(record.name = after.name;)
  NOPAL_DETAIL_RUNTIME_COUNTERS(BENCH_COUNTER)
#undef BENCH_COUNTER
}

}  // namespace bench

#endif

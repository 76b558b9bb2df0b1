// What a run takes of the system's memory.
#ifndef NOPAL_BENCH_RUNNER_RESOURCES_HPP
#define NOPAL_BENCH_RUNNER_RESOURCES_HPP

#include <cstdint>

#include "runner/run_record.hpp"

namespace bench {

/// From its making to `finish`: page faults and the most memory resident at once, of the whole process.
class resource_watch {
public:
  resource_watch();
  void finish(run_record& record) const;

private:
  std::int64_t faults_before_;
  std::int64_t resident_before_kib_;
};

}  // namespace bench

#endif

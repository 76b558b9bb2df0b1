// How a process that takes one run ends.
#ifndef NOPAL_BENCH_RUNNER_END_WITH_PARENT_HPP
#define NOPAL_BENCH_RUNNER_END_WITH_PARENT_HPP

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace bench {

/// However the ordering process ends, this one must not outlive it. `parent` is its id, or zero.
inline void end_with_parent(std::int64_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (parent != 0 && getppid() != parent) raise(SIGKILL);
}

}  // namespace bench

#endif

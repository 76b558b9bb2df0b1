// Affinity masks of a fixed size: of the caller, and of the process's first thread.
#include "os/os.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

// `thread` is the system's number; 0: the caller. The kernel writes as many bytes as it has CPUs for.
bool read_mask(pid_t thread, cpu_bits& cpus) noexcept {
  for (std::uint64_t& word : cpus.words) word = 0;
  return syscall(SYS_sched_getaffinity, thread, sizeof cpus, cpus.words) >= 0;
}

}  // namespace

bool own_cpus(cpu_bits& cpus) noexcept { return read_mask(0, cpus); }

std::vector<int> first_threads_affinity() {
  cpu_bits cpus;
  if (!read_mask(getpid(), cpus)) return current_affinity();
  std::vector<int> list;
  for (int cpu = 0; cpu < static_cast<int>(sizeof cpus) * 8; ++cpu) {
    if ((cpus.words[static_cast<std::size_t>(cpu) / 64] >> cpu % 64 & 1) != 0) list.push_back(cpu);
  }
  return list;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

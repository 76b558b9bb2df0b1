// Affinity masks of a fixed size: of the caller, of the process's first thread, of a thread that is kept off a CPU.
#include "os/os.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

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

constexpr int cpus_in_bits = static_cast<int>(sizeof(cpu_bits)) * 8;

/// The word of `cpus` that `cpu` is in, and its bit there.
std::uint64_t& word_of(cpu_bits& cpus, int cpu) noexcept { return cpus.words[cpu / 64]; }
constexpr std::uint64_t bit_of(int cpu) noexcept { return std::uint64_t{1} << cpu % 64; }

// Makes the system calls directly, with one buffer for both masks: ThreadSanitizer would take the C
// library's functions, and copies, for accesses of the strand for which a slow path works.
bool set_cpus_but(int thread_id, int cpu, cpu_bits& cpus) noexcept {
  static_assert(sizeof(long) == sizeof cpus.words[0], "the kernel's masks are arrays of long");
  std::uint64_t& word = word_of(cpus, cpu);
  const std::uint64_t was = word;
  word &= ~bit_of(cpu);
  const bool may_run_elsewhere =
      std::any_of(std::begin(cpus.words), std::end(cpus.words), [](std::uint64_t one) { return one != 0; });
  const bool set =
      may_run_elsewhere && syscall(SYS_sched_setaffinity, thread_id, sizeof cpus, cpus.words) == 0;
  word = was;
  return set;
}

}  // namespace

bool forbid_cpu(int thread_id, int cpu, cpu_bits& before) noexcept {
  return cpu >= 0 && cpu < cpus_in_bits && read_mask(thread_id, before) &&
         set_cpus_but(thread_id, cpu, before);
}

bool allow_cpus_but(int thread_id, int cpu, cpu_bits& before) noexcept {
  return cpu >= 0 && cpu < cpus_in_bits && set_cpus_but(thread_id, cpu, before);
}

bool allow_cpus(const cpu_bits& cpus) noexcept {
  return syscall(SYS_sched_setaffinity, 0, sizeof cpus, cpus.words) == 0;
}

bool is_kept_off(int thread_id, int cpu, const cpu_bits& before) noexcept {
  cpu_bits now;
  if (!read_mask(thread_id, now)) return true;
  word_of(now, cpu) |= bit_of(cpu);
  // No function of the C library, see set_cpus_but.
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < std::size(now.words); ++i) changed |= now.words[i] ^ before.words[i];
  return changed == 0;
}

bool allow_cpus_again(int cpu, const cpu_bits& before) noexcept {
  return !is_kept_off(0, cpu, before) || allow_cpus(before);
}

bool waits_for_equals() noexcept {
  // One C library has a function that only fails. Above these bits there are flags.
  const long policy = syscall(SYS_sched_getscheduler, 0) & 0xff;
  return policy == SCHED_FIFO || policy == SCHED_RR;
}

bool own_cpus(cpu_bits& cpus) noexcept { return read_mask(0, cpus); }

std::vector<int> first_threads_affinity() {
  cpu_bits cpus;
  if (!read_mask(getpid(), cpus)) return current_affinity();
  std::vector<int> list;
  for (int cpu = 0; cpu < cpus_in_bits; ++cpu) {
    if ((cpus.words[static_cast<std::size_t>(cpu) / 64] >> cpu % 64 & 1) != 0) list.push_back(cpu);
  }
  return list;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

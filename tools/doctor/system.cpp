#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/utsname.h>

#include <fmt/format.h>

#include "doctor/checks.hpp"
#include "doctor/kernel_files.hpp"
#include "format.hpp"
#include "os/os.hpp"
#include "os/unwind_tables.hpp"

namespace tool::doctor {
namespace {

namespace os = nopal::internal::os;

finding kernel_finding() {
  utsname names{};
  if (uname(&names) != 0) return {"kernel", "unknown", nullptr, verdict::ok, {}};
  return plain_finding("kernel", fmt::format("{} {} {}", names.sysname, names.release, names.machine));
}

// What a start does: the calling thread is a worker too.
finding threads_finding(int workers) {
  std::atomic<std::uint32_t> stop{0};
  const auto wait_for_stop = [](void* word) {
    auto& stopped = *static_cast<std::atomic<std::uint32_t>*>(word);
    while (stopped == 0) os::futex_wait(stopped, 0);
  };
  std::vector<os::thread_handle> threads(static_cast<std::size_t>(workers) - 1);
  std::size_t started = 0;
  int failure = 0;
  while (started < threads.size() && failure == 0) {
    failure = os::start_thread(wait_for_stop, &stop, 0, threads[started]);
    if (failure == 0) ++started;
  }
  stop = 1;
  os::futex_wake(stop, std::numeric_limits<int>::max());
  for (std::size_t i = 0; i < started; ++i) os::join_thread(threads[i]);
  finding found{"threads started on trial", format_count(started, "thread"), started, verdict::ok, {}};
  if (failure != 0) {
    judge(
        found, verdict::problem,
        fmt::format("{} are needed beside the caller ({}): raise ulimit -u, ulimit -v or pids.max, or lower "
                    "NOPAL_WORKERS",
                    threads.size(), std::strerror(failure)));
  }
  return found;
}

finding process_limit_finding() {
  rlimit limit{};
  finding found{"RLIMIT_NPROC", "unknown", nullptr, verdict::ok, {}};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return found;
  const bool limited = limit.rlim_cur != RLIM_INFINITY;
  found.value = limited ? format_count(limit.rlim_cur, "thread") + " of this user" : "unlimited";
  if (limited) found.data = static_cast<std::uint64_t>(limit.rlim_cur);
  return found;
}

}  // namespace

section check_system(int workers) {
  return {"System",
          {kernel_finding(), threads_finding(workers), process_limit_finding(), pids_finding(),
           shadow_stack_finding(),
           latent_forks_finding(os::finds_unwind_entries(), std::getenv("NOPAL_FORKS"),
                                std::getenv("NOPAL_SIGNAL")),
           perf_finding(), ptrace_finding()}};
}

}  // namespace tool::doctor

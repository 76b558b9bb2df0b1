#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <sys/utsname.h>

#include <fmt/format.h>

#include "doctor/checks.hpp"
#include "format.hpp"
#include "os/linux/cgroup.hpp"
#include "os/linux/text_file.hpp"
#include "os/os.hpp"

namespace tool::doctor {
namespace {

namespace os = nopal::os;

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

finding pids_finding() {
  finding found{"cgroup pids.max", "unlimited", nullptr, verdict::ok, {}};
  long long least = std::numeric_limits<long long>::max();
  for (const os::cgroup_ancestry& groups : os::find_cgroups("", "pids")) {
    for (const std::string& directory : groups.directories) {
      long long most = 0;  // the word "max" stands for no limit
      if (!os::read_number_file(directory + "/pids.max", most) || most >= least) continue;
      least = most;
      found.value =
          fmt::format("{} ({})", format_count(static_cast<std::uint64_t>(most), "thread"), directory);
      found.data = most;
    }
  }
  return found;
}

// The words after "name:" in a file of such lines; empty if there is no such line.
std::string words_of_line(const std::string& path, std::string_view name) {
  std::string text;
  (void)os::read_text_file(path, text);
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = os::take_until(rest, '\n');
    if (os::trim_end(os::take_until(line, ':')) == name) return std::string(line) + ' ';
  }
  return {};
}

// A shadow stack keeps return addresses of one stack; a continuation that returns on another one traps.
finding shadow_stack_finding() {
  const bool supported = words_of_line("/proc/cpuinfo", "flags").find(" user_shstk ") != std::string::npos;
  const bool enabled =
      words_of_line("/proc/self/status", "x86_Thread_features").find("shstk ") != std::string::npos;
  finding found{"shadow stack",
                enabled     ? "on in this process"
                : supported ? "off in this process; CPU and kernel have it"
                            : "not in this CPU or kernel",
                {{"supported", supported}, {"enabled", enabled}},
                verdict::ok,
                {}};
  if (enabled) {
    judge(found, verdict::problem,
          "stolen continuations return on other stacks: start without glibc.cpu.hwcaps=SHSTK in "
          "GLIBC_TUNABLES");
  }
  return found;
}

finding perf_finding() {
  finding found{"perf_event_paranoid", "not in this kernel", nullptr, verdict::ok, {}};
  long long level = 0;
  if (!os::read_number_file("/proc/sys/kernel/perf_event_paranoid", level)) return found;
  found.value = std::to_string(level);
  found.data = level;
  if (level > 2)
    judge(found, verdict::note, "perf works for root alone: sysctl kernel.perf_event_paranoid=2");
  return found;
}

finding ptrace_finding() {
  finding found{"ptrace_scope", "not in this kernel: debuggers may attach", nullptr, verdict::ok, {}};
  long long scope = 0;
  if (!os::read_number_file("/proc/sys/kernel/yama/ptrace_scope", scope)) return found;
  found.value = std::to_string(scope);
  found.data = scope;
  if (scope > 0) {
    judge(found, verdict::note,
          "a debugger starts the program itself; to attach to it: sysctl kernel.yama.ptrace_scope=0");
  }
  return found;
}

}  // namespace

section check_system(int workers) {
  return {"System",
          {kernel_finding(), threads_finding(workers), process_limit_finding(), pids_finding(),
           shadow_stack_finding(), perf_finding(), ptrace_finding()}};
}

}  // namespace tool::doctor

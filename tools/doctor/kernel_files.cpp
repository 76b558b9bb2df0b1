#include "doctor/kernel_files.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "format.hpp"
#include "os/linux/cgroup.hpp"
#include "os/linux/text_file.hpp"

namespace tool::doctor {
namespace {

namespace os = nopal::internal::os;

constexpr int mappings_per_stack = 2;  // the stack and its guard

std::size_t mappings_now(const std::string& root) {
  std::string maps;
  if (!os::read_text_file(root + "/proc/self/maps", maps)) return 0;
  return static_cast<std::size_t>(std::count(maps.begin(), maps.end(), '\n'));
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

}  // namespace

finding mapping_count_finding(int workers, const std::string& root) {
  finding found{"vm.max_map_count", "unknown", nullptr, verdict::ok, {}};
  long long most = 0;
  if (!os::read_number_file(root + "/proc/sys/vm/max_map_count", most) || most < 0) return found;
  const long long stacks =
      std::max(0LL, most - static_cast<long long>(mappings_now(root))) / mappings_per_stack;
  found.value =
      fmt::format("{}: room for {}", most, format_count(static_cast<std::uint64_t>(stacks), "stack"));
  found.data = {{"mappings", most}, {"stacks", stacks}};
  if (stacks < 64LL * workers) {
    judge(found, verdict::note,
          "deep nesting on many workers may run out of stacks: sysctl vm.max_map_count=262144");
  }
  return found;
}

finding overcommit_finding(const std::string& root) {
  static constexpr const char* meanings[] = {"heuristic", "always", "never"};
  finding found{"vm.overcommit_memory", "unknown", nullptr, verdict::ok, {}};
  long long mode = 0;
  if (!os::read_number_file(root + "/proc/sys/vm/overcommit_memory", mode) || mode < 0 || mode > 2)
    return found;
  found.value = fmt::format("{} ({})", mode, meanings[mode]);
  found.data = mode;
  if (mode == 2) {
    judge(found, verdict::note,
          "every stack counts in full against the commit limit; a smaller NOPAL_STACK_SIZE helps");
  }
  return found;
}

std::string huge_page_mode(const std::string& root) {
  std::string text;
  if (!os::read_text_file(root + "/sys/kernel/mm/transparent_hugepage/enabled", text)) return {};
  const std::size_t start = text.find('[');
  const std::size_t end = start == std::string::npos ? start : text.find(']', start);
  return end == std::string::npos ? std::string() : text.substr(start + 1, end - start - 1);
}

finding pids_finding(const std::string& root) {
  finding found{"cgroup pids.max", "unlimited", nullptr, verdict::ok, {}};
  long long least = std::numeric_limits<long long>::max();
  for (const os::cgroup_ancestry& groups : os::find_cgroups(root, "pids")) {
    for (const std::string& directory : groups.directories) {
      long long most = 0;  // the word "max" stands for no limit
      if (!os::read_number_file(directory + "/pids.max", most) || most < 0 || most >= least) continue;
      least = most;
      found.value =
          fmt::format("{} ({})", format_count(static_cast<std::uint64_t>(most), "thread"), directory);
      found.data = most;
    }
  }
  return found;
}

// A shadow stack keeps return addresses of one stack; a continuation that returns on another one traps.
finding shadow_stack_finding(const std::string& root) {
  const bool supported =
      words_of_line(root + "/proc/cpuinfo", "flags").find(" user_shstk ") != std::string::npos;
  const bool enabled =
      words_of_line(root + "/proc/self/status", "x86_Thread_features").find("shstk ") != std::string::npos;
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

finding perf_finding(const std::string& root) {
  finding found{"perf_event_paranoid", "not in this kernel", nullptr, verdict::ok, {}};
  long long level = 0;
  if (!os::read_number_file(root + "/proc/sys/kernel/perf_event_paranoid", level)) return found;
  found.value = std::to_string(level);
  found.data = level;
  if (level > 2)
    judge(found, verdict::note, "perf works for root alone: sysctl kernel.perf_event_paranoid=2");
  return found;
}

finding ptrace_finding(const std::string& root) {
  finding found{"ptrace_scope", "not in this kernel: debuggers may attach", nullptr, verdict::ok, {}};
  long long scope = 0;
  if (!os::read_number_file(root + "/proc/sys/kernel/yama/ptrace_scope", scope)) return found;
  found.value = std::to_string(scope);
  found.data = scope;
  if (scope > 0) {
    judge(found, verdict::note,
          "a debugger starts the program itself; to attach to it: sysctl kernel.yama.ptrace_scope=0");
  }
  return found;
}

}  // namespace tool::doctor

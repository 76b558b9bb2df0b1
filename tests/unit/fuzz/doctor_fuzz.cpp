// What `nopal doctor` makes of the files of /proc and /sys, as text and as JSON.
#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "doctor/checks.hpp"
#include "doctor/kernel_files.hpp"
#include "doctor/report.hpp"
#include "fake_files.hpp"
#include "fuzz.hpp"
#include "os/os.hpp"

namespace {

namespace doctor = tool::doctor;
namespace os = nopal::internal::os;

const std::vector<std::string> names = {"/proc/self/maps",
                                        "/proc/sys/vm/max_map_count",
                                        "/proc/sys/vm/overcommit_memory",
                                        "/sys/kernel/mm/transparent_hugepage/enabled",
                                        "/proc/cpuinfo",
                                        "/proc/self/status",
                                        "/proc/sys/kernel/perf_event_paranoid",
                                        "/proc/sys/kernel/yama/ptrace_scope",
                                        "/proc/self/cgroup",
                                        "/proc/self/mountinfo",
                                        "/sys/fs/cgroup/pids.max",
                                        "/sys/fs/cgroup/a/pids.max",
                                        "/sys/fs/cgroup/a/cpu.max",
                                        "/sys/devices/system/cpu/online",
                                        "/sys/devices/system/cpu/cpu0/topology/physical_package_id"};

constexpr int workers = 4;

doctor::section memory_and_system(const std::string& root) {
  return {"Kernel",
          {doctor::mapping_count_finding(workers, root), doctor::overcommit_finding(root),
           doctor::plain_finding("huge pages", doctor::huge_page_mode(root)), doctor::pids_finding(root),
           doctor::shadow_stack_finding(root), doctor::perf_finding(root), doctor::ptrace_finding(root)}};
}

void check_finding(const doctor::finding& found) {
  FUZZ_CHECK(!found.name.empty());
  FUZZ_CHECK((found.judged == doctor::verdict::ok) == found.advice.empty());
  for (const char* const count : {"mappings", "stacks"}) {
    FUZZ_CHECK(!found.data.is_object() || !found.data.contains(count) || found.data[count] >= 0);
  }
  FUZZ_CHECK(found.name != "cgroup pids.max" || found.data.is_null() || found.data >= 0);
  FUZZ_CHECK(found.name != "huge pages" || found.value.find(']') == std::string::npos);
}

// Two headings, each with an empty line behind, a line per finding, and the summary.
void check_text(const std::vector<doctor::section>& sections, std::size_t findings) {
  const std::string text = doctor::text_report(sections);
  FUZZ_CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) ==
             2 * sections.size() + findings + 1);
  FUZZ_CHECK(std::none_of(text.begin(), text.end(),
                          [](char c) { return c != '\n' && ((c >= 0 && c < ' ') || c == 0x7f); }));
}

void check_json(const std::vector<doctor::section>& sections, std::size_t findings) {
  const nlohmann::json read = nlohmann::json::parse(doctor::json_report(sections));
  std::size_t total = 0;
  for (const auto& section : read["sections"]) total += section.size();
  FUZZ_CHECK(total == findings);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::fake_files files(names);
  files.set(fuzz::text_of(data, size));
  const std::vector<doctor::section> sections = {
      doctor::describe_cpus(os::read_cpu_allowance(files.path()), os::read_topology({0, 1}, files.path())),
      memory_and_system(files.path())};
  std::size_t findings = 0;
  for (const doctor::section& part : sections) {
    findings += part.findings.size();
    for (const doctor::finding& found : part.findings) check_finding(found);
  }
  check_text(sections, findings);
  check_json(sections, findings);
  return 0;
}

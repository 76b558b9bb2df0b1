// What control groups grant, of both versions, from the tables of /proc and the groups' files.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "fake_files.hpp"
#include "fuzz.hpp"
#include "os/linux/cgroup.hpp"
#include "os/os.hpp"

namespace {

namespace os = nopal::internal::os;

const std::vector<std::string> names = {"/proc/self/cgroup",
                                        "/proc/self/mountinfo",
                                        "/sys/fs/cgroup/cpu.max",
                                        "/sys/fs/cgroup/a/cpu.max",
                                        "/sys/fs/cgroup/a/b/cpu.max",
                                        "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                                        "/sys/fs/cgroup/cpu/cpu.cfs_period_us",
                                        "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us",
                                        "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us",
                                        "/sys/devices/system/cpu/online"};

void check_allowance(const os::cpu_allowance& allowance) {
  FUZZ_CHECK(allowance.online >= 1);
  FUZZ_CHECK(allowance.affinity >= 1);
  FUZZ_CHECK(allowance.cgroup_version >= 0 && allowance.cgroup_version <= 2);
  FUZZ_CHECK(std::isfinite(allowance.cgroup_quota) && allowance.cgroup_quota >= 0);
  FUZZ_CHECK(allowance.cgroup_version != 0 ||
             (allowance.cgroup_quota == 0 && *allowance.cgroup_path == '\0'));
  FUZZ_CHECK(std::memchr(allowance.cgroup_path, 0, sizeof allowance.cgroup_path) != nullptr);
  const double granted = allowance.cgroup_quota > 0 ? std::ceil(allowance.cgroup_quota) : allowance.affinity;
  FUZZ_CHECK(allowance.allowed == std::clamp(granted, 1.0, static_cast<double>(allowance.affinity)));
}

// From the own group up: each directory is the one before without its last name.
void check_ancestry(const os::cgroup_ancestry& groups) {
  FUZZ_CHECK(groups.version == 1 || groups.version == 2);
  FUZZ_CHECK(!groups.directories.empty());
  for (std::size_t i = 1; i < groups.directories.size(); ++i) {
    const std::string& below = groups.directories[i - 1];
    FUZZ_CHECK(groups.directories[i] == below.substr(0, below.rfind('/')));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::fake_files files(names);
  files.set(fuzz::text_of(data, size));
  const os::cpu_allowance allowance = os::read_cpu_allowance(files.path());
  check_allowance(allowance);
  bool path_is_known = allowance.cgroup_version == 0;
  for (const os::cgroup_ancestry& groups : os::find_cgroups(files.path(), "cpu")) {
    check_ancestry(groups);
    for (const std::string& directory : groups.directories) {
      path_is_known = path_is_known || std::strncmp(allowance.cgroup_path, directory.c_str(),
                                                    sizeof allowance.cgroup_path - 1) == 0;
    }
  }
  FUZZ_CHECK(path_is_known);
  return 0;
}

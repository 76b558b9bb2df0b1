// How many CPUs this process may use: the affinity mask, and the CPU time that control groups
// grant.
#include "os/os.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "os/linux/cgroup.hpp"
#include "os/linux/text_file.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

struct cgroup_limit {
  double cpus = 0;  // 0: none
  std::string directory;
};

// Version 2 keeps "quota period" in one file, with the word "max" for no quota.
bool read_quota_v2(const std::string& directory, long long& quota_us, long long& period_us) {
  std::string text;
  if (!read_text_file(directory + "/cpu.max", text)) return false;
  std::string_view rest = trim_end(text);
  return parse_number(take_until(rest, ' '), quota_us) && parse_number(rest, period_us);
}

// Version 1 has a file for each, and -1 for no quota.
bool read_quota_v1(const std::string& directory, long long& quota_us, long long& period_us) {
  return read_number_file(directory + "/cpu.cfs_quota_us", quota_us) &&
         read_number_file(directory + "/cpu.cfs_period_us", period_us);
}

// The least limit on the way up; without one, the process's own group.
cgroup_limit read_limit(const std::string& prefix, const cgroup_ancestry& groups) {
  cgroup_limit least{0, groups.directories.front()};
  for (const std::string& directory : groups.directories) {
    long long quota_us = 0;
    long long period_us = 0;
    const bool read = groups.version == 2 ? read_quota_v2(prefix + directory, quota_us, period_us)
                                          : read_quota_v1(prefix + directory, quota_us, period_us);
    if (!read || quota_us <= 0 || period_us <= 0) continue;
    const double cpus = static_cast<double>(quota_us) / static_cast<double>(period_us);
    if (least.cpus == 0 || cpus < least.cpus) least = {cpus, directory};
  }
  return least;
}

void apply_cgroups(const std::string& prefix, cpu_allowance& allowance) {
  for (const cgroup_ancestry& groups : find_cgroups(prefix, "cpu")) {
    const cgroup_limit limit = read_limit(prefix, groups);
    const bool decides =
        limit.cpus > 0 && (allowance.cgroup_quota == 0 || limit.cpus < allowance.cgroup_quota);
    if (allowance.cgroup_version != 0 && !decides) continue;
    allowance.cgroup_version = groups.version;
    allowance.cgroup_quota = limit.cpus;
    std::snprintf(allowance.cgroup_path, sizeof allowance.cgroup_path, "%s", limit.directory.c_str());
  }
}

int read_online(const std::string& prefix) {
  std::string text;
  std::vector<int> cpus;
  if (read_text_file(prefix + "/sys/devices/system/cpu/online", text) && parse_cpu_list(text.c_str(), cpus) &&
      !cpus.empty()) {
    return static_cast<int>(cpus.size());
  }
  return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

}  // namespace

cpu_allowance read_cpu_allowance(const char* root) {
  const std::string prefix(root);
  cpu_allowance allowance;
  allowance.online = read_online(prefix);
  allowance.affinity = static_cast<int>(current_affinity().size());
  if (allowance.affinity == 0) allowance.affinity = allowance.online;
  apply_cgroups(prefix, allowance);
  allowance.allowed = allowance.affinity;
  if (allowance.cgroup_quota > 0) {
    // Rounded up, without libm: a static library should not ask its users to link that.
    const double quota = std::min(allowance.cgroup_quota, static_cast<double>(allowance.allowed));
    const int whole = static_cast<int>(quota);
    allowance.allowed = whole < quota ? whole + 1 : whole;
  }
  allowance.allowed = std::max(allowance.allowed, 1);
  return allowance;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// How many CPUs this process may use: the affinity mask, and the CPU time that control groups grant.
//
// A control group's limit holds for all below it, so the one that counts is the least on the way from the
// process's own group up to the root of what is mounted here. Two hierarchies exist side by side on many
// systems: version 1 with its `cpu` controller, and version 2.
#include "os/os.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

#include "os/linux/text_file.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace os {

namespace {

// Where a hierarchy is visible: the group `root` and all below it, at the directory `point`.
struct cgroup_mount {
  std::string root;
  std::string point;
};

// One hierarchy as this process sees it.
struct cgroup_hierarchy {
  int version = 0;
  bool member = false;               // this process is in a group of it
  std::string path;                  // of that group, from the hierarchy's root
  std::vector<cgroup_mount> mounts;  // in the system's order
};

struct cgroup_limit {
  double cpus = 0;  // 0: none
  std::string directory;
};

bool contains_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (take_until(list, ',') == word) return true;
  }
  return false;
}

// A group's path without the slash that ends the root's, so that paths can be put together.
std::string without_end_slash(std::string_view path) {
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return std::string(path);
}

// Lines are "number:controllers:path"; version 2 is number 0 with no controllers. The path may hold colons.
void read_membership(const std::string& prefix, cgroup_hierarchy& v1, cgroup_hierarchy& v2) {
  std::string text;
  (void)read_text_file(prefix + "/proc/self/cgroup", text);
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = take_until(rest, '\n');
    const std::string_view number = take_until(line, ':');
    const std::string_view controllers = take_until(line, ':');
    if (line.empty() || line.front() != '/') continue;
    cgroup_hierarchy* const found = contains_word(controllers, "cpu")             ? &v1
                                    : number == "0" && controllers.empty() ? &v2
                                                                           : nullptr;
    if (found == nullptr) continue;
    found->member = true;
    found->path = without_end_slash(line);
  }
}

// mountinfo writes a blank in a name as \040, and likewise for other bytes that would split its fields.
std::string unescape(std::string_view name) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 3 < name.size() && octal(name[i + 1]) && octal(name[i + 2]) && octal(name[i + 3])) {
      const int code = (name[i + 1] - '0') * 64 + (name[i + 2] - '0') * 8 + (name[i + 3] - '0');
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += name[i];
    }
  }
  return plain;
}

// Lines are "id parent device root point options [tags...] - type source super-options".
void read_mounts(const std::string& prefix, cgroup_hierarchy& v1, cgroup_hierarchy& v2) {
  std::string text;
  (void)read_text_file(prefix + "/proc/self/mountinfo", text);
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = take_until(rest, '\n');
    for (int skipped = 0; skipped < 3; ++skipped) (void)take_until(line, ' ');
    const std::string_view root = take_until(line, ' ');
    const std::string_view point = take_until(line, ' ');
    while (!line.empty() && take_until(line, ' ') != "-") {
    }
    const std::string_view type = take_until(line, ' ');
    (void)take_until(line, ' ');
    const bool is_v2 = type == "cgroup2";
    const bool is_v1 = type == "cgroup" && contains_word(line, "cpu");
    if (!is_v1 && !is_v2) continue;
    (is_v2 ? v2 : v1).mounts.push_back({without_end_slash(unescape(root)), without_end_slash(unescape(point))});
  }
}

bool directory_exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// The group's directory below one mount, from the mount point; false if it is not visible there.
bool locate_below(const std::string& prefix, const std::string& path, const cgroup_mount& mount, std::string& below) {
  const bool covers = path.compare(0, mount.root.size(), mount.root) == 0 &&
                      (path.size() == mount.root.size() || path[mount.root.size()] == '/');
  // "/../other" is how a group outside the process's own cgroup namespace is shown.
  if (!covers || path.find("/..") != std::string::npos) return false;
  below = path.substr(mount.root.size());
  return directory_exists(prefix + mount.point + below);
}

// In a container the path may name a group that only the host sees; what is mounted is then the container's own.
const cgroup_mount& locate_group(const std::string& prefix, const cgroup_hierarchy& hierarchy, std::string& below) {
  for (const cgroup_mount& mount : hierarchy.mounts) {
    if (locate_below(prefix, hierarchy.path, mount, below)) return mount;
  }
  below.clear();
  return hierarchy.mounts.front();
}

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

// The least limit from the process's group up to the mount point; without one, the group's directory.
cgroup_limit read_limit(const std::string& prefix, const cgroup_hierarchy& hierarchy) {
  std::string below;
  const cgroup_mount& mount = locate_group(prefix, hierarchy, below);
  cgroup_limit least{0, mount.point + below};
  while (true) {
    const std::string directory = mount.point + below;
    long long quota_us = 0;
    long long period_us = 0;
    const bool read = hierarchy.version == 2 ? read_quota_v2(prefix + directory, quota_us, period_us)
                                             : read_quota_v1(prefix + directory, quota_us, period_us);
    if (read && quota_us > 0 && period_us > 0) {
      const double cpus = static_cast<double>(quota_us) / static_cast<double>(period_us);
      if (least.cpus == 0 || cpus < least.cpus) least = {cpus, directory};
    }
    if (below.empty()) return least;
    below.erase(below.rfind('/'));
  }
}

void apply_cgroups(const std::string& prefix, cpu_allowance& allowance) {
  cgroup_hierarchy v1{1, false, {}, {}};
  cgroup_hierarchy v2{2, false, {}, {}};
  read_membership(prefix, v1, v2);
  read_mounts(prefix, v1, v2);
  // Only one hierarchy holds the controller. Version 1 names it; the other then has no limit to find.
  for (const cgroup_hierarchy* hierarchy : {&v1, &v2}) {
    if (!hierarchy->member || hierarchy->mounts.empty()) continue;
    const cgroup_limit limit = read_limit(prefix, *hierarchy);
    const bool decides = limit.cpus > 0 && (allowance.cgroup_quota == 0 || limit.cpus < allowance.cgroup_quota);
    if (allowance.cgroup_version != 0 && !decides) continue;
    allowance.cgroup_version = hierarchy->version;
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
    const double most = std::min(std::ceil(allowance.cgroup_quota), double{std::numeric_limits<int>::max()});
    allowance.allowed = std::min(allowance.allowed, static_cast<int>(most));
  }
  allowance.allowed = std::max(allowance.allowed, 1);
  return allowance;
}

}  // namespace os
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// Control groups: reads /proc/self/cgroup and mountinfo, and finds the directories of a group and its
// ancestors.
#include "os/linux/cgroup.hpp"

#include <sys/stat.h>

#include <string_view>

#include "os/linux/text_file.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
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

// Lines are "number:controllers:path"; version 2 is number 0 with no controllers. The path may hold
// colons.
void read_membership(const std::string& prefix, std::string_view controller, cgroup_hierarchy& v1,
                     cgroup_hierarchy& v2) {
  std::string text;
  (void)read_text_file(prefix + "/proc/self/cgroup", text);
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = take_until(rest, '\n');
    const std::string_view number = take_until(line, ':');
    const std::string_view controllers = take_until(line, ':');
    if (line.empty() || line.front() != '/') continue;
    const bool is_v1 = contains_word(controllers, controller);
    const bool is_v2 = number == "0" && controllers.empty();
    if (!is_v1 && !is_v2) continue;
    cgroup_hierarchy& found = is_v1 ? v1 : v2;
    found.member = true;
    found.path = without_end_slash(line);
  }
}

// mountinfo writes a blank in a name as \040, and likewise for other bytes that would split its
// fields.
std::string unescape(std::string_view name) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 3 < name.size() && octal(name[i + 1]) && octal(name[i + 2]) &&
        octal(name[i + 3])) {
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
void read_mounts(const std::string& prefix, std::string_view controller, cgroup_hierarchy& v1,
                 cgroup_hierarchy& v2) {
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
    const bool is_v1 = type == "cgroup" && contains_word(line, controller);
    if (!is_v1 && !is_v2) continue;
    (is_v2 ? v2 : v1)
        .mounts.push_back({without_end_slash(unescape(root)), without_end_slash(unescape(point))});
  }
}

bool directory_exists(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// The group's directory below one mount, from the mount point; false if it is not visible there.
bool locate_below(const std::string& prefix, const std::string& path, const cgroup_mount& mount,
                  std::string& below) {
  const bool covers = path.compare(0, mount.root.size(), mount.root) == 0 &&
                      (path.size() == mount.root.size() || path[mount.root.size()] == '/');
  // "/../other" is how a group outside the process's own cgroup namespace is shown.
  if (!covers || path.find("/..") != std::string::npos) return false;
  below = path.substr(mount.root.size());
  return directory_exists(prefix + mount.point + below);
}

// In a container the path may name a group that only the host sees; what is mounted is then the
// container's own.
const cgroup_mount& locate_group(const std::string& prefix, const cgroup_hierarchy& hierarchy,
                                 std::string& below) {
  for (const cgroup_mount& mount : hierarchy.mounts) {
    if (locate_below(prefix, hierarchy.path, mount, below)) return mount;
  }
  below.clear();
  return hierarchy.mounts.front();
}

cgroup_ancestry ancestry_of(const std::string& prefix, const cgroup_hierarchy& hierarchy) {
  std::string below;
  const cgroup_mount& mount = locate_group(prefix, hierarchy, below);
  cgroup_ancestry ancestry{hierarchy.version, {mount.point + below}};
  while (!below.empty()) {
    below.erase(below.rfind('/'));
    ancestry.directories.push_back(mount.point + below);
  }
  return ancestry;
}

}  // namespace

std::vector<cgroup_ancestry> find_cgroups(const std::string& root, std::string_view controller) {
  cgroup_hierarchy v1{1, false, {}, {}};
  cgroup_hierarchy v2{2, false, {}, {}};
  read_membership(root, controller, v1, v2);
  read_mounts(root, controller, v1, v2);
  std::vector<cgroup_ancestry> found;
  for (const cgroup_hierarchy* hierarchy : {&v1, &v2}) {
    if (hierarchy->member && !hierarchy->mounts.empty()) found.push_back(ancestry_of(root, *hierarchy));
  }
  return found;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

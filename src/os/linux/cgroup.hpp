// Which control groups this process is in, and where their files are.
//
// A group's limit holds for all below it, so the one that counts is the least on the way from the
// process's own group up to the root of what is mounted here. Two hierarchies exist side by side on
// many systems: version 1 with one tree per controller, and version 2.
#ifndef NOPAL_SRC_OS_LINUX_CGROUP_HPP
#define NOPAL_SRC_OS_LINUX_CGROUP_HPP

#include <string>
#include <string_view>
#include <vector>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

struct cgroup_ancestry {
  int version = 0;  ///< 1 or 2
  /// Of the process's own group first, up to the mount point; never empty
  std::vector<std::string> directories;
};

/// The visible groups that may limit what `controller` ("cpu", "pids") controls: version 1 first,
/// if both are there. Only one of them holds the controller; the other has no limit to find. `root`
/// goes before every name.
std::vector<cgroup_ancestry> find_cgroups(const std::string& root, std::string_view controller);

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

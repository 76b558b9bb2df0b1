// What the machine has.
#ifndef NOPAL_COMPAT_TBB_INFO_H
#define NOPAL_COMPAT_TBB_INFO_H

#include <vector>

#include "detail/current.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

using numa_node_id = int;
using core_type_id = int;

/// Answers for one memory node and one type of cores: the runtime tells none apart.
namespace info {

[[nodiscard]] inline std::vector<numa_node_id> numa_nodes() { return {-1}; }
[[nodiscard]] inline std::vector<core_type_id> core_types() { return {-1}; }
/// The number of workers.
[[nodiscard]] inline int default_concurrency(numa_node_id id = -1) {
  static_cast<void>(id);
  return nopal_detail::runtime_workers();
}
template <class Constraints>
[[nodiscard]] int default_concurrency(const Constraints& with) {
  return with.max_concurrency > 0 ? with.max_concurrency : default_concurrency();
}

}  // namespace info
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

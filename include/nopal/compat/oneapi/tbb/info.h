// What the machine has.
#ifndef NOPAL_COMPAT_TBB_INFO_H
#define NOPAL_COMPAT_TBB_INFO_H

// Programs rely on what oneTBB's header includes.
#include <cstddef>
#include <cstdint>

#include <concepts>
#include <tuple>
#include <vector>

#include <nopal/nodes.hpp>

#include "detail/current.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

using numa_node_id = int;
using core_type_id = int;

namespace nopal_detail {
/// Is told the type of cores, its place among all types, and how many there are.
template <class F>
concept selects_cores = requires(F& f, std::tuple<int, std::size_t, std::size_t> type) {
  { f(type) } -> std::convertible_to<int>;
};
}  // namespace nopal_detail

/// Answers for one type of cores: the runtime tells none apart.
namespace info {

/// The system's numbers of the memory nodes with CPUs of this process.
[[nodiscard]] inline std::vector<numa_node_id> numa_nodes() { return nopal::memory_nodes(); }
[[nodiscard]] inline std::vector<core_type_id> core_types() { return {0}; }
/// The number of workers where no global_control asks for more, and of CPUs of the node if that is less.
[[nodiscard]] inline int default_concurrency(numa_node_id id = -1) {
  const int all = nopal_detail::workers_outside();
  const int there = id < 0 ? all : nopal::cpus_of_node(id);
  return there < all ? there : all;
}
template <class Constraints>
[[nodiscard]] int default_concurrency(const Constraints& with) {
  return with.max_concurrency > 0 ? with.max_concurrency : default_concurrency(with.numa_id);
}
/// There is one type of cores, so the selector is not asked.
template <class Constraints, nopal_detail::selects_cores Selector>
[[nodiscard]] int default_concurrency(const Constraints& with, Selector /*selector*/) {
  return default_concurrency(with);
}

}  // namespace info
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

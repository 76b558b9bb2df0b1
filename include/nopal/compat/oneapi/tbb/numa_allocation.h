// Memory whose pages lie in several memory nodes by turns: a preview in oneTBB, which here needs no macro.
#ifndef NOPAL_COMPAT_TBB_NUMA_ALLOCATION_H
#define NOPAL_COMPAT_TBB_NUMA_ALLOCATION_H

#ifndef TBB_HAS_NUMA_ALLOCATION
#define TBB_HAS_NUMA_ALLOCATION 202605
#endif

#include "info.h"

#ifdef NOPAL_ELIDE
#include <cstdlib>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// `bytes` zeroed bytes from the beginning of a page on. Each `bytes_per_chunk` of them lie in the next one of `nodes`,
/// over and over; 0: each page. A node that is named several times has that many turns. It is advice to the system: where
/// that refuses, the memory lies elsewhere. Null if there is no memory, no byte or no node is asked for, or a chunk is not of
/// whole pages. From any thread.
[[nodiscard]] inline void* allocate_numa_interleaved(std::size_t bytes,
                                                     const std::vector<numa_node_id>& nodes,
                                                     std::size_t bytes_per_chunk = 0) {
  if (nodes.empty()) {
    return nullptr;
  }
#ifdef NOPAL_ELIDE
  static_cast<void>(bytes_per_chunk);
  return bytes == 0 ? nullptr : std::calloc(1, bytes);
#else
  return nopal_map_interleaved(bytes, nodes.data(), nodes.size(), bytes_per_chunk);
#endif
}

/// The same in all nodes that have CPUs of this process.
[[nodiscard]] inline void* allocate_numa_interleaved(std::size_t bytes, std::size_t bytes_per_chunk = 0) {
#ifdef NOPAL_ELIDE
  static_cast<void>(bytes_per_chunk);
  return bytes == 0 ? nullptr : std::calloc(1, bytes);
#else
  return nopal_map_interleaved(bytes, nullptr, 0, bytes_per_chunk);
#endif
}

/// Gives the memory back, to the system. `bytes` as it was asked for. From any thread.
inline void deallocate_numa_interleaved(void* memory, std::size_t bytes) {
#ifdef NOPAL_ELIDE
  static_cast<void>(bytes);
  std::free(memory);
#else
  nopal_unmap_interleaved(memory, bytes);
#endif
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

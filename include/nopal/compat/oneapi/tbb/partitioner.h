// How ranges are cut.
#ifndef NOPAL_COMPAT_TBB_PARTITIONER_H
#define NOPAL_COMPAT_TBB_PARTITIONER_H

// Programs rely on what oneTBB's header includes.
#include <algorithm>
#include <atomic>
#include <climits>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "cache_aligned_allocator.h"
#include "detail/split.h"
#include "info.h"
#include "task_arena.h"
#include "task_group.h"
#include "version.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Cuts into some pieces per worker, and further where continuations are stolen; never below the
/// range's grain.
class auto_partitioner {};

/// Cuts down to the range's grain.
class simple_partitioner {};

/// Cuts into a piece per worker, of about the same size.
class static_partitioner {};

/// As auto_partitioner: which worker runs a piece is the thieves' choice, so nothing is remembered.
class affinity_partitioner {
public:
  affinity_partitioner() noexcept = default;
  affinity_partitioner(const affinity_partitioner&) = delete;
  affinity_partitioner& operator=(const affinity_partitioner&) = delete;
};

namespace nopal_detail {
template <class T>
inline constexpr bool is_partitioner = false;
template <>
inline constexpr bool is_partitioner<auto_partitioner> = true;
template <>
inline constexpr bool is_partitioner<simple_partitioner> = true;
template <>
inline constexpr bool is_partitioner<static_partitioner> = true;
template <>
inline constexpr bool is_partitioner<affinity_partitioner> = true;
}  // namespace nopal_detail

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

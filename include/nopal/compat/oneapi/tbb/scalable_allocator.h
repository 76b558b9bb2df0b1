// The scalable allocator: the one of the program. Link another malloc if that is to scale.
#ifndef NOPAL_COMPAT_TBB_SCALABLE_ALLOCATOR_H
#define NOPAL_COMPAT_TBB_SCALABLE_ALLOCATOR_H

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cache_aligned_allocator.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// An allocator as the standard has it, by the global `operator new`. Throws std::bad_alloc. From
/// any thread.
template <class T>
class scalable_allocator {
public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  scalable_allocator() = default;
  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): as the standard asks
  scalable_allocator(const scalable_allocator<Other>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) { return nopal_detail::allocate_aligned<T, 16>(count); }
  void deallocate(T* memory, std::size_t) noexcept { nopal_detail::free_aligned<T, 16>(memory); }
  [[nodiscard]] std::size_t max_size() const noexcept {
    return std::numeric_limits<std::size_t>::max() / sizeof(T);
  }

  template <class Other>
  friend bool operator==(const scalable_allocator&, const scalable_allocator<Other>&) noexcept {
    return true;
  }
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

/// The functions of oneTBB's allocator in C, by those of the C library.
inline void* scalable_malloc(std::size_t size) { return std::malloc(size); }
inline void* scalable_calloc(std::size_t count, std::size_t size) { return std::calloc(count, size); }
inline void* scalable_realloc(void* memory, std::size_t size) { return std::realloc(memory, size); }
inline void scalable_free(void* memory) { std::free(memory); }
inline void* scalable_aligned_malloc(std::size_t size, std::size_t alignment) {
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
inline void scalable_aligned_free(void* memory) { std::free(memory); }
inline int scalable_posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  return posix_memalign(memory, alignment, size);
}
inline std::size_t scalable_msize(void* memory) { return malloc_usable_size(memory); }
inline void* scalable_aligned_realloc(void* memory, std::size_t size, std::size_t alignment) {
  if (size == 0) {
    std::free(memory);
    return nullptr;
  }
  void* const larger = scalable_aligned_malloc(size, alignment);
  if (larger != nullptr && memory != nullptr) {
    const std::size_t old = malloc_usable_size(memory);
    std::memcpy(larger, memory, old < size ? old : size);
    std::free(memory);
  }
  return larger;
}

enum ScalableAllocationResult {
  TBBMALLOC_OK,
  TBBMALLOC_INVALID_PARAM,
  TBBMALLOC_UNSUPPORTED,
  TBBMALLOC_NO_MEMORY,
  TBBMALLOC_NO_EFFECT
};
enum AllocationModeParam {
  TBBMALLOC_USE_HUGE_PAGES,
  USE_HUGE_PAGES = TBBMALLOC_USE_HUGE_PAGES,
  TBBMALLOC_SET_SOFT_HEAP_LIMIT,
  TBBMALLOC_SET_HUGE_SIZE_THRESHOLD
};
enum ScalableAllocationCmd { TBBMALLOC_CLEAN_ALL_BUFFERS, TBBMALLOC_CLEAN_THREAD_BUFFERS };

/// The C library's allocator has settings of its own: these say that they do nothing.
inline int scalable_allocation_mode(int /*parameter*/, std::intptr_t /*value*/) {
  return TBBMALLOC_UNSUPPORTED;
}
inline int scalable_allocation_command(int /*command*/, void* /*parameter*/) { return TBBMALLOC_NO_EFFECT; }

#endif

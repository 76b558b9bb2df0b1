// The scalable allocator: the one of the program. Link another malloc if that is to scale.
#ifndef NOPAL_COMPAT_TBB_SCALABLE_ALLOCATOR_H
#define NOPAL_COMPAT_TBB_SCALABLE_ALLOCATOR_H

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "cache_aligned_allocator.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// An allocator as the standard has it, by the global `operator new`. Throws std::bad_alloc. From any thread.
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

#endif

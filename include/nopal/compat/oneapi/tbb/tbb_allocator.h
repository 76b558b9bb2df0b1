// The default allocator.
#ifndef NOPAL_COMPAT_TBB_TBB_ALLOCATOR_H
#define NOPAL_COMPAT_TBB_TBB_ALLOCATOR_H

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "cache_aligned_allocator.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// An allocator as the standard has it, by the global `operator new`. Throws std::bad_alloc. From any thread. Arrays of a page and
/// more begin with a cache line: those of malloc lie 16 bytes behind the start of a page, all of them, and where an array is copied
/// to one that lies a few bytes later in its page, some processors take twice the time.
template <class T>
class tbb_allocator {
public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  tbb_allocator() = default;
  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): as the standard asks
  tbb_allocator(const tbb_allocator<Other>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return is_large(count) ? nopal_detail::allocate_aligned<T, 64>(count)
                           : nopal_detail::allocate_aligned<T, 16>(count);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (is_large(count))
      nopal_detail::free_aligned<T, 64>(memory);
    else
      nopal_detail::free_aligned<T, 16>(memory);
  }
  [[nodiscard]] std::size_t max_size() const noexcept {
    return std::numeric_limits<std::size_t>::max() / sizeof(T);
  }

  /// What oneTBB allocates with.
  enum malloc_type { scalable, standard };
  static constexpr malloc_type allocator_type() { return standard; }

  template <class Other>
  friend bool operator==(const tbb_allocator&, const tbb_allocator<Other>&) noexcept {
    return true;
  }

private:
  static constexpr bool is_large(std::size_t count) { return count >= 4096 / sizeof(T); }
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

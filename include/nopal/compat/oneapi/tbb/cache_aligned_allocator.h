// Memory on cache lines of its own.
#ifndef NOPAL_COMPAT_TBB_CACHE_ALIGNED_ALLOCATOR_H
#define NOPAL_COMPAT_TBB_CACHE_ALIGNED_ALLOCATOR_H

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <type_traits>

// Programs rely on what oneTBB's header includes.
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "detail/exception.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// The global allocator. Not inlined: containers put parts of objects there, which compilers that see the size warn of.
[[nodiscard, gnu::noinline]] inline void* allocate_bytes(std::size_t bytes, std::size_t alignment) {
  return ::operator new(bytes, std::align_val_t(alignment));
}

/// The same, with an alignment.
template <class T, std::size_t at_least>
T* allocate_aligned(std::size_t count) {
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
    throw_exception(std::bad_array_new_length());
  }
  constexpr std::size_t alignment = alignof(T) > at_least ? alignof(T) : at_least;
  return static_cast<T*>(allocate_bytes(count * sizeof(T), alignment));
}
template <class T, std::size_t at_least>
void free_aligned(T* memory) noexcept {
  constexpr std::size_t alignment = alignof(T) > at_least ? alignof(T) : at_least;
  ::operator delete(memory, std::align_val_t(alignment));
}

}  // namespace nopal_detail

/// An allocator as the standard has it. Throws std::bad_alloc. From any thread.
template <class T>
class cache_aligned_allocator {
public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  cache_aligned_allocator() = default;
  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): as the standard asks
  cache_aligned_allocator(const cache_aligned_allocator<Other>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) { return nopal_detail::allocate_aligned<T, 64>(count); }
  void deallocate(T* memory, std::size_t) noexcept { nopal_detail::free_aligned<T, 64>(memory); }
  [[nodiscard]] std::size_t max_size() const noexcept {
    return std::numeric_limits<std::size_t>::max() / sizeof(T);
  }

  template <class Other>
  friend bool operator==(const cache_aligned_allocator&, const cache_aligned_allocator<Other>&) noexcept {
    return true;
  }
};

/// Memory of another resource, on cache lines of its own. Throws what that one throws, and
/// std::bad_alloc. From any thread, if that one is.
class cache_aligned_resource : public std::pmr::memory_resource {
public:
  cache_aligned_resource() : cache_aligned_resource(std::pmr::get_default_resource()) {}
  explicit cache_aligned_resource(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  [[nodiscard]] std::pmr::memory_resource* upstream_resource() const { return upstream_; }

private:
  static constexpr std::size_t line = 64;
  static std::size_t aligned(std::size_t alignment) { return alignment < line ? line : alignment; }
  // Whole lines, so that nothing else of the other resource's lies on the last.
  static std::size_t whole(std::size_t bytes) {
    if (bytes > std::numeric_limits<std::size_t>::max() - line) {
      nopal_detail::throw_exception(std::bad_alloc());
    }
    return bytes == 0 ? line : (bytes + line - 1) / line * line;
  }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return upstream_->allocate(whole(bytes), aligned(alignment));
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    upstream_->deallocate(memory, whole(bytes), aligned(alignment));
  }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
#ifdef __cpp_rtti
    const auto* const same = dynamic_cast<const cache_aligned_resource*>(&other);
    return same != nullptr && upstream_->is_equal(*same->upstream_);
#else
    return this == &other;
#endif
  }

  std::pmr::memory_resource* upstream_;
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

// A hash map from reducers to views: open addressing, linear probing, at most half full, nothing
// left where a view was removed. Expected constant time for each operation.
#ifndef NOPAL_VIEW_VIEW_MAP_HPP
#define NOPAL_VIEW_VIEW_MAP_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// All zeroes is an empty one. `release` ends it.
class view_map {
public:
  [[nodiscard]] void* find(std::uint32_t id) const noexcept {
    if (size_ == 0) {
      return nullptr;
    }
    const entry& found = entries_[index_of(id)];
    return found.id == id ? found.view : nullptr;
  }

  /// Makes room for one more view. False without memory.
  [[nodiscard]] bool reserve() noexcept { return (size_ + 1) * 2 <= capacity_ || grow(); }

  /// Sets the view of `id`; needs a `reserve` before if there was none.
  void put(std::uint32_t id, void* view) noexcept;

  /// Takes the view of `id` out and returns it; null if there is none.
  void* remove(std::uint32_t id) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Calls `take(id, view)` for each view, and is empty afterwards. `take` must not touch the map.
  template <class Take>
  void take_all(Take take) {
    if (size_ == 0) {
      return;
    }
    for (std::size_t i = 0; i < capacity_; ++i) {
      const entry taken = entries_[i];
      if (taken.id != 0) {
        entries_[i] = {};
        --size_;
        take(taken.id, taken.view);
      }
    }
  }

  /// Takes out every view for which `leaves(id, view)`. It must not touch the map.
  template <class Leaves>
  void remove_if(Leaves leaves) {
    for (std::size_t i = 0; i < capacity_;) {
      const entry& one = entries_[i];
      if (one.id != 0 && leaves(one.id, one.view)) {
        remove(one.id);  // may bring another view to this index
      } else {
        ++i;
      }
    }
  }

  void release() noexcept;

private:
  struct entry {
    std::uint32_t id;  // 0: free
    void* view;
  };

  /// Where `id` is, or would go. There is a free entry.
  [[nodiscard]] std::size_t index_of(std::uint32_t id) const noexcept {
    std::size_t index = first_index_of(id);
    while (entries_[index].id != id && entries_[index].id != 0) {
      index = (index + 1) & (capacity_ - 1);
    }
    return index;
  }
  // Fibonacci hashing: neighbouring numbers land far apart.
  [[nodiscard]] std::size_t first_index_of(std::uint32_t id) const noexcept {
    return static_cast<std::size_t>(id * std::uint64_t{0x9e3779b97f4a7c15U} >> 32) & (capacity_ - 1);
  }
  bool grow() noexcept;

  entry* entries_;
  std::size_t capacity_;  // a power of two, or 0
  std::size_t size_;
};

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

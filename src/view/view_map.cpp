// The hash map of views: insertion, removal without tombstones, and growth.
#include "view/view_map.hpp"

#include <cstdlib>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

void view_map::put(std::uint32_t id, void* view) noexcept {
  entry& at = entries_[index_of(id)];
  size_ += at.id == 0 ? 1 : 0;
  at = {id, view};
}

void* view_map::remove(std::uint32_t id) noexcept {
  if (size_ == 0) {
    return nullptr;
  }
  std::size_t hole = index_of(id);
  if (entries_[hole].id != id) {
    return nullptr;
  }
  void* const view = entries_[hole].view;
  // An entry that probing put past the hole moves into it, so that no search ends there too early.
  const std::size_t mask = capacity_ - 1;
  for (std::size_t next = (hole + 1) & mask; entries_[next].id != 0; next = (next + 1) & mask) {
    const std::size_t wanted = first_index_of(entries_[next].id);
    if (((next - wanted) & mask) >= ((next - hole) & mask)) {
      entries_[hole] = entries_[next];
      hole = next;
    }
  }
  entries_[hole] = {};
  --size_;
  return view;
}

bool view_map::grow() noexcept {
  const std::size_t capacity = capacity_ == 0 ? 16 : capacity_ * 2;
  auto* const entries = static_cast<entry*>(std::calloc(capacity, sizeof(entry)));
  if (entries == nullptr) {
    return false;
  }
  view_map grown{};
  grown.entries_ = entries;
  grown.capacity_ = capacity;
  take_all([&grown](std::uint32_t id, void* view) { grown.put(id, view); });
  std::free(entries_);
  *this = grown;
  return true;
}

void view_map::release() noexcept {
  std::free(entries_);
  *this = view_map{};
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

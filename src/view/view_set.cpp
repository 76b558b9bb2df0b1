// The set of views: the array, its log, and the map for reducers without a slot.
#include "view/view_set.hpp"

#include <cstdlib>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

// All zeroes is an empty set: the system gives fresh memory so, and a page of it becomes resident
// when it is first used.
view_set* view_set::make() noexcept { return static_cast<view_set*>(std::calloc(1, sizeof(view_set))); }

void view_set::destroy(view_set* set) noexcept {
  set->map_.release();
  std::free(set);
}

bool view_set::insert(std::uint32_t id, void* view) noexcept {
  if (!has_slot(id)) {
    if (!map_.reserve()) {
      return false;
    }
    map_.put(id, view);
    return true;
  }
  if (logged_ == log_capacity) {
    clean_log();
  }
  slots_[id] = view;
  log_[logged_++] = id;
  return true;
}

void view_set::replace(std::uint32_t id, void* view) noexcept {
  if (has_slot(id)) {
    slots_[id] = view;
  } else {
    map_.put(id, view);
  }
}

void* view_set::remove(std::uint32_t id) noexcept {
  if (!has_slot(id)) {
    return map_.remove(id);
  }
  void* const view = slots_[id];
  slots_[id] = nullptr;
  // Reducers that a function makes and ends, in the order of locals, leave no trace.
  if (view != nullptr && log_[logged_ - 1] == id) {
    --logged_;
  }
  return view;
}

// In place of the log, which names slots twice and unused ones, one that names each used slot once.
void view_set::clean_log() noexcept {
  std::uint32_t kept = 0;
  for (std::uint32_t slot = 0; slot < slot_count; ++slot) {
    if (slots_[slot] != nullptr) {
      log_[kept++] = slot;
    }
  }
  logged_ = kept;
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

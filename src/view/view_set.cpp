// The set of views: the array, its log, and the map for reducers without a slot.
#include "view/view_set.hpp"

#include "os/os.hpp"
#include "sanitizers/sanitizers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

namespace {

std::size_t bytes_of_set() noexcept {
  const std::size_t page = os::page_size();
  return (sizeof(view_set) + page - 1) / page * page;
}

}  // namespace

// All zeroes is an empty set: the system gives fresh memory so, and a page of it becomes resident
// when it is first used. Not the allocator's: once a program has freed a large block, calloc may hand
// memory of the heap out, every page of which it fills with zeroes.
view_set* view_set::make() noexcept {
  auto* const made = static_cast<view_set*>(os::map_memory(bytes_of_set()));
  if (made != nullptr) {
    sanitizers::keep_alive(made, bytes_of_set());
    // The first look at these would have the system map a page of zeroes, and the first view replace it,
    // which interrupts every processor that runs the process.
    static_cast<void* volatile*>(made->slots_)[0] = nullptr;
    *static_cast<volatile std::uint32_t*>(&made->logged_) = 0;
  }
  return made;
}

void view_set::destroy(view_set* set) noexcept {
  set->map_.release();
  sanitizers::let_die(set, bytes_of_set());
  os::unmap(set, bytes_of_set());
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

// The views of one strand: a sparse array and the log of its used slots, and a hash map for
// reducers that have no slot.
//
// A set is owned by one strand or by one deposit of a join (view/deposits.hpp) and touched by
// nobody else. All slots of a set that is not owned are null. Its memory is about a megabyte of
// addresses, of which only what is used becomes resident.
#ifndef NOPAL_VIEW_VIEW_SET_HPP
#define NOPAL_VIEW_VIEW_SET_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/version.hpp>

#include "view/view_map.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// Reducers beyond this number have no slot, and their views are found by hashing. Slot 0 is null
/// in all sets.
inline constexpr std::uint32_t slot_count = 1U << 16;

class view_set {
  void* slots_[slot_count];  // first: known to the inlined lookup

public:
  static constexpr std::size_t page = 4096;

  /// An empty set; null if there is no memory.
  static view_set* make() noexcept;
  static void destroy(view_set* set) noexcept;

  /// The set whose array this is.
  static view_set* of(void** slots) noexcept { return reinterpret_cast<view_set*>(slots); }
  void** slots() noexcept { return slots_; }

  /// Whether views of `id` are found in the array.
  static bool has_slot(std::uint32_t id) noexcept {
#ifdef NOPAL_VIEWS_HASHED
    static_cast<void>(id);
    return false;
#else
    return id < slot_count;
#endif
  }

  /// Where a view of `id` may lie that is a word; null if the reducer has no slot. It is used while
  /// such a view is in the set.
  void* word(std::uint32_t id) noexcept { return has_slot(id) ? words_ + id : nullptr; }
  /// Whether `view`, a view of `id` in this set, lies there.
  [[nodiscard]] bool is_word(std::uint32_t id, const void* view) const noexcept {
    return has_slot(id) && view == words_ + id;
  }

  /// The view of reducer `id`; null if there is none.
  [[nodiscard]] void* find(std::uint32_t id) const noexcept {
    return has_slot(id) ? slots_[id] : map_.find(id);
  }

  /// Adds a view of `id`, of which there must be none yet. False without memory for a reducer that
  /// has no slot.
  [[nodiscard]] bool insert(std::uint32_t id, void* view) noexcept;
  /// Replaces a view that there is.
  void replace(std::uint32_t id, void* view) noexcept;
  /// Takes the view of `id` out and returns it; null if there is none.
  void* remove(std::uint32_t id) noexcept;

  /// About how many views there are: at least as many as there are.
  [[nodiscard]] std::size_t size() const noexcept { return logged_ + map_.size(); }
  /// Calls `take(id, view)` for each view, which leaves the set before; afterwards it is empty.
  /// `take` must not touch the set.
  template <class Take>
  void take_all(Take take) {
    for (std::uint32_t i = 0; i < logged_; ++i) {
      const std::uint32_t id = log_[i];
      void* const view = slots_[id];
      if (view != nullptr) {  // else removed since, or logged twice
        slots_[id] = nullptr;
        take(id, view);
      }
    }
    logged_ = 0;
    map_.take_all(take);
  }

  /// Takes out every view for which `leaves(id, view)`. It must not touch the set, so it calls
  /// nothing of the program if that is a strand's.
  template <class Leaves>
  void remove_if(Leaves leaves) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < logged_; ++i) {
      const std::uint32_t id = log_[i];
      void* const view = slots_[id];
      if (view == nullptr) {
        continue;
      }
      if (leaves(id, view)) {
        slots_[id] = nullptr;
      } else {
        log_[kept++] = id;
      }
    }
    logged_ = kept;
    map_.remove_if(leaves);
  }

  /// The size at which views of ended reducers are looked for; 0: the usual one
  std::size_t next_sweep;
  view_set* next;  ///< in the list of sets that nobody owns

private:
  // Twice the slots: by the time it is full, at least half of it has gone stale since it was last
  // cleaned.
  static constexpr std::uint32_t log_capacity = 2 * slot_count;

  void clean_log() noexcept;

  view_map map_;
  std::uint32_t logged_;  ///< used length of the log
  /// Every used slot, in no order; maybe twice, and unused ones too
  std::uint32_t log_[log_capacity];
  // Half a page from where the slots begin in theirs. Loads of slots follow stores to words, and
  // processors take the one for the other at first where the lowest 12 bits of the addresses are
  // the same.
  static constexpr std::size_t before_words = slot_count * sizeof(void*) + 2 * sizeof(void*) +
                                              sizeof(view_map) + (1 + log_capacity) * sizeof(std::uint32_t);
  [[maybe_unused]] char apart_[page - (before_words - page / 2) % page];
  std::uint64_t words_[slot_count];
};

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

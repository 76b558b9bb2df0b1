// Keeps an arena.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ARENA_REFERENCE_H
#define NOPAL_COMPAT_TBB_DETAIL_ARENA_REFERENCE_H

#include <utility>

#include "arena_state.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// Keeps an arena's state; empty for none.
class arena_reference {
public:
  arena_reference() noexcept = default;
  explicit arena_reference(arena_state* state) noexcept : state_(state) {
    if (state_ != nullptr) {
      state_->refer();
    }
  }
  arena_reference(arena_reference&& from) noexcept : state_(std::exchange(from.state_, nullptr)) {}
  arena_reference& operator=(arena_reference&& from) noexcept {
    std::swap(state_, from.state_);
    return *this;
  }
  ~arena_reference() {
    if (state_ != nullptr) {
      state_->forget();
    }
  }
  [[nodiscard]] arena_state* get() const noexcept { return state_; }

  /// Takes a new state over.
  static arena_reference made(arena_state* state) noexcept {
    arena_reference result;
    result.state_ = state;
    return result;
  }

private:
  arena_state* state_ = nullptr;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

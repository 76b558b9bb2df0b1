// The program's code that strands run for their views: nothing that is stopped around a strand cuts it short, since
// a view that is made or merged by half is wrong for good.
#ifndef NOPAL_VIEW_SHIELDED_HPP
#define NOPAL_VIEW_SHIELDED_HPP

#include <cstdint>

#include <nopal/detail/stop.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// A local of the function that calls it. One load where the process has no scopes that can be stopped.
class shielded {
public:
  [[gnu::always_inline]] shielded() noexcept {
    // Relaxed: who is in a part sees it.
    if (__atomic_load_n(&nopal_stops_used, __ATOMIC_RELAXED) != 0 && nopal_innermost_stop() != nullptr) {
      state_ = nopal_enter_stop(&part_, nopal_stop_shield, nullptr) == 0 ? state::entered : state::refused;
    }
  }
  shielded(const shielded&) = delete;
  shielded& operator=(const shielded&) = delete;
  [[gnu::always_inline]] ~shielded() {
    if (state_ == state::entered) {
      nopal_leave_stop(&part_);
    }
  }

  /// There is no memory for it: the code is where its caller is.
  [[nodiscard]] bool is_refused() const noexcept { return state_ == state::refused; }

private:
  enum class state : std::uint8_t { not_needed, entered, refused };
  nopal_stop part_;
  state state_ = state::not_needed;
};

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

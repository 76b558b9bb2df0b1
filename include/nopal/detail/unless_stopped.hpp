// Patterns that are done wholly or not at all: in a stopped scope they do not begin, and once begun
// nothing stops them.
#ifndef NOPAL_DETAIL_UNLESS_STOPPED_HPP
#define NOPAL_DETAIL_UNLESS_STOPPED_HPP

#include <nopal/detail/mode.hpp>
#ifndef NOPAL_ELIDE
#include <nopal/detail/frame.h>
#include <nopal/detail/stop.h>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// In its place where a pattern may be cut short.
struct no_guard {
  explicit no_guard(bool /*also_then*/) noexcept {}
};

#ifdef NOPAL_ELIDE

/// No fork of the elision is ever skipped.
struct unless_stopped {
  explicit unless_stopped(bool /*also_then*/ = false) noexcept {}
  [[nodiscard]] bool goes_on() const noexcept { return true; }
};

#else

/// A local of the pattern. One load where the process has no scopes that can be stopped.
class unless_stopped {
public:
  /// `also_then`: it goes on where it is stopped already.
  [[gnu::always_inline]] explicit unless_stopped(bool also_then = false) {
    if (__atomic_load_n(&nopal_stops_used, __ATOMIC_RELAXED) == 0) {
      return;
    }
    if (__atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0 && nopal_stop_requested_here() != 0) {
      nopal_poll_stop();
      if (!also_then) {
        state_ = state::stopped;
        return;
      }
    }
    if (nopal_enter_stop(&part_, nopal_stop_shield, nullptr) != 0) {
      nopal_throw_push_failure();
    }
    state_ = state::shielded;
  }
  unless_stopped(const unless_stopped&) = delete;
  unless_stopped& operator=(const unless_stopped&) = delete;
  [[gnu::always_inline]] ~unless_stopped() {
    if (state_ == state::shielded) {
      nopal_leave_stop(&part_);
    }
  }
  [[nodiscard]] bool goes_on() const noexcept { return state_ != state::stopped; }

private:
  enum class state : unsigned char { free, shielded, stopped };
  nopal_stop part_;
  state state_ = state::free;
};

#endif

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

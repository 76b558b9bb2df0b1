// A part of the computation that may be stopped, for as long as an object lasts.
#ifndef NOPAL_DETAIL_STOP_PART_PARALLEL_HPP
#define NOPAL_DETAIL_STOP_PART_PARALLEL_HPP

#include <nopal/detail/fast_path.h>
#include <nopal/detail/frame.h>
#include <nopal/detail/stop.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// Part of the function that it is a local of: the constructor is always inlined. A member of what has a
/// constructor of its own would be part of that.
class stop_part {
public:
  [[gnu::always_inline]] explicit stop_part(nopal_stop_kind kind, const stop_part* of = nullptr) {
    if (nopal_enter_stop(&part_, kind, of != nullptr ? &of->part_ : nullptr) != 0) {
      nopal_throw_push_failure();
    }
  }
  stop_part(const stop_part&) = delete;
  stop_part& operator=(const stop_part&) = delete;
  [[gnu::always_inline]] ~stop_part() { nopal_leave_stop(&part_); }

  /// False if it had been stopped before.
  bool stop() noexcept { return nopal_request_stop(&part_) == 0; }
  /// It, or one around it.
  [[nodiscard]] bool is_stopped() const noexcept {
    return __atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0 && nopal_is_stopped(&part_) != 0;
  }
  [[nodiscard]] bool unwinds() const noexcept { return part_.kind == nopal_stop_unwinds; }
  [[nodiscard]] nopal_stop* record() noexcept { return &part_; }

private:
  nopal_stop part_;
};

/// A child of a part that unwinds. Outlives the handler of `stopped`.
class unwound_child {
public:
  [[gnu::always_inline]] explicit unwound_child(const stop_part* of) : part_(nopal_stop_child, of) {}
  unwound_child(const unwound_child&) = delete;
  unwound_child& operator=(const unwound_child&) = delete;
  [[gnu::always_inline]] ~unwound_child() {
    if (NOPAL_UNLIKELY(nopal_may_have_kept(part_.record()))) {
      nopal_drop_kept(part_.record());
    }
  }
  /// In a handler of `stopped`, whether that was thrown in it. The request may have been withdrawn since.
  [[nodiscard]] bool was_unwound() noexcept { return nopal_may_have_kept(part_.record()) != 0; }
  /// At its end, if nothing but `stopped` was in flight: an exception that gave way to that.
  [[gnu::always_inline]] void throw_kept() {
    if (NOPAL_UNLIKELY(nopal_may_have_kept(part_.record()))) {
      nopal_throw_kept(part_.record());
    }
  }

private:
  stop_part part_;
};

[[nodiscard]] inline bool is_stopped_here() noexcept {
  // Relaxed: who is stopped finds out sooner or later.
  return __atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0 && nopal_stop_requested_here() != 0;
}

inline void poll_stop() {
  if (__atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0) {
    nopal_poll_stop();
  }
}

/// Forks find out by themselves.
constexpr bool is_skipped_serially(const stop_part&) noexcept { return false; }

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

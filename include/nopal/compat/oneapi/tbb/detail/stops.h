// Contexts as parts of the computation that may be stopped, in the parallel program and in its serial elision.
#ifndef NOPAL_COMPAT_TBB_DETAIL_STOPS_H
#define NOPAL_COMPAT_TBB_DETAIL_STOPS_H

#include "config.h"

#ifdef NOPAL_ELIDE
#include <nopal/detail/serial_parts.h>
#else
#include <nopal/detail/frame.h>
#include <nopal/detail/stop.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// What is around a part. Acquire, here and below, pairs with the release of who binds a context.
inline const nopal_stop* around(const nopal_stop& part) noexcept {
  return __atomic_load_n(&part.parent, __ATOMIC_ACQUIRE);
}
/// What a context is bound to that may end before it; null for other parts.
inline const nopal_stop* loose_parent(const nopal_stop& part) noexcept {
  return part.kind == nopal_stop_skips ? __atomic_load_n(&part.of, __ATOMIC_ACQUIRE) : nullptr;
}
/// Acquire pairs with who asks: what came before that is visible.
inline bool is_asked_to_stop(const nopal_stop& part) noexcept {
  return __atomic_load_n(&part.requested, __ATOMIC_ACQUIRE) != 0;
}

#ifdef NOPAL_ELIDE

/// The innermost part around the caller; null: none.
inline nopal_stop* innermost_part() noexcept { return nopal_get_serial_part(); }
/// Whether some part is stopped.
constexpr bool any_stopped() noexcept { return true; }
/// False if it was stopped already.
inline bool stop(nopal_stop& part) noexcept {
  return __atomic_exchange_n(&part.requested, 1U, __ATOMIC_SEQ_CST) == 0;
}
inline void withdraw_stop(nopal_stop& part) noexcept {
  __atomic_store_n(&part.requested, 0U, __ATOMIC_RELAXED);
}

/// The forks of an algorithm: plain scopes' begin here in any case.
struct own_forks {
  void shield() noexcept {}
};

/// While it lives, the caller is in `part`.
class part_of_call {
public:
  explicit part_of_call(nopal_stop* part) noexcept { nopal_set_serial_part(part); }
  part_of_call(const part_of_call&) = delete;
  part_of_call& operator=(const part_of_call&) = delete;
  ~part_of_call() { nopal_set_serial_part(around_); }

private:
  nopal_stop* around_ = nopal_get_serial_part();
};

#else

inline nopal_stop* innermost_part() noexcept {
  return nopal_stops_used != 0 ? nopal_innermost_stop() : nullptr;
}
// Relaxed: what follows from it is looked up.
inline bool any_stopped() noexcept { return __atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0; }
inline bool stop(nopal_stop& part) noexcept { return nopal_request_stop(&part) == 0; }
inline void withdraw_stop(nopal_stop& part) noexcept { static_cast<void>(nopal_withdraw_stop(&part)); }

/// The forks of an algorithm, of the function that it is a local of. Shielded, they begin whatever is stopped around
/// the caller.
class own_forks {
public:
  own_forks() noexcept = default;
  own_forks(const own_forks&) = delete;
  own_forks& operator=(const own_forks&) = delete;
  ~own_forks() {
    if (is_shielded_) {
      nopal_leave_stop(&part_);
    }
  }
  [[gnu::always_inline]] void shield() {
    if (nopal_enter_stop(&part_, nopal_stop_shield, nullptr) != 0) {
      nopal_throw_push_failure();
    }
    is_shielded_ = true;
  }

private:
  bool is_shielded_ = false;
  nopal_stop part_;
};

#endif

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

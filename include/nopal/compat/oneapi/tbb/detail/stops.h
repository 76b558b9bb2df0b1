// Contexts as parts of the computation that may be stopped, in the parallel program and in its serial elision.
#ifndef NOPAL_COMPAT_TBB_DETAIL_STOPS_H
#define NOPAL_COMPAT_TBB_DETAIL_STOPS_H

#include "config.h"

#ifdef NOPAL_ELIDE
#include <nopal/detail/serial_parts.h>
#else
#include <nopal/detail/fast_path.h>
#include <nopal/detail/stop.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

#ifdef NOPAL_ELIDE

/// The innermost part around the caller; null: none.
inline nopal_stop* innermost_part() noexcept { return nopal_get_serial_part(); }
/// Whether some part is stopped.
constexpr bool any_stopped() noexcept { return true; }
/// False if it was stopped already. Pairs with the acquire of nopal_is_asked_to_stop.
inline bool stop(nopal_stop& part) noexcept {
  return __atomic_exchange_n(&part.requested, 1U, __ATOMIC_SEQ_CST) == 0;
}
inline void withdraw_stop(nopal_stop& part) noexcept {  // relaxed: see nopal_withdraw_stop
  __atomic_store_n(&part.requested, 0U, __ATOMIC_RELAXED);
}
inline bool is_stopped(const nopal_stop* part) noexcept { return nopal_is_serially_stopped(part) != 0; }
inline void end_use(const nopal_stop&) noexcept {}

/// The forks of an algorithm: plain scopes' begin here in any case.
struct own_forks {
  void shield() noexcept {}
};

/// What a group is bound to.
class surroundings {
public:
  /// Null: nothing. Once that has ended, and where it is not around the caller: what is around the caller.
  [[nodiscard]] nopal_stop* now() const noexcept {
    nopal_stop* const innermost = innermost_part();
    nopal_stop* one = made_in_ != nullptr ? innermost : nullptr;
    while (one != made_in_ && one != nullptr) {
      one = one->parent;
    }
    return one != nullptr || made_in_ == nullptr ? one : innermost;
  }

private:
  static nopal_stop* of_caller() noexcept {
    nopal_stop* const part = innermost_part();
    return part != nullptr && nopal_kind_of(part) != nopal_stop_shield ? part : nullptr;
  }

  nopal_stop* made_in_ = of_caller();
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
/// Before a use of a context ends.
inline void end_use(nopal_stop& use) noexcept { nopal_end_of_stop(&use); }
inline bool is_stopped(const nopal_stop* part) noexcept { return nopal_is_stopped(part) != 0; }

/// What the group is to be bound to that the caller makes. One of both at most.
struct surroundings {
  nopal_stop* around = nullptr;    ///< a part that lasts as long as the group
  nopal_stop* followed = nullptr;  ///< one that may end before it

  /// Of a group that the calling function makes, in its frame or elsewhere. Parts that older functions have begun last
  /// longer than the frame; of those that lie in it some may be of inlined calls.
  [[gnu::always_inline]] static surroundings of_caller(bool is_in_frame) noexcept {
    surroundings result;
    nopal_stop* const part = innermost_part();
    if (part != nullptr && nopal_kind_of(part) != nopal_stop_shield) {
      (is_in_frame && nopal_is_in_frame(part) == 0 ? result.around : result.followed) = part;
    }
    return result;
  }
};

/// Whether it is a local variable of the calling function. Where that runs on another stack than its frame's, the
/// frame's lower end is not known: then false.
[[gnu::always_inline]] inline bool is_local(const void* object) noexcept {
  return nopal_is_in_frame(object) != 0 && nopal_is_at_home(__builtin_frame_address(0)) != 0;
}

/// Stops a context with a part that may end before it.
class follower {
public:
  follower() noexcept = default;
  follower(const follower&) = delete;
  follower& operator=(const follower&) = delete;
  ~follower() {
    if (record_.target != nullptr) {
      nopal_unfollow_stop(&record_);
    }
  }
  /// `use` is the one of the context that follows, too, and is in no part.
  void follow(nopal_stop* part, nopal_stop& context, nopal_stop& use) noexcept {
    use.tokens = reinterpret_cast<nopal_tokens*>(&record_);
    nopal_follow_stop(&record_, &context, part);
  }
  /// Asked in `part`, which does not end meanwhile. Relaxed: that it is followed, or no other in its place, comes before.
  [[nodiscard]] bool follows(const nopal_stop* part) const noexcept {
    return __atomic_load_n(&record_.around, __ATOMIC_RELAXED) == part;
  }
  /// Stops the context again, if it was reset and what it follows is stopped.
  void again() noexcept {
    if (record_.target != nullptr) {
      nopal_follow_again(&record_);
    }
  }

private:
  nopal_follower record_{};
};

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

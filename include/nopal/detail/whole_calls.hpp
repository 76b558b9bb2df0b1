// Calls that nothing around them cuts short, between others that may be: the combining of what a reduction
// has beside the making of more.
#ifndef NOPAL_DETAIL_WHOLE_CALLS_HPP
#define NOPAL_DETAIL_WHOLE_CALLS_HPP

#include <type_traits>
#include <utility>

#include <nopal/detail/mode.hpp>
#ifndef NOPAL_ELIDE
#include <nopal/detail/fast_path.h>
#include <nopal/detail/frame.h>
#include <nopal/detail/stop.h>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

#ifdef NOPAL_ELIDE

/// No fork of a plain scope of the elision is ever skipped.
constexpr bool may_be_stopped() noexcept { return false; }

struct whole_calls {
  template <class F>
  decltype(auto) call(F&& f) {
    return std::forward<F>(f)();
  }
};

#else

/// Whether something is around the caller that can be stopped. One load where the process has none.
[[gnu::always_inline]] inline bool may_be_stopped() noexcept {
  // Relaxed: who is in a part sees it.
  return NOPAL_UNLIKELY(__atomic_load_n(&nopal_stops_used, __ATOMIC_RELAXED) != 0) &&
         nopal_innermost_stop() != nullptr;
}

/// A local of the function that makes the calls. To enter a part for each would cost ten times as much.
class whole_calls {
public:
  [[gnu::always_inline]] whole_calls() {
    if (nopal_enter_stop(&part_, between_calls, nullptr) != 0) {
      nopal_throw_push_failure();
    }
  }
  whole_calls(const whole_calls&) = delete;
  whole_calls& operator=(const whole_calls&) = delete;
  [[gnu::always_inline]] ~whole_calls() { nopal_leave_stop(&part_); }

  template <class F>
  [[gnu::always_inline]] decltype(auto) call(F&& f) {
    const shielded now(part_);
    return std::forward<F>(f)();
  }

private:
  /// A child of no scope: nothing stops it, it stops nothing, and what is around is asked.
  static constexpr nopal_stop_kind between_calls = nopal_stop_child;

  /// Of the strands that are inside none is left, for what the calls fork they join. Others look at the kind for what
  /// follows the part.
  struct shielded {
    nopal_stop& part;
    [[gnu::always_inline]] explicit shielded(nopal_stop& which) noexcept : part(which) {
      __atomic_store_n(&part.kind, nopal_stop_shield, __ATOMIC_RELAXED);
    }
    shielded(const shielded&) = delete;
    shielded& operator=(const shielded&) = delete;
    [[gnu::always_inline]] ~shielded() {
      __atomic_store_n(&part.kind, between_calls, __ATOMIC_RELAXED);
      // A fork of the call may have taken back what a request told this worker: the look tells it again.
      if (__atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0) {
        static_cast<void>(nopal_stop_requested_here());
      }
      // Who asked meanwhile may have passed over them. Relaxed: who follows was inside. Begins with a fence.
      if (NOPAL_UNLIKELY(__atomic_load_n(&part.followers, __ATOMIC_RELAXED) != 0)) {
        nopal_tell_followers();
      }
    }
  };

  nopal_stop part_;
};

#endif

/// Whether copies, moves and assignments run nothing of the program's that could be cut short.
template <class T>
inline constexpr bool copies_in_place = std::is_trivially_copyable_v<T>;

template <class T, class From>
[[gnu::noinline]] T make_behind_shield(From&& from) {
  whole_calls making;
  return making.call([&]() -> T { return T(std::forward<From>(from)); });
}
/// A T of `from`, which nothing around the caller cuts short: to copy or move it may fork.
template <class T, class From>
[[gnu::always_inline]] inline T make_wholly(From&& from) {
  if constexpr (!copies_in_place<T>) {
    if (may_be_stopped()) return make_behind_shield<T>(std::forward<From>(from));
  }
  return T(std::forward<From>(from));
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

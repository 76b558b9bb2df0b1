// What a fork of a `cancel_scope` calls: the child, and what takes its end where the scope unwinds.
#ifndef NOPAL_DETAIL_SPECULATIVE_CHILD_HPP
#define NOPAL_DETAIL_SPECULATIVE_CHILD_HPP

#include <utility>

#include <nopal/detail/invoke.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/stop_part.hpp>
#include <nopal/detail/stopped.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// Calls `body()` as a child of the part; false if it was unwound.
template <class Body>
[[gnu::always_inline]] inline bool run_speculatively([[maybe_unused]] const stop_part* part, Body body) {
#ifdef __cpp_exceptions
  if (part->unwinds()) {
    unwound_child child(part);
    try {
      body();
    } catch (const stopped&) {
      if (!part->is_stopped() && !child.was_unwound()) throw;
      child.throw_kept();
      return false;
    }
    child.throw_kept();
    return true;
  }
#endif
  body();
  return true;
}

template <class F>
struct speculative_child {
  [[no_unique_address]] F f;
  const stop_part* part;

  template <class... Args>
  void operator()(Args&&... args) {
    run_speculatively(part, [&]() __attribute__((always_inline)) {
      static_cast<void>(NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::forward<Args>(args)...));
    });
  }
};

template <class Out, class F>
struct assigning_child {
  [[no_unique_address]] F f;
  Out* out;
  const stop_part* part;

  template <class... Args>
  void operator()(Args&&... args) {
    run_speculatively(part, [&]() __attribute__((always_inline)) {
      *out = NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::forward<Args>(args)...);
    });
  }
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

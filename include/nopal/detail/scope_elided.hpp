// The serial elision: fork is a call, join is nothing.
//
// It lives in an inline namespace of its own, so that one program may hold objects compiled with
// NOPAL_ELIDE next to objects compiled without it.
#ifndef NOPAL_DETAIL_SCOPE_ELIDED_HPP
#define NOPAL_DETAIL_SCOPE_ELIDED_HPP

#include <functional>
#include <utility>

#include <nopal/version.hpp>

namespace nopal {
inline namespace elided {

/// The serial elision of a fork-join scope; see the parallel class of the same name.
class scope {
public:
  scope() noexcept = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Calls `f(args...)` and discards the result.
  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
    static_cast<void>(std::invoke(std::forward<F>(f), std::forward<Args>(args)...));
  }

  /// `out = f(args...)`.
  template <class Out, class F, class... Args>
  void fork_into(Out& out, F&& f, Args&&... args) {
    out = std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// Nothing: every child has returned already.
  void join() noexcept {}
};

}  // namespace elided
}  // namespace nopal

#endif

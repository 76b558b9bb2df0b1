// The serial elision: fork is a call, join is nothing.
//
// It lives in an inline namespace of its own, so that one program may hold objects compiled with
// NOPAL_ELIDE next to objects compiled without it. With NOPAL_ELIDE_DEPTH it also counts how deeply
// forks nest (the D of the space bound) and lives in yet another.
#ifndef NOPAL_DETAIL_SCOPE_ELIDED_HPP
#define NOPAL_DETAIL_SCOPE_ELIDED_HPP

#include <functional>
#include <type_traits>
#include <utility>

#include <nopal/detail/fork_arguments.hpp>
#include <nopal/detail/wrong_forks.hpp>
#include <nopal/version.hpp>

#define NOPAL_HAS_LATENT_FORKS 0

namespace nopal {

#ifdef NOPAL_ELIDE_DEPTH

inline namespace elided_depth {

/// How many scopes on this thread have forked and not joined since: now, and at most so far.
struct fork_depth {
  long current = 0;
  long maximum = 0;
};
inline thread_local fork_depth this_thread_fork_depth;

namespace detail {

/// A scope's part in the count: one from its first fork to its join.
class forked_mark {
public:
  ~forked_mark() { clear(); }

  void set() noexcept {
    if (std::exchange(set_, true)) return;
    fork_depth& depth = this_thread_fork_depth;
    if (++depth.current > depth.maximum) depth.maximum = depth.current;
  }
  void clear() noexcept {
    if (std::exchange(set_, false)) --this_thread_fork_depth.current;
  }

private:
  bool set_ = false;
};

}  // namespace detail

#else

inline namespace elided {

namespace detail {

/// Counts nothing.
struct forked_mark {
  void set() noexcept {}
  void clear() noexcept {}
};

}  // namespace detail

#endif

/// The serial elision of a fork-join scope; see the parallel class of the same name.
class scope : NOPAL_ABI_NAMESPACE::detail::wrong_forks {
public:
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork;
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork_inlet;
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork_into;

  scope() noexcept = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Calls `f(args...)` and discards the result. Copies as the parallel scope does: what compiles
  /// and what a child can change must not depend on the elision.
  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork<F, Args...>()) {
      forked_.set();
      static_cast<void>(
          std::invoke(std::decay_t<F>(std::forward<F>(f)), std::decay_t<Args>(std::forward<Args>(args))...));
    }
  }

  /// `out = f(args...)`.
  template <class Out, class F, class... Args>
  void fork_into(Out& out, F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork_into<Out, F, Args...>()) {
      forked_.set();
      out = std::invoke(std::decay_t<F>(std::forward<F>(f)), std::decay_t<Args>(std::forward<Args>(args))...);
    }
  }

  /// Nothing: every child has returned already.
  void join() noexcept { forked_.clear(); }

private:
  [[no_unique_address]] detail::forked_mark forked_;
};

}  // namespace elided or elided_depth
}  // namespace nopal

#endif

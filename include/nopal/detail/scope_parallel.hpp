// The scope of fork-join parallelism. All code that runs where nothing is stolen is in this header,
// nopal/detail/child.hpp and fast_path.h; the rest is in the library.
#ifndef NOPAL_DETAIL_SCOPE_PARALLEL_HPP
#define NOPAL_DETAIL_SCOPE_PARALLEL_HPP

#include <type_traits>
#include <utility>

#include <nopal/detail/child.hpp>
#include <nopal/detail/latent_mode.h>
#if NOPAL_HAS_LATENT_FORKS
#include <nopal/detail/latent_fork.hpp>
#endif
#include <nopal/detail/wrong_forks.hpp>
#include <nopal/version.hpp>

extern "C" NOPAL_EXPORT const char nopal_library_is_missing_or_differs_from_headers__expected_abi_3;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

namespace detail {
struct scope_access;
}

/// Forks children and joins them, within one call of one function.
///
/// A fork calls its child like a function; what follows the fork, up to the join, may be taken by
/// another worker and run at the same time. Whatever a child writes is declared before the scope,
/// since locals die in reverse order and the scope's destructor is what waits. After a fork or a
/// join the function may be on another thread: hold no mutex, no address of a thread-local variable
/// and no `errno` across them.
///
/// A scope is made, forked on and joined by the same function activation; a function that is handed
/// a scope by reference cannot fork on it (unless it is inlined, which is nothing to rely on) and
/// gets an `error`.
///
/// Cost of a fork and its join where nothing is stolen: a call, and a dozen stores. Memory:
/// `sizeof(scope)` bytes in the caller's frame and nothing else, however many children are forked.
/// Continuation stealing on a cactus stack follows C. Yang and J. Mellor-Crummey, "A practical
/// solution to the cactus stack problem", SPAA 2016; the join follows N. Pfeiffer's master's
/// thesis, FAU Erlangen-Nürnberg, 2020.
class scope : detail::wrong_forks {
public:
  using detail::wrong_forks::fork;
  using detail::wrong_forks::fork_inlet;
  using detail::wrong_forks::fork_into;

  /// Makes an empty scope. No allocation, no system call; the runtime starts at the first fork.
  [[gnu::always_inline]] scope() noexcept { nopal_make_frame(&frame_); }

  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Joins. Throws as `join` does, unless an exception is leaving the scope already: then the
  /// children's are dropped, even earlier ones. Where what is called may throw as well as what is
  /// forked, fork both to keep the serial order.
  [[gnu::always_inline]] ~scope() noexcept(false) {
    if (NOPAL_UNLIKELY(frame_.steals != 0)) {
      void* exception;
      NOPAL_DETAIL_JOIN_RETURNS(&frame_);
      NOPAL_JOIN_STOLEN(&frame_, exception);
      if (NOPAL_UNLIKELY(exception != nullptr)) {
        nopal_rethrow_at_end(nopal_fresh_address(&frame_), exception);
      }
    }
  }

  /// Calls `f(args...)`, a child that may run at the same time as what follows, up to the join.
  ///
  /// Callable and arguments are copied or moved as by std::thread before the continuation can be
  /// stolen, and passed as rvalues; the result is discarded. If nothing was stolen from the scope
  /// since its last join, an exception of the child leaves the fork, as in the serial program;
  /// otherwise it leaves the join, which has the earliest of all to choose. Throws `error` if this
  /// thread cannot be made a worker.
  template <class F, class... Args>
  [[gnu::always_inline]] void fork(F&& f, Args&&... args) {
    if constexpr (detail::can_fork<F, Args...>()) {
      check_function();
      detail::NOPAL_DETAIL_FORK(&frame_, static_cast<detail::no_result*>(nullptr), std::forward<F>(f),
                                std::forward<Args>(args)...);
    }
  }

  /// `out = f(args...)`, the assignment being part of the child: read `out` after the join only.
  template <class Out, class F, class... Args>
  [[gnu::always_inline]] void fork_into(Out& out, F&& f, Args&&... args) {
    if constexpr (detail::can_fork_into<Out, F, Args...>()) {
      check_function();
      detail::NOPAL_DETAIL_FORK(&frame_, __builtin_addressof(out), std::forward<F>(f),
                                std::forward<Args>(args)...);
    }
  }

  /// Waits for every child forked since the last join; the worker does other work meanwhile. May
  /// return on another thread, except the outermost join of a thread of the program. Rethrows what
  /// the serial program would have met first among the exceptions of stolen children. The scope can
  /// be used again. One load and one compare if nothing was stolen.
  [[gnu::always_inline]] void join() {
    if (NOPAL_UNLIKELY(frame_.steals != 0)) {
      void* exception;
      NOPAL_DETAIL_JOIN_RETURNS(&frame_);
      NOPAL_JOIN_STOLEN(&frame_, exception);
      if (NOPAL_UNLIKELY(exception != nullptr)) {
        nopal_rethrow(exception);
      }
    }
  }

private:
  friend struct detail::scope_access;

  /// Folds to nothing at a scope's first fork; one compare at the others.
  [[gnu::always_inline]] void check_function() {
    if (NOPAL_UNLIKELY(frame_.frame_pointer != __builtin_frame_address(0))) {
      nopal_throw_foreign_scope(&frame_);
    }
  }

  nopal_frame frame_;
};

namespace detail {
/// What the patterns read of a scope.
struct scope_access {
  /// Continuations stolen since the last join; read by the strand that owns the scope.
  static uint32_t steals(const scope& s) noexcept { return s.frame_.steals; }
  static nopal_frame* frame(scope& s) noexcept { return &s.frame_; }
};

/// Refers to the library's name of this binary interface, so that another library does not link.
/// Hidden, because a symbol that GCC must make unique in the whole process keeps a plug-in from
/// ever being unloaded.
[[gnu::used, gnu::visibility("hidden")]] inline const char* const linked_abi =
    &nopal_library_is_missing_or_differs_from_headers__expected_abi_3;
}  // namespace detail

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

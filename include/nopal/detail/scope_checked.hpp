// The scope of a checked program: the serial elision, which tells the checker where children begin,
// end and are joined.
//
// A child is called apart from its parent, so that no variable of one shares a place on the stack
// with one of the other; and what it can reach is shown to the compiler as reachable, so that all
// accesses to it are instrumented.
#ifndef NOPAL_DETAIL_SCOPE_CHECKED_HPP
#define NOPAL_DETAIL_SCOPE_CHECKED_HPP

#include <nopal/detail/language.h>

#include <cstddef>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/check.h>
#include <nopal/detail/fork_arguments.hpp>
#include <nopal/detail/invoke.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/wrong_forks.hpp>

#define NOPAL_HAS_LATENT_FORKS 0

// Around a child. Where an exception of it leaves the fork, all children of the scope come before what that leads to: where
// something was stolen it leaves the join.
#ifdef __cpp_exceptions
#define NOPAL_DETAIL_CHECKED_TRY try
#define NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(first, children)                                                 \
  catch (...) {                                                                                              \
    first;                                                                                                   \
    nopal_check_join(children);                                                                              \
    throw;                                                                                                   \
  }
#else
#define NOPAL_DETAIL_CHECKED_TRY
#define NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(first, children)
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// From the begin of a child to its end, also where that is an exception.
class child_mark {
public:
  [[gnu::always_inline]] explicit child_mark(nopal_check_children** children) noexcept {
    nopal_check_fork(children);
  }
  child_mark(const child_mark&) = delete;
  child_mark& operator=(const child_mark&) = delete;
  [[gnu::always_inline]] ~child_mark() { nopal_check_end(nullptr, 0); }
};

/// A callable with its arguments, copied. They end before the child does, which lasts as long as this.
template <class Out, class F, class... Args>
struct checked_call {
  struct parts {
    F f;
    std::tuple<Args...> args;
  };
  union {
    parts held;
  };
  Out* out;
  bool has_ended = false;  ///< read by the child, and written when that is over

  template <class G, class... Given>
  [[gnu::always_inline]] checked_call(nopal_check_children** children, Out* to, G&& g, Given&&... given)
      : held{F(std::forward<G>(g)), std::tuple<Args...>(std::forward<Given>(given)...)}, out(to) {
    nopal_check_fork(children);
  }
  checked_call(const checked_call&) = delete;
  checked_call& operator=(const checked_call&) = delete;
  [[gnu::always_inline]] ~checked_call() {
    if (!has_ended) nopal_check_end(this, sizeof *this);
  }
  /// After an exception of the child.
  void end() noexcept {
    nopal_check_end(this, sizeof *this);
    has_ended = true;
  }

  [[gnu::noinline]] static void run(checked_call* call) {
    struct ending {
      parts& held;
      ~ending() { held.~parts(); }
    } const at_the_end{call->held};
    std::apply(
        [call](Args&... args) {
          if constexpr (std::is_void_v<Out>) {
            static_cast<void>(
                NOPAL_ABI_NAMESPACE::detail::invoke(std::move(call->held.f), std::move(args)...));
          } else {
            *call->out = NOPAL_ABI_NAMESPACE::detail::invoke(std::move(call->held.f), std::move(args)...);
          }
        },
        call->held.args);
  }
};

template <class Out, class F, class... Args>
[[gnu::always_inline]] inline void fork_in_place(nopal_check_children** children, Out* out, F&& f,
                                                 Args&&... args) {
  using call_type = checked_call<Out, std::decay_t<F>, std::decay_t<Args>...>;
  // An exception of a copy is the parent's.
  call_type call(children, out, std::forward<F>(f), std::forward<Args>(args)...);
  void (*run)(call_type*) = call_type::run;
  // The compiler is told that the call may be any function's, and that it reaches what the arguments lead to.
  asm volatile("" : "+r"(run) : "r"(&call) : "memory");
  NOPAL_DETAIL_CHECKED_TRY { run(&call); }
  NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(call.end(), children)
}

template <class T>
inline constexpr bool is_word = std::is_scalar_v<T> && sizeof(T) <= sizeof(void*);

/// A function and arguments that calls take in registers, beside one for the result: no one else can reach the copies, so
/// they need no place that is looked at.
template <class F, class... Args>
constexpr bool is_in_registers() noexcept {
  constexpr std::size_t most_integers = 4;
  constexpr std::size_t most_floats = 8;
  constexpr std::size_t floats = (std::size_t{0} + ... + (std::is_floating_point_v<Args> ? 1 : 0));
  return is_word<F> && (is_word<Args> && ...) && floats <= most_floats &&
         sizeof...(Args) - floats <= most_integers;
}

template <class Out, class F, class... Args>
[[gnu::noinline]] void run_by_value(Out* out, F f, Args... args) {
  if constexpr (std::is_void_v<Out>) {
    static_cast<void>(NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::move(args)...));
  } else {
    *out = NOPAL_ABI_NAMESPACE::detail::invoke(std::move(f), std::move(args)...);
  }
}

// The copies are made here, before the child begins.
template <class Out, class F, class... Args>
[[gnu::always_inline]] inline void fork_by_value(nopal_check_children** children, Out* out, F f,
                                                 Args... args) {
  void (*run)(Out*, F, Args...) = run_by_value<Out, F, Args...>;
  NOPAL_DETAIL_CHECKED_TRY {
    const child_mark child(children);
    asm volatile("" : "+r"(run) : : "memory");
    run(out, f, args...);
  }
  NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(static_cast<void>(0), children)
}

template <class Out, class F, class... Args>
[[gnu::always_inline]] inline void fork_checked(nopal_check_children** children, Out* out, F&& f,
                                                Args&&... args) {
  if constexpr (is_in_registers<std::decay_t<F>, std::decay_t<Args>...>()) {
    fork_by_value<Out, std::decay_t<F>, std::decay_t<Args>...>(children, out, std::forward<F>(f),
                                                               std::forward<Args>(args)...);
  } else {
    fork_in_place(children, out, std::forward<F>(f), std::forward<Args>(args)...);
  }
}

}  // namespace detail

/// The fork-join scope of a checked program; see the parallel class of the same name.
class scope : NOPAL_ABI_NAMESPACE::detail::wrong_forks {
public:
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork;
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork_inlet;
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork_into;

  scope() noexcept = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() { join(); }

  /// Calls `f(args...)` as a child and discards the result.
  template <class F, class... Args>
  [[gnu::always_inline]] void fork(F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork<F, Args...>()) {
      detail::fork_checked<void>(&children_, nullptr, std::forward<F>(f), std::forward<Args>(args)...);
    }
  }

  /// `out = f(args...)` as a child.
  template <class Out, class F, class... Args>
  [[gnu::always_inline]] void fork_into(Out& out, F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork_into<Out, F, Args...>()) {
      detail::fork_checked<Out>(&children_, &out, std::forward<F>(f), std::forward<Args>(args)...);
    }
  }

  /// What children did comes before what follows. They have returned already.
  void join() noexcept { nopal_check_join(&children_); }

private:
  nopal_check_children* children_ = nullptr;
};

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

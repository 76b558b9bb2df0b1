// Work that may turn out not to be needed: scopes that can be stopped, and inlets, which take each
// child's result as it comes.
#ifndef NOPAL_SPECULATE_HPP
#define NOPAL_SPECULATE_HPP

#include <nopal/detail/language.h>

#include <optional>
#include <type_traits>
#include <utility>

#include <nopal/detail/fork_arguments.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/stop_part.hpp>
#include <nopal/detail/stop_tokens.hpp>
#include <nopal/detail/stopped.hpp>
#include <nopal/detail/wrong_forks.hpp>
#include <nopal/scope.hpp>
#ifdef NOPAL_ELIDE
#include <nopal/detail/inlet_fork_serial.hpp>
#else
#include <nopal/detail/inlet_fork_parallel.hpp>
#endif
#include <nopal/detail/speculative_child.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// Whether the innermost `cancel_scope` around the caller is to stop, or one around that. One load where
/// no scope of the process is. Code is in a scope from the scope's construction to its end: in the function
/// that made it, in all that this calls, and in all that is forked there.
[[nodiscard]] inline bool stop_requested() noexcept { return detail::is_stopped_here(); }

/// Throws `stopped`, a std::exception, where a fork would: in a child of a scope that unwinds, if that is stopped or one
/// around it. One load where no scope is stopped. Nothing where exceptions are off.
inline void poll() { detail::poll_stop(); }

/// Calls `f()` outside of all scopes that may be stopped, and returns what it returns: nothing stops what it
/// does. Scopes that it makes can be stopped.
template <class F>
decltype(auto) shield(F&& f) {
  constexpr bool callable = std::is_invocable_v<F>;
  static_assert(callable, "nopal: shield: the argument must be callable without arguments, as a lambda is");
  if constexpr (callable) {
    [[maybe_unused]] const detail::stop_part part(nopal_stop_shield);
    return std::forward<F>(f)();
  }
}

namespace detail {

/// What a `cancel_scope` can be made of.
struct cancel_scope_arguments {
  explicit cancel_scope_arguments(on_stop = {}, inlet_order = {}) {}
  explicit cancel_scope_arguments(inlet_order) {}
#ifdef __cpp_lib_jthread
  explicit cancel_scope_arguments(const std::stop_token&, on_stop = {}, inlet_order = {}) {}
  cancel_scope_arguments(const std::stop_token&, inlet_order) {}
#endif
};

}  // namespace detail

/// Of another number of arguments.
template <class... Wrong>
  requires(sizeof...(Wrong) != 1)
refusals::no_value shield(Wrong&&... /*wrong*/) {
  static_assert(refusals::accepted<Wrong...>,
                "nopal: shield: the argument must be callable without arguments, as a lambda is");
  return {};
}

/// A scope whose work can be stopped.
///
/// Until it is, it is a `scope`. Once stopped, forks in it do not begin their children, be they its own
/// or those of scopes and patterns inside of it, and what a fork would have assigned stays as it was. What
/// runs goes on to its end, unless it asks `stop_requested()`, or the scope unwinds. Joins wait for
/// what runs. Nothing of this costs a fork anything before.
///
/// `on_stop` is `skip` or `unwind`, `inlet_order` is `completion` or `serial`.
///
/// Scopes are nested: to stop one stops those inside of it. As a scope it is made, forked on and joined
/// by one function. Its constructor makes the thread a worker, and throws `error` where that is
/// impossible.
class cancel_scope : NOPAL_ABI_NAMESPACE::detail::wrong_forks {
public:
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork;
  using NOPAL_ABI_NAMESPACE::detail::wrong_forks::fork_into;

  /// Takes some nanoseconds.
  [[gnu::always_inline]] explicit cancel_scope(on_stop how = on_stop::skip,
                                               inlet_order order = inlet_order::completion)
      : part_(how == on_stop::skip ? nopal_stop_skips : nopal_stop_unwinds), inlets_(order) {}
  /// The same, with the order alone.
  [[gnu::always_inline]] explicit cancel_scope(inlet_order order) : cancel_scope(on_stop::skip, order) {}
#ifdef __cpp_lib_jthread
  /// Also stopped by `token`, which may be stopped already.
  [[gnu::always_inline]] explicit cancel_scope(const std::stop_token& token, on_stop how = on_stop::skip,
                                               inlet_order order = inlet_order::completion)
      : cancel_scope(how, order) {
    from_.emplace(token, stops_this{this});
  }
  /// The same, with the order alone.
  [[gnu::always_inline]] cancel_scope(const std::stop_token& token, inlet_order order)
      : cancel_scope(token, on_stop::skip, order) {}
#endif
  /// Of anything else.
  template <class... Wrong>
    requires(!std::is_constructible_v<detail::cancel_scope_arguments, Wrong...> &&
             !(std::is_same_v<std::remove_cvref_t<Wrong>, cancel_scope> || ...))
  explicit cancel_scope(Wrong&&... /*wrong*/) : cancel_scope() {
    static_assert(
        refusals::accepted<Wrong...>,
        "nopal: cancel_scope takes a std::stop_token, a nopal::on_stop and a nopal::inlet_order, each or "
        "none of them, in this order");
  }
  cancel_scope(const cancel_scope&) = delete;
  cancel_scope& operator=(const cancel_scope&) = delete;
  /// Joins, as a scope's destructor does.
  [[gnu::always_inline]] ~cancel_scope() noexcept(false) {}

  /// As `scope::fork`, unless the scope is stopped: then nothing is called.
  template <class F, class... Args>
  [[gnu::always_inline]] void fork(F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork<F, Args...>()) {
      if (detail::is_skipped_serially(part_)) return;
      scope_.fork(detail::speculative_child<std::decay_t<F>>{std::forward<F>(f), &part_},
                  std::forward<Args>(args)...);
    }
  }

  /// As `scope::fork_into`, unless the scope is stopped: then `out` stays as it is.
  template <class Out, class F, class... Args>
  [[gnu::always_inline]] void fork_into(Out& out, F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork_into<Out, F, Args...>()) {
      if (detail::is_skipped_serially(part_)) return;
      scope_.fork(
          detail::assigning_child<Out, std::decay_t<F>>{std::forward<F>(f), __builtin_addressof(out), &part_},
          std::forward<Args>(args)...);
    }
  }

  /// Forks `f(args...)`; when it returns, calls `inlet` with what it returned, or without arguments
  /// if that is nothing.
  ///
  /// Inlets of one scope never run at the same time, and each sees what those before it did. They run in
  /// the order in which children end, or in that of the forks (`inlet_order`). An inlet may stop the
  /// scope, fork and join on scopes of its own, and wait, but not for what its function does after the fork; what it throws counts as thrown by its child, or by the child that it waited for.
  /// No lock is taken for a child whose continuation was not stolen. An inlet also runs for children that end
  /// after the scope was stopped: they may have been cut short. It does not run for children that were not
  /// begun, that threw, or that were unwound. The function that forks may go on meanwhile, on another worker:
  /// what inlets write it reads after the join, or as an atomic.
  template <class Inlet, class F, class... Args>
  [[gnu::always_inline]] void fork_inlet(Inlet&& inlet, F&& f, Args&&... args) {
    if constexpr (NOPAL_ABI_NAMESPACE::detail::can_fork_inlet<F, Args...>()) {
      if constexpr (detail::takes_result<Inlet, F, Args...>()) {
        if (detail::is_skipped_serially(part_)) return;
        detail::fork_with_inlet(scope_, inlets_, part_, std::forward<Inlet>(inlet), std::forward<F>(f),
                                std::forward<Args>(args)...);
      }
    }
  }

  /// Without arguments.
  template <class Nothing = void>
  void fork_inlet() {
    static_assert(refusals::accepted<Nothing>,
                  "nopal: fork_inlet takes what gets the result, then a callable and its arguments: "
                  "s.fork_inlet(inlet, f, arguments...)");
  }
  /// Without a callable.
  template <class Inlet>
  void fork_inlet(Inlet&& /*inlet*/) {
    fork_inlet<Inlet>();
  }

  /// As `scope::join`. Returns normally where the scope is stopped. The scope can be used again, but a
  /// stopped one stays stopped.
  [[gnu::always_inline]] void join() { scope_.join(); }

  /// Stops the scope. From any thread and strand; the scope lasts until the call has returned. False if it was stopped
  /// before. Takes time in proportion to the number of workers.
  bool request_stop() noexcept {
    if (!part_.stop()) return false;
#ifdef __cpp_lib_jthread
    nopal_tell_tokens(part_.record());
#endif
    return true;
  }

  /// Whether it, or one around it, was stopped.
  [[nodiscard]] bool stop_requested() const noexcept { return part_.is_stopped(); }

#ifdef __cpp_lib_jthread
  /// A token that is stopped with this scope, or one around it, its callbacks by the thread that stops that; it may
  /// outlive the scope. From any
  /// strand of the scope. The first call of a scope allocates memory.
  [[nodiscard]] std::stop_token token() { return detail::tokens_of(part_.record()).source.get_token(); }
#endif

private:
  detail::stop_part part_;
  detail::inlets inlets_;
#ifdef __cpp_lib_jthread
  /// Ends the tokens, once nobody in the scope can ask for them.
  struct tokens_end {
    nopal_stop* part;
    explicit tokens_end(nopal_stop* of) noexcept : part(of) {}
    tokens_end(const tokens_end&) = delete;
    tokens_end& operator=(const tokens_end&) = delete;
    ~tokens_end() { nopal_drop_tokens(part); }
  };
  const tokens_end tokens_{part_.record()};
  struct stops_this {
    cancel_scope* scope;
    void operator()() noexcept { static_cast<void>(scope->request_stop()); }
  };
  std::optional<std::stop_callback<stops_this>> from_;
#endif
  scope scope_;  // last: its end waits for all that uses the others
};

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// Strands that wait for senders.
#ifndef NOPAL_DETAIL_EXECUTION_WAIT_HPP
#define NOPAL_DETAIL_EXECUTION_WAIT_HPP

#include <exception>
#include <optional>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/execution/names.hpp>
#include <nopal/detail/execution/scheduler.hpp>
#include <nopal/detail/execution/tasks.hpp>
#include <nopal/scope.hpp>
#include <nopal/waiting.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace execution {

namespace detail {

/// The environment of a strand that waits: work that needs a scheduler gets the pool's.
template <class Token>
struct waiting_env {
  Token token;
  [[nodiscard]] Token query(tokens::get_stop_token_t /*query*/) const noexcept { return token; }
  template <class Query>
    requires(std::is_same_v<Query, senders::get_scheduler_t> ||
             std::is_same_v<Query, senders::get_delegation_scheduler_t>
#ifdef STDEXEC
             || std::is_same_v<Query, senders::get_start_scheduler_t>
#endif
             )
  [[nodiscard]] auto query(Query /*query*/) const noexcept {
    return get_scheduler();
  }
};

template <class... Values>
using decayed_tuple = std::tuple<std::decay_t<Values>...>;

template <class... Tuples>
struct single_tuple {
  static constexpr bool is_single = false;
  using type = std::tuple<>;
};
template <class Tuple>
struct single_tuple<Tuple> {
  static constexpr bool is_single = true;
  using type = Tuple;
};

template <class Sender, class Token>
using waited_values = senders::value_types_of_t<Sender, waiting_env<Token>, decayed_tuple, single_tuple>;

template <class Tuple, class Token>
struct waiting_state {
  std::optional<Tuple> values;
  std::exception_ptr thrown;
  event done;
  Token token;
};

template <class Tuple, class Token>
struct waiting_receiver {
  using receiver_concept = senders::receiver_tag;
  waiting_state<Tuple, Token>* state;

  template <class... Values>
  void set_value(Values&&... values) && noexcept {
#ifdef __cpp_exceptions
    try {
      state->values.emplace(static_cast<Values&&>(values)...);
    } catch (...) {
      state->thrown = std::current_exception();
    }
#else
    state->values.emplace(static_cast<Values&&>(values)...);
#endif
    state->done.set();  // the strand may go on, and the state be gone
  }
  template <class Error>
  void set_error(Error error) && noexcept {
    if constexpr (std::is_same_v<Error, std::exception_ptr>) {
      state->thrown = static_cast<Error&&>(error);
    } else if constexpr (std::is_same_v<Error, std::error_code>) {
      state->thrown = std::make_exception_ptr(std::system_error(error));
    } else {
      state->thrown = std::make_exception_ptr(static_cast<Error&&>(error));
    }
    state->done.set();
  }
  // Also of an lvalue: bulks of stdexec's parallel scheduler do not move the receiver here.
  void set_stopped() noexcept { state->done.set(); }
  [[nodiscard]] waiting_env<Token> get_env() const noexcept { return {state->token}; }
};

}  // namespace detail

/// Starts the sender and waits until it completes: the strand is suspended, and its worker runs others
/// meanwhile. Returns the values, or nothing where the sender was stopped; throws its error. May return
/// on another thread, as a join. On a thread of the program, outside of all that it forked, that thread
/// waits, and one of the pool has its place. `token` is the one that the sender sees.
template <class Sender, class Token = detail::tokens::never_stop_token>
auto wait(Sender&& sender, Token token = {}) {
  using found = detail::waited_values<Sender, Token>;
  static_assert(found::is_single,
                "nopal: execution: wait takes a sender that can succeed in one way: use into_variant");
  using tuple = typename found::type;
  detail::waiting_state<tuple, Token> state{{}, {}, {}, static_cast<Token&&>(token)};
  [[maybe_unused]] auto operation =
      detail::senders::connect(std::forward<Sender>(sender), detail::waiting_receiver<tuple, Token>{&state});
  {
    [[maybe_unused]] const detail::place_given_up<false> while_it_waits;
    detail::senders::start(operation);
    state.done.wait();
  }
#ifdef __cpp_exceptions
  if (state.thrown != nullptr) std::rethrow_exception(std::exchange(state.thrown, nullptr));
#endif
  return std::move(state.values);
}

/// Forks a child of `in`, a `scope` or `cancel_scope`, that starts the sender and waits for it: the join
/// waits for that, and throws the sender's error. The values are dropped. A stop of a `cancel_scope` stops the
/// sender: it sees the scope's token.
template <class Scope, class Sender>
[[gnu::always_inline]] inline void fork(Scope& in, Sender&& sender) {
  if constexpr (requires { in.token(); }) {
    in.fork(
        [](std::decay_t<Sender> waited, decltype(in.token()) token) {
          static_cast<void>(execution::wait(std::move(waited), std::move(token)));
        },
        std::forward<Sender>(sender), in.token());
  } else {
    in.fork([](std::decay_t<Sender> waited) { static_cast<void>(execution::wait(std::move(waited))); },
            std::forward<Sender>(sender));
  }
}

}  // namespace execution
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// bulk_chunked and bulk_unchunked as loops of Nopal: where the values come from, the loop runs in the
// frame that has them. Nothing is copied or allocated.
#ifndef NOPAL_DETAIL_EXECUTION_BULK_HPP
#define NOPAL_DETAIL_EXECUTION_BULK_HPP

#include <concepts>
#include <cstddef>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

#include <nopal/detail/execution/names.hpp>
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace execution {
namespace detail {

struct stops_scope {
  cancel_scope* scope;
  void operator()() const noexcept { static_cast<void>(scope->request_stop()); }
};

/// Calls `work()`, in a scope that `token` stops; whether it did. No other scope stops it.
template <class Token, class Work>
bool is_stopped_during(const Token& token, Work&& work) {
  if constexpr (tokens::unstoppable_token<Token>) {
    nopal::shield(work);
    return false;
  } else {
    if (token.stop_requested()) return true;
    if (!token.stop_possible()) {
      nopal::shield(work);
      return false;
    }
    return nopal::shield([&] {
      cancel_scope within;
      const tokens::stop_callback_for_t<Token, stops_scope> stops(token, stops_scope{&within});
      work();
      return within.stop_requested();
    });
  }
}

/// A bulk's count and function.
template <bool Chunked, bool Parallel, class Shape, class Function>
struct bulk_work {
  Shape shape;
  Function function;

  template <class... Values>
  static constexpr bool is_callable() {
    if constexpr (Chunked) {
      return std::is_invocable_v<Function&, Shape, Shape, Values&...>;
    } else {
      return std::is_invocable_v<Function&, Shape, Values&...>;
    }
  }
  template <class... Values>
  static constexpr bool throws() {
    if constexpr (Chunked) {
      return !std::is_nothrow_invocable_v<Function&, Shape, Shape, Values&...>;
    } else {
      return !std::is_nothrow_invocable_v<Function&, Shape, Values&...>;
    }
  }

  /// Whether it was stopped by the token.
  template <class Token, class... Values>
  bool run(const Token& token, Values&... values) {
    if (!(Shape{} < shape)) return false;
    if constexpr (!Parallel) {
      if constexpr (Chunked) {
        if constexpr (!tokens::unstoppable_token<Token>) {
          if (token.stop_requested()) return true;
        }
        function(Shape{}, Shape(shape), values...);
      } else {
        for (Shape i{}; i != shape; i = static_cast<Shape>(i + 1)) {
          if constexpr (!tokens::unstoppable_token<Token>) {
            if (token.stop_requested()) return true;
          }
          function(Shape(i), values...);
        }
      }
      return false;
    } else if constexpr (Chunked) {
      return is_stopped_during(token, [&] {
        for_each_part([&](Shape first, std::size_t count) {
          nopal::parallel_for(std::size_t{0}, count, [&](const std::size_t& from, const std::size_t& to) {
            function(at(first, from), at(first, to), values...);
          });
        });
      });
    } else {
      // Each position for itself.
      return is_stopped_during(token, [&] {
        for_each_part([&](Shape first, std::size_t count) {
          nopal::parallel_for(std::size_t{0}, count, std::size_t{1},
                              [&](const std::size_t& i) { function(at(first, i), values...); });
        });
      });
    }
  }

  static Shape at(Shape first, std::size_t distance) noexcept {
    return static_cast<Shape>(first + static_cast<Shape>(distance));
  }

  /// All of them in one part, unless there are more than a loop of Nopal has.
  template <class Part>
  void for_each_part(const Part& part) const {
    if constexpr (sizeof(Shape) <= sizeof(std::size_t)) {
      part(Shape{}, static_cast<std::size_t>(shape));
    } else {
      constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
      for (Shape first{}; first < shape;) {
        const auto left = static_cast<Shape>(shape - first);
        const std::size_t count = left < static_cast<Shape>(most) ? static_cast<std::size_t>(left) : most;
        part(first, count);
        first = at(first, count);
        if (nopal::stop_requested()) return;
      }
    }
  }
};

template <class Work, class Receiver>
struct bulk_state {
  Receiver receiver;
  Work work;
};

/// Receives what the loop's bodies are called with.
template <class Work, class Receiver>
struct bulk_receiver {
  using receiver_concept = senders::receiver_tag;
  bulk_state<Work, Receiver>* state;

  template <class... Values>
  void set_value(Values&&... values) && noexcept {
    bulk_state<Work, Receiver>& all = *state;
    const auto run = [&] {
      if (all.work.run(tokens::get_stop_token(senders::get_env(all.receiver)), values...)) {
        if constexpr (!tokens::unstoppable_token<token_of<Receiver>>) {
          senders::set_stopped(static_cast<Receiver&&>(all.receiver));
        }
      } else {
        senders::set_value(static_cast<Receiver&&>(all.receiver), static_cast<Values&&>(values)...);
      }
    };
    if constexpr (Work::template throws<Values...>()) {
#ifdef __cpp_exceptions
      std::exception_ptr thrown;
      bool stopped = false;
      try {
        stopped = all.work.run(tokens::get_stop_token(senders::get_env(all.receiver)), values...);
      } catch (...) {
        thrown = std::current_exception();
      }
      if (thrown != nullptr) {
        senders::set_error(static_cast<Receiver&&>(all.receiver), static_cast<std::exception_ptr&&>(thrown));
        return;
      }
      if constexpr (!tokens::unstoppable_token<token_of<Receiver>>) {
        if (stopped) {
          senders::set_stopped(static_cast<Receiver&&>(all.receiver));
          return;
        }
      }
      senders::set_value(static_cast<Receiver&&>(all.receiver), static_cast<Values&&>(values)...);
#else
      run();
#endif
    } else {
      run();
    }
  }

  template <class Error>
  void set_error(Error&& error) && noexcept {
    senders::set_error(static_cast<Receiver&&>(state->receiver), static_cast<Error&&>(error));
  }
  // Also of an lvalue, as in wait.hpp.
  void set_stopped() noexcept { senders::set_stopped(static_cast<Receiver&&>(state->receiver)); }
  [[nodiscard]] senders::env_of_t<Receiver> get_env() const noexcept {
    return senders::get_env(state->receiver);
  }
};

template <class Sender, class Work, class Receiver>
class bulk_operation {
public:
  using operation_state_concept = senders::operation_state_tag;

  bulk_operation(Sender&& sender, Work&& work, Receiver&& receiver)
      : state_{static_cast<Receiver&&>(receiver), static_cast<Work&&>(work)},
        inner_(senders::connect(static_cast<Sender&&>(sender), bulk_receiver<Work, Receiver>{&state_})) {}
  bulk_operation(const bulk_operation&) = delete;
  bulk_operation& operator=(const bulk_operation&) = delete;
  ~bulk_operation() = default;

  void start() & noexcept { senders::start(inner_); }

private:
  bulk_state<Work, Receiver> state_;
  senders::connect_result_t<Sender, bulk_receiver<Work, Receiver>> inner_;
};

// --- completions: those of the sender before, and what the loop adds --------------------------------

template <class Signature, class List>
struct add_signature;
template <class Signature, class... Signatures>
struct add_signature<Signature, senders::completion_signatures<Signatures...>> {
  using type = std::conditional_t<(std::is_same_v<Signature, Signatures> || ...),
                                  senders::completion_signatures<Signatures...>,
                                  senders::completion_signatures<Signatures..., Signature>>;
};
template <bool Added, class Signature, class List>
using with_signature_if =
    typename std::conditional_t<Added, add_signature<Signature, List>, std::type_identity<List>>::type;

template <class Work, class Signature>
inline constexpr bool adds_error = false;
template <class Work, class... Values>
inline constexpr bool adds_error<Work, senders::set_value_t(Values...)> = Work::template throws<Values...>();

template <class Work, class Signature>
inline constexpr bool takes_values = true;
template <class Work, class... Values>
inline constexpr bool takes_values<Work, senders::set_value_t(Values...)> =
    Work::template is_callable<Values...>();

template <class Work, bool Stoppable, class List>
constexpr auto completions_of(List list) {
  return list;  // what is wrong with the sender before is wrong with this one
}
template <class Work, bool Stoppable, class... Signatures>
constexpr auto completions_of(senders::completion_signatures<Signatures...> /*before*/) {
  static_assert((takes_values<Work, Signatures> && ...),
                "nopal: execution: the function of a bulk must be callable with an index (bulk_chunked: with "
                "the two ends of a chunk) and the values of the sender before it");
  using all = senders::completion_signatures<Signatures...>;
  using with_error =
      with_signature_if<(adds_error<Work, Signatures> || ...), senders::set_error_t(std::exception_ptr), all>;
  return with_signature_if<Stoppable, senders::set_stopped_t(), with_error>();
}

template <class Sender, class Work>
class bulk_sender {
public:
  using sender_concept = senders::sender_tag;

  bulk_sender(Sender&& sender, Work&& work)
      : sender_(static_cast<Sender&&>(sender)), work_(static_cast<Work&&>(work)) {}
  bulk_sender(const Sender& sender, Work&& work) : sender_(sender), work_(static_cast<Work&&>(work)) {}

  template <class Self, class... Env>
  static consteval auto get_completion_signatures() {
    constexpr bool stoppable = !(tokens::unstoppable_token<tokens::stop_token_of_t<Env>> && ...);
    return detail::completions_of<Work, stoppable>(senders::get_completion_signatures<Sender, Env...>());
  }

  template <class Receiver>
  bulk_operation<Sender, Work, Receiver> connect(Receiver receiver) && {
    return {static_cast<Sender&&>(sender_), static_cast<Work&&>(work_), static_cast<Receiver&&>(receiver)};
  }
  template <class Receiver>
    requires std::copy_constructible<Sender> && std::copy_constructible<Work>
  bulk_operation<Sender, Work, Receiver> connect(Receiver receiver) const& {
    return {Sender(sender_), Work(work_), static_cast<Receiver&&>(receiver)};
  }

  [[nodiscard]] auto get_env() const noexcept -> decltype(auto) { return senders::get_env(sender_); }

private:
  Sender sender_;
  Work work_;
};

/// A bulk of the standard's as one of these.
template <class Tag, class Data, class Child>
auto make_bulk(Tag /*tag*/, Data&& data, Child&& child) {
  auto& [policy, shape, function] = data;
  constexpr bool chunked = std::is_same_v<Tag, senders::bulk_chunked_t>;
  using given_policy = std::remove_cvref_t<decltype(policy)>;
  constexpr bool parallel = [] {
    if constexpr (requires(given_policy& one) { one.__get(); }) {
      return is_parallel<decltype(std::declval<given_policy&>().__get())>();
    } else {
      return is_parallel<given_policy>();
    }
  }();
  using function_type = std::remove_cvref_t<decltype(function)>;
  using work = bulk_work<chunked, parallel, std::remove_cvref_t<decltype(shape)>, function_type>;
  using sender = std::remove_cvref_t<Child>;
  if constexpr (std::is_lvalue_reference_v<Data>) {
    return bulk_sender<sender, work>(std::forward<Child>(child), work{shape, function});
  } else {
    return bulk_sender<sender, work>(std::forward<Child>(child),
                                     work{shape, static_cast<function_type&&>(function)});
  }
}

}  // namespace detail
}  // namespace execution
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// Fork and join of the Fibril interface in C++: the same macros on the fork of <nopal/scope.hpp>.
#ifndef NOPAL_DETAIL_FIBRIL_CPP_HPP
#define NOPAL_DETAIL_FIBRIL_CPP_HPP

#include <memory>
#include <type_traits>
#include <utility>

#ifdef NOPAL_CHECKED
#include <nopal/scope.hpp>
#elif !defined(NOPAL_DETAIL_FIBRIL_SERIAL)
#include <nopal/detail/c_scope_parallel.h>
#endif
#include <nopal/version.hpp>

#ifdef NOPAL_CHECKED
#define NOPAL_DETAIL_FIBRIL_NAMESPACE fibril_checked
#elif defined(NOPAL_DETAIL_FIBRIL_SERIAL)
#define NOPAL_DETAIL_FIBRIL_NAMESPACE fibril_elided
#else
#define NOPAL_DETAIL_FIBRIL_NAMESPACE fibril_parallel
#endif

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {
// An inline namespace of its own, so that a program may hold objects compiled either way.
inline namespace NOPAL_DETAIL_FIBRIL_NAMESPACE {

/// Whether `destination` leads to what receives a `Result`, and does not receive it.
template <class Result, class Destination>
inline constexpr bool leads_to_receiver = false;

template <class Result, class Target>
inline constexpr bool leads_to_receiver<Result, Target*> =
    !std::is_pointer_v<Result> || std::is_same_v<Result, Target> ||
    (!std::is_same_v<Result, Target*> && std::is_pointer_v<Target>);

template <class Result, class Destination>
[[gnu::always_inline]] constexpr auto receiver(Destination&& destination) noexcept {
  if constexpr (leads_to_receiver<Result, std::decay_t<Destination>>) {
    return &*destination;
  } else {
    return std::addressof(destination);
  }
}

#ifdef NOPAL_CHECKED

struct fibril_frame {
  nopal_check_children* children;
};

#elif defined(NOPAL_DETAIL_FIBRIL_SERIAL)

struct fibril_frame {};

#else

struct fibril_frame {
  nopal_frame frame;
};

// Arguments of a plain function are converted to its parameters' types by the parent, as in a call.
template <class Destination, class Result, class... Parameters>
[[gnu::always_inline]] inline void fork_fibril_into(fibril_frame* scope, Destination&& destination,
                                                    Result (*f)(Parameters...),
                                                    std::type_identity_t<Parameters>... args) {
  nopal_check_function(&scope->frame);
  NOPAL_DETAIL_FORK(&scope->frame, receiver<Result>(std::forward<Destination>(destination)), f,
                    static_cast<Parameters&&>(args)...);
}

template <class Destination, class F, class... Args>
  requires(!std::is_function_v<std::remove_pointer_t<std::decay_t<F>>>)
[[gnu::always_inline]] inline void fork_fibril_into(fibril_frame* scope, Destination&& destination, F&& f,
                                                    Args&&... args) {
  nopal_check_function(&scope->frame);
  using result = std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>;
  NOPAL_DETAIL_FORK(&scope->frame, receiver<result>(std::forward<Destination>(destination)),
                    std::forward<F>(f), std::forward<Args>(args)...);
}

template <class Result, class... Parameters>
[[gnu::always_inline]] inline void fork_fibril(fibril_frame* scope, Result (*f)(Parameters...),
                                               std::type_identity_t<Parameters>... args) {
  nopal_check_function(&scope->frame);
  NOPAL_DETAIL_FORK<no_result>(&scope->frame, nullptr, f, static_cast<Parameters&&>(args)...);
}

template <class F, class... Args>
  requires(!std::is_function_v<std::remove_pointer_t<std::decay_t<F>>>)
[[gnu::always_inline]] inline void fork_fibril(fibril_frame* scope, F&& f, Args&&... args) {
  nopal_check_function(&scope->frame);
  NOPAL_DETAIL_FORK<no_result>(&scope->frame, nullptr, std::forward<F>(f), std::forward<Args>(args)...);
}

#endif

}  // namespace NOPAL_DETAIL_FIBRIL_NAMESPACE
}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#define NOPAL_DETAIL_FIBRIL_FRAME ::nopal::NOPAL_ABI_NAMESPACE::detail::fibril_frame

#ifdef NOPAL_CHECKED

#define NOPAL_DETAIL_FIBRIL_INIT(scope) static_cast<void>((scope)->children = nullptr)
#define NOPAL_DETAIL_FIBRIL_JOIN(scope) nopal_check_join(&(scope)->children)
#define NOPAL_DETAIL_FIBRIL_FORK_INTO(scope, destination, function, arguments)                               \
  do {                                                                                                       \
    auto* nopal_child = &*(function);                                                                        \
    NOPAL_DETAIL_CHECKED_TRY {                                                                               \
      const ::nopal::NOPAL_MODE_NAMESPACE::detail::child_mark nopal_mark(&(scope)->children);                \
      auto* nopal_out =                                                                                      \
          ::nopal::NOPAL_ABI_NAMESPACE::detail::receiver<decltype((function)arguments)>(destination);        \
      __asm__ volatile("" : "+r"(nopal_child), "+r"(nopal_out) : : "memory");                                \
      *nopal_out = (*nopal_child)arguments;                                                                  \
    }                                                                                                        \
    NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(static_cast<void>(0), &(scope)->children)                            \
  } while (0)
#define NOPAL_DETAIL_FIBRIL_FORK_VOID(scope, function, arguments)                                            \
  do {                                                                                                       \
    auto* nopal_child = &*(function);                                                                        \
    NOPAL_DETAIL_CHECKED_TRY {                                                                               \
      const ::nopal::NOPAL_MODE_NAMESPACE::detail::child_mark nopal_mark(&(scope)->children);                \
      __asm__ volatile("" : "+r"(nopal_child) : : "memory");                                                 \
      static_cast<void>((*nopal_child)arguments);                                                            \
    }                                                                                                        \
    NOPAL_DETAIL_CHECKED_JOIN_IF_THROWN(static_cast<void>(0), &(scope)->children)                            \
  } while (0)

#elif defined(NOPAL_DETAIL_FIBRIL_SERIAL)

#define NOPAL_DETAIL_FIBRIL_INIT(scope) static_cast<void>(scope)
#define NOPAL_DETAIL_FIBRIL_JOIN(scope) static_cast<void>(scope)
#define NOPAL_DETAIL_FIBRIL_FORK_INTO(scope, destination, function, arguments)                               \
  (static_cast<void>(scope),                                                                                 \
   static_cast<void>(*::nopal::NOPAL_ABI_NAMESPACE::detail::receiver<decltype((function)arguments)>(         \
                         destination) = (function)arguments))
#define NOPAL_DETAIL_FIBRIL_FORK_VOID(scope, function, arguments)                                            \
  (static_cast<void>(scope), static_cast<void>((function)arguments))

#else

#define NOPAL_DETAIL_FIBRIL_INIT(scope) nopal_make_frame(&(scope)->frame)
#define NOPAL_DETAIL_FIBRIL_JOIN(scope) nopal_join_frame(&(scope)->frame)
#define NOPAL_DETAIL_FIBRIL_MORE(...) __VA_OPT__(, ) __VA_ARGS__
#define NOPAL_DETAIL_FIBRIL_FORK_INTO(scope, destination, function, arguments)                               \
  ::nopal::NOPAL_ABI_NAMESPACE::detail::fork_fibril_into((scope), (destination),                             \
                                                         function NOPAL_DETAIL_FIBRIL_MORE arguments)
#define NOPAL_DETAIL_FIBRIL_FORK_VOID(scope, function, arguments)                                            \
  ::nopal::NOPAL_ABI_NAMESPACE::detail::fork_fibril((scope), function NOPAL_DETAIL_FIBRIL_MORE arguments)

#endif

#endif

// What a fork asks of its callable and arguments, whether the child is a fork or, in the elision, a
// call. Each refusal is one error.
#ifndef NOPAL_DETAIL_FORK_ARGUMENTS_HPP
#define NOPAL_DETAIL_FORK_ARGUMENTS_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// Whether a child can have copies of these.
template <class... Sources>
inline constexpr bool can_copy = (std::is_constructible_v<std::decay_t<Sources>, Sources> &&
                                  ...);  // NOLINT(misc-redundant-expression): a pack

/// Whether a child can be called with its copies, which are rvalues.
template <class F, class... Args>
inline constexpr bool can_call = std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>;

/// The same where one of them were an lvalue.
template <std::size_t lvalue, class F, class... Args, std::size_t... places>
constexpr bool can_call_with_lvalue(std::index_sequence<places...>) {
  return std::is_invocable_v<
      std::decay_t<F>, std::conditional_t<places == lvalue, std::decay_t<Args>&, std::decay_t<Args>>...>;
}
template <class F, class... Args, std::size_t... places>
constexpr bool can_call_with_an_lvalue(std::index_sequence<places...> all) {
  return (detail::can_call_with_lvalue<places, F, Args...>(all) || ...);
}
/// Whether nothing is wrong but that the callable takes an argument, or all, by reference.
template <class F, class... Args>
constexpr bool takes_references() {
  return std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>&...> ||
         detail::can_call_with_an_lvalue<F, Args...>(std::index_sequence_for<Args...>());
}

/// Checks the arguments of fork.
template <class F, class... Args>
constexpr bool can_fork() {
  static_assert(can_copy<F, Args...>,
                "nopal: fork: the callable and its arguments must be copyable or movable");
  if constexpr (can_copy<F, Args...> && !can_call<F, Args...>) {
    constexpr bool by_reference = detail::takes_references<F, Args...>();
    static_assert(!by_reference, "nopal: fork gives the child copies of its arguments: for a parameter that "
                                 "is a reference pass std::ref(x), or capture x in a lambda");
    static_assert(by_reference, "nopal: fork: the callable does not take these arguments (they are passed as "
                                "rvalues of their decayed types); where a result goes, fork_into is told");
  }
  return can_copy<F, Args...> && can_call<F, Args...>;
}

/// Checks the arguments of fork_into.
template <class Out, class F, class... Args>
constexpr bool can_fork_into() {
  static_assert(can_copy<F, Args...>,
                "nopal: fork_into: the callable and its arguments must be copyable or movable");
  if constexpr (can_copy<F, Args...> && !can_call<F, Args...>) {
    constexpr bool by_reference = detail::takes_references<F, Args...>();
    static_assert(!by_reference, "nopal: fork_into gives the child copies of its arguments: for a parameter "
                                 "that is a reference pass std::ref(x), or capture x in a lambda");
    static_assert(by_reference,
                  "nopal: fork_into: the callable does not take these arguments (they are passed as "
                  "rvalues of their decayed types); before it stands where its result goes");
  }
  if constexpr (can_copy<F, Args...> && can_call<F, Args...>) {
    using result = std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>;
    constexpr bool assigns = std::is_assignable_v<Out&, result>;
    static_assert(!std::is_void_v<result>, "nopal: fork_into: the callable returns nothing: use fork");
    static_assert(assigns || std::is_void_v<result>,
                  "nopal: fork_into: the callable's result cannot be assigned to the first argument");
    return assigns;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

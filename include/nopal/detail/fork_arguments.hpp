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
constexpr bool can_call_with_an_lvalue([[maybe_unused]] std::index_sequence<places...> all) {
  return (detail::can_call_with_lvalue<places, F, Args...>(all) || ...);
}
/// Whether nothing is wrong but that the callable takes an argument, or all, by reference.
template <class F, class... Args>
constexpr bool takes_references() {
  return std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>&...> ||
         detail::can_call_with_an_lvalue<F, Args...>(std::index_sequence_for<Args...>());
}

/// How many parameters a function has; -1 where that cannot be told.
template <class F>
inline constexpr int parameters_of = -1;
template <class Result, class... Parameters>
inline constexpr int parameters_of<Result (*)(Parameters...)> = sizeof...(Parameters);
template <class Result, class... Parameters>
inline constexpr int parameters_of<Result (*)(Parameters...) noexcept> = sizeof...(Parameters);

/// What is wrong with arguments of which copies can be made, but with which there is no call.
enum class fork_mistake : int { reference, no_callable, out_before, count, other };

/// Objects of classes may be callable with something else; what else is no function is not.
template <class F>
inline constexpr bool may_be_callable =
    std::is_class_v<F> || std::is_union_v<F> || std::is_member_pointer_v<F> ||
    (std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>);

/// Whether a variable for the result stands before the callable, as with fork_into.
template <class Out, class... Args>
inline constexpr bool begins_with_out = false;
template <class Out, class F, class... Args>
  requires can_call<F, Args...>
inline constexpr bool begins_with_out<Out, F, Args...> =
    !may_be_callable<std::decay_t<Out>> ||
    std::is_assignable_v<std::decay_t<Out>&, std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>>;

/// The first of the mistakes that there is.
template <class F, class... Args>
constexpr fork_mistake mistake_in_fork() {
  if constexpr (detail::takes_references<F, Args...>()) {
    return fork_mistake::reference;
  } else if constexpr (begins_with_out<F, Args...>) {
    return fork_mistake::out_before;
  } else if constexpr (!may_be_callable<std::decay_t<F>>) {
    return fork_mistake::no_callable;
  } else if constexpr (parameters_of<std::decay_t<F>> >= 0 &&
                       parameters_of<std::decay_t<F>> != static_cast<int>(sizeof...(Args))) {
    return fork_mistake::count;
  } else {
    return fork_mistake::other;
  }
}

/// Checks the arguments of fork.
template <class F, class... Args>
constexpr bool can_fork() {
  static_assert(can_copy<F, Args...>,
                "nopal: fork: the callable and its arguments must be copyable or movable");
  if constexpr (can_copy<F, Args...> && !can_call<F, Args...>) {
    constexpr fork_mistake mistake = detail::mistake_in_fork<F, Args...>();
    static_assert(mistake != fork_mistake::reference,
                  "nopal: fork gives the child copies of its arguments: for a parameter that "
                  "is a reference pass std::ref(x), or capture x in a lambda");
    static_assert(mistake != fork_mistake::out_before,
                  "nopal: fork: the callable comes first; for its result there is fork_into: "
                  "s.fork_into(out, f, arguments...)");
    static_assert(mistake != fork_mistake::no_callable,
                  "nopal: fork: the first argument cannot be called: s.fork(f, arguments...)");
    static_assert(mistake != fork_mistake::count,
                  "nopal: fork: the function takes another number of arguments; defaults of its parameters "
                  "do not count");
    static_assert(mistake != fork_mistake::other,
                  "nopal: fork: the callable cannot be called with these arguments, of which it gets "
                  "copies as rvalues");
  }
  return can_copy<F, Args...> && can_call<F, Args...>;
}

/// Checks those of fork_inlet that its child gets.
template <class F, class... Args>
constexpr bool can_fork_inlet() {
  static_assert(can_copy<F, Args...>,
                "nopal: fork_inlet: the callable and its arguments must be copyable or movable");
  if constexpr (can_copy<F, Args...> && !can_call<F, Args...>) {
    constexpr fork_mistake mistake = detail::mistake_in_fork<F, Args...>();
    static_assert(mistake != fork_mistake::reference,
                  "nopal: fork_inlet gives the child copies of its arguments: for a parameter that "
                  "is a reference pass std::ref(x), or capture x in a lambda");
    static_assert(mistake != fork_mistake::no_callable && mistake != fork_mistake::out_before,
                  "nopal: fork_inlet: the second argument cannot be called: the inlet comes first: "
                  "s.fork_inlet(inlet, f, arguments...)");
    static_assert(
        mistake != fork_mistake::count,
        "nopal: fork_inlet: the function takes another number of arguments; defaults of its parameters "
        "do not count");
    static_assert(mistake != fork_mistake::other,
                  "nopal: fork_inlet: the callable, which comes after the inlet, cannot be called with these "
                  "arguments, of which it gets copies as rvalues");
  }
  return can_copy<F, Args...> && can_call<F, Args...>;
}

/// Checks the arguments of fork_into.
template <class Out, class F, class... Args>
constexpr bool can_fork_into() {
  static_assert(can_copy<F, Args...>,
                "nopal: fork_into: the callable and its arguments must be copyable or movable");
  if constexpr (can_copy<F, Args...> && !can_call<F, Args...>) {
    constexpr fork_mistake mistake = detail::mistake_in_fork<F, Args...>();
    static_assert(mistake != fork_mistake::reference,
                  "nopal: fork_into gives the child copies of its arguments: for a parameter "
                  "that is a reference pass std::ref(x), or capture x in a lambda");
    static_assert(
        mistake != fork_mistake::no_callable && mistake != fork_mistake::out_before,
        "nopal: fork_into: the second argument cannot be called: s.fork_into(out, f, arguments...)");
    static_assert(mistake != fork_mistake::count,
                  "nopal: fork_into: the function takes another number of arguments; defaults of its "
                  "parameters do not count");
    static_assert(mistake != fork_mistake::other,
                  "nopal: fork_into: the callable cannot be called with these arguments, of which it gets "
                  "copies as rvalues");
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

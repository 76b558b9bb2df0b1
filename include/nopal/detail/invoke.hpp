// std::invoke and std::decay-copy without <functional>, which would double the compile time of a
// small program.
#ifndef NOPAL_DETAIL_INVOKE_HPP
#define NOPAL_DETAIL_INVOKE_HPP

#include <concepts>
#include <type_traits>
#include <utility>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

template <class T>
concept wraps_reference = requires(T& wrapper) {
  typename std::remove_cvref_t<T>::type;
  { wrapper.get() } -> std::same_as<typename std::remove_cvref_t<T>::type&>;
};

/// The object that a member pointer applies to: itself, or what a reference wrapper or a pointer
/// leads to.
template <class Class, class Object>
constexpr decltype(auto) target_of(Object&& object) {
  using plain = std::remove_cvref_t<Object>;
  if constexpr (std::is_base_of_v<Class, plain>) {
    return std::forward<Object>(object);
  } else if constexpr (wraps_reference<plain>) {
    return object.get();
  } else {
    return *std::forward<Object>(object);
  }
}

template <class Member, class Class, class Object, class... Args>
constexpr decltype(auto) invoke_member(Member Class::* member, Object&& object, Args&&... args) {
  if constexpr (std::is_function_v<Member>) {
    return (target_of<Class>(std::forward<Object>(object)).*member)(std::forward<Args>(args)...);
  } else {
    return (target_of<Class>(std::forward<Object>(object)).*member);
  }
}

/// `f(args...)` for every kind of callable that std::invoke takes.
template <class F, class... Args>
[[gnu::always_inline]] constexpr decltype(auto) invoke(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) {
    return invoke_member(f, std::forward<Args>(args)...);
  } else {
    return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

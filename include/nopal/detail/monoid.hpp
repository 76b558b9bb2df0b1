// What a monoid type must have, checked one thing at a time so that a compiler's error is one
// sentence.
#ifndef NOPAL_DETAIL_MONOID_HPP
#define NOPAL_DETAIL_MONOID_HPP

#include <concepts>
#include <new>
#include <type_traits>
#include <utility>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace monoid_detail {

template <class M>
concept names_value_type = requires { typename M::value_type; };

template <class M>
concept has_identity = requires(const M& monoid) {
  { monoid.identity() } -> std::same_as<typename M::value_type>;
};

template <class M>
concept has_reduce = requires(const M& monoid, typename M::value_type& left, typename M::value_type& right) {
  monoid.reduce(left, std::move(right));
};

/// Nothing, or what was reduced into: a result of its own would be lost.
template <class M>
concept reduces_into_left =
    requires(const M& monoid, typename M::value_type& left, typename M::value_type (&right)()) {
      requires std::is_void_v<decltype(monoid.reduce(left, right()))> ||
                   std::is_lvalue_reference_v<decltype(monoid.reduce(left, right()))>;
    };

template <class M>
concept names_views =
    names_value_type<M> && std::is_object_v<typename M::value_type> &&
    !std::is_const_v<typename M::value_type> && std::is_destructible_v<typename M::value_type>;

/// Always true. For what is no monoid it does not compile, and names the first thing that is
/// missing.
template <class M>
consteval bool check_monoid() {
  if constexpr (!std::is_class_v<M> || std::is_const_v<M>) {
    static_assert(std::is_class_v<M> && !std::is_const_v<M>,
                  "nopal: reducer: the monoid must be a class, such as nopal::op_add<long>");
  } else if constexpr (!names_value_type<M>) {
    static_assert(names_value_type<M>,
                  "nopal: reducer: the monoid must name the type of its views: using value_type = ...;");
  } else if constexpr (!names_views<M>) {
    static_assert(
        names_views<M>,
        "nopal: reducer: the monoid's value_type must be an object type, not const, with a destructor");
  } else if constexpr (!has_identity<M>) {
    static_assert(has_identity<M>,
                  "nopal: reducer: the monoid must have 'static value_type identity()' (or a const "
                  "member function)");
  } else if constexpr (!has_reduce<M>) {
    static_assert(has_reduce<M>, "nopal: reducer: the monoid must have 'static void reduce(value_type& left, "
                                 "value_type&& right)' (or a const member function)");
  } else {
    static_assert(reduces_into_left<M>, "nopal: reducer: the monoid's reduce must return nothing: it changes "
                                        "its first argument, a value_type&");
  }
  return true;
}

/// In place of what is no monoid, so that compilers say no more about it than why.
struct no_monoid {
  using value_type = char;
  static char identity() { return 0; }
  static void reduce(char&, char&&) {}
};
template <class M>
struct sound {
  using type = no_monoid;
};
template <class M>
  requires(std::is_class_v<M> && names_views<M> && has_identity<M> && has_reduce<M> && reduces_into_left<M>)
struct sound<M> {
  using type = M;
};

/// What a reducer's value may begin with: any arguments that make one; the monoid itself comes
/// alone or before them.
template <class Monoid, class... Initial>
concept makes_value =
    sizeof...(Initial) != 0 && std::is_constructible_v<typename Monoid::value_type, Initial...> &&
    !(std::same_as<std::remove_cvref_t<Initial>, Monoid> || ...);

/// A number converted to the type that is wanted, without a warning from here; anything else as it
/// is.
template <class Value, class One>
constexpr decltype(auto) initial(One&& one) noexcept {
  if constexpr (std::is_arithmetic_v<Value> && std::is_arithmetic_v<std::remove_cvref_t<One>>) {
    return static_cast<Value>(one);
  } else {
    return std::forward<One>(one);
  }
}

/// `place` becomes `value`, assigned or made anew.
template <class Value>
void put(Value& place, std::type_identity_t<Value>&& value) {
  if constexpr (std::is_move_assignable_v<Value>) {
    place = std::move(value);
  } else {
    place.~Value();
    ::new (static_cast<void*>(&place)) Value(std::move(value));
  }
}

template <class T>
struct make_default {
  T operator()() const { return T(); }
};

/// The monoid of scratch memory.
template <class T, class Make>
struct keep_left {
  using value_type = T;
  Make make;
  T identity() const { return make(); }
  static void reduce(T&, T&&) noexcept {}
};

}  // namespace monoid_detail

/// An associative operation with an identity: a type with `value_type`, `value_type identity()` and
/// `void reduce(value_type& left, value_type&& right)`. `reduce` combines `left`, which comes first
/// in serial order, with `right`, which comes next, and leaves the result in `left`. Both functions
/// are static, or const members of an object; they may run on any worker, for several pairs of
/// views at the same time.
template <class M>
concept monoid =
    monoid_detail::names_views<M> && monoid_detail::has_identity<M> && monoid_detail::has_reduce<M>;

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

/* Cilk Plus's hyperobjects for C++: reducers by type, over Nopal's. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_H
#define NOPAL_COMPAT_CILK_REDUCER_H

#include <type_traits>
#include <utility>

#include <nopal/reducer.hpp>

namespace cilk {

/// What a program's own monoids derive from: an identity that is T(), and `reduce`, which they bring.
template <class Value, class View = Value>
struct monoid_base {
  using value_type = Value;
  using view_type = View;
  static void identity(Value* at) { ::new (static_cast<void*>(at)) Value(); }
};

namespace nopal_detail {

/// Cilk Plus's monoid, whose functions take addresses, as Nopal's.
template <class Monoid>
struct by_address {
  using value_type = typename Monoid::value_type;
  static value_type identity() {
    union place {
      value_type value;
      place() {}
      ~place() { value.~value_type(); }
    } made;
    Monoid().identity(&made.value);
    return std::move(made.value);
  }
  static void reduce(value_type& left, value_type&& right) { Monoid().reduce(&left, &right); }
};

template <class Monoid>
struct monoid_of {
  using type = by_address<Monoid>;
};

/// Of views whose value is less than they are.
template <class View>
concept has_value = requires(const View& view) { view.view_get_value(); };

}  // namespace nopal_detail

/// `*r` is the strand's view, and `r->` reaches its members.
template <class Monoid>
class reducer {
  using ours = ::nopal::reducer<typename nopal_detail::monoid_of<Monoid>::type>;

public:
  using value_type = typename ours::value_type;

  reducer() = default;
  template <class... Initial>
    requires(sizeof...(Initial) > 0 && std::is_move_constructible_v<value_type> &&
             std::is_constructible_v<value_type, Initial...>)
  explicit reducer(Initial&&... initial) : views_(value_type(std::forward<Initial>(initial)...)) {}
  /// Of a view that does not move, as a stream's.
  template <class Initial>
    requires(!std::is_move_constructible_v<value_type> && std::is_constructible_v<value_type, Initial&>)
  explicit reducer(Initial& initial) : views_(initial) {}
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  value_type& view() { return views_.view(); }
  value_type& operator()() { return views_.view(); }
  value_type& operator*() { return views_.view(); }
  value_type* operator->() { return &views_.view(); }

  /// The view, or what it says that its value is.
  decltype(auto) get_value() const {
    if constexpr (nopal_detail::has_value<value_type>) {
      return views_.value().view_get_value();
    } else {
      return (views_.value());
    }
  }
  template <class Value>
  void set_value(const Value& value) {
    views_.set(value_type(value));
  }
  template <class Value>
  void move_out(Value& to) {
    if constexpr (nopal_detail::has_value<value_type>) {
      to = views_.take().view_get_value();
    } else {
      to = views_.take();
    }
  }
  template <class Value>
  void move_in(Value& from) {
    views_.set(value_type(std::move(from)));
  }

private:
  ours views_;
};

}  // namespace cilk

#endif

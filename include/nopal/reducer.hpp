// Reducers: variables that parallel strands update without a race, with the result of the serial
// program.
#ifndef NOPAL_REDUCER_HPP
#define NOPAL_REDUCER_HPP

#include <nopal/detail/language.h>

#include <concepts>
#include <type_traits>
#include <utility>

#include <nopal/detail/hyperobject.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/monoid.hpp>
#include <nopal/monoids.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// A variable that strands update in parallel. Each strand updates a view of its own, and the views
/// are reduced where strands join.
///
/// `Monoid` says how (see `monoid`). For every associative `reduce`, commutative or not, the value
/// is that of the serial program, whatever the schedule. A reducer may be a global, a local, a
/// member or on the heap, and may be made and ended inside parallel code; used where nothing was
/// forked it is an ordinary variable.
///
/// `*r`, `r->` and `r.view()` give the strand's view. Hold a reference to it up to the next fork,
/// join or return to a function that forks, and no longer: what runs then may be another strand.
/// The value is complete when every child that was forked since the reducer was made, and that may
/// update it or run beside strands that did, has been joined. Update a reducer from within one
/// outermost scope at a time, as any variable, and not from within its own `reduce`.
///
/// Cost: a lookup is two loads and a predictable branch beside the load of the thread's array,
/// whatever the number of reducers up to 65,535; those beyond are found by hashing. A view is made
/// at a strand's first use of the reducer after a steal, and nothing is paid where nothing was
/// stolen. Memory: a view per reducer for each stolen child that is not joined yet, at most.
///
/// Follows M. Frigo, P. Halpern, C. E. Leiserson and S. Lewin-Berlin, "Reducers and other Cilk++
/// hyperobjects", SPAA 2009, and I-T. A. Lee, A. Shafi and C. E. Leiserson, "Memory-mapping support
/// for reducer hyperobjects", SPAA 2012.
template <class Monoid>
class reducer {
  static_assert(monoid_detail::check_monoid<Monoid>());

public:
  using monoid_type = typename monoid_detail::sound<Monoid>::type;  ///< `Monoid`
  using value_type = typename monoid_type::value_type;              ///< a view

  /// Begins as the identity. Throws what making that throws, and std::bad_alloc.
  reducer()
    requires std::default_initializable<monoid_type>
      : views_(monoid_type()) {}

  /// Begins with a value made of `initial`.
  template <class Initial>
    requires monoid_detail::makes_value<monoid_type, Initial> && std::default_initializable<monoid_type>
  // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload): as a variable
  reducer(Initial&& initial)
      : views_(monoid_type(), monoid_detail::initial<value_type>(std::forward<Initial>(initial))) {}
  /// The same with several arguments.
  template <class First, class Second, class... Initial>
    requires monoid_detail::makes_value<monoid_type, First, Second, Initial...> &&
             std::default_initializable<monoid_type>
  reducer(First&& first, Second&& second, Initial&&... initial)
      : views_(monoid_type(), std::forward<First>(first), std::forward<Second>(second),
               std::forward<Initial>(initial)...) {}

  /// With a monoid that has state, as its identity.
  explicit reducer(monoid_type monoid) : views_(std::move(monoid)) {}
  /// The same with a value made of `initial`.
  template <class... Initial>
    requires monoid_detail::makes_value<monoid_type, Initial...>
  reducer(monoid_type monoid, Initial&&... initial)
      : views_(std::move(monoid), std::forward<Initial>(initial)...) {}

  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  /// Ends the reducer. Views of it that other strands have are dropped where they would be merged.
  ~reducer() = default;

  /// The strand's view. Throws std::bad_alloc, and what `identity` throws, at a strand's first use.
  [[nodiscard]] value_type& view() { return views_.view(); }
  /// The same.
  value_type& operator*() { return views_.view(); }
  /// Access to a member of it.
  value_type* operator->() { return &views_.view(); }

  /// The value, complete when no child that may have updated it is outstanding.
  [[nodiscard]] const value_type& value() const { return views_.value(); }

  /// Moves the value out; the identity takes its place. When `value` is complete.
  value_type take()
    requires std::move_constructible<value_type>
  {
    value_type& mine = views_.value();
    value_type fresh(views_.monoid().identity());
    value_type taken(std::move(mine));
    monoid_detail::put(mine, std::move(fresh));
    return taken;
  }

  /// Begins anew with `value`. When `value` is complete.
  void set(value_type value)
    requires std::move_constructible<value_type>
  {
    monoid_detail::put(views_.value(), std::move(value));
  }

private:
  mutable detail::hyperobject<monoid_type> views_;  // to look a view up may make it
};

/// Scratch memory: each strand has a view of its own. What a view holds is what this strand left
/// there since its last fork or join, or anything another strand or `make` left. Nothing is
/// reduced.
///
/// Cost and thread rules are those of a reducer; a strand's first use after a steal makes a view by
/// `make()`.
template <class T, class Make = monoid_detail::make_default<T>>
class holder {
public:
  using value_type = T;  ///< a view

  /// Views are made by `make()`, by default `T()`.
  explicit holder(Make make = Make()) : views_(monoid_detail::keep_left<T, Make>{std::move(make)}) {}

  holder(const holder&) = delete;
  holder& operator=(const holder&) = delete;

  /// The strand's view. Throws std::bad_alloc, and what `make` throws, at a strand's first use.
  [[nodiscard]] T& view() { return views_.view(); }
  /// The same.
  T& operator*() { return views_.view(); }
  /// Access to a member of it.
  T* operator->() { return &views_.view(); }

private:
  detail::hyperobject<monoid_detail::keep_left<T, Make>> views_;
};

/// `nopal::holder scratch([] { return std::vector<int>(100); });`
template <class Make>
holder(Make) -> holder<std::remove_cvref_t<std::invoke_result_t<Make&>>, Make>;

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

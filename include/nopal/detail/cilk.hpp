// What a C++ program that `nopal cilk` has translated needs beside scopes and loops.
#ifndef NOPAL_DETAIL_CILK_HPP
#define NOPAL_DETAIL_CILK_HPP

#include <nopal/detail/language.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <nopal/detail/cilk_memory.h>
#include <nopal/nopal.h>
#include <nopal/parallel.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace cilk {

/// An argument that a child takes by reference: what has a name is referred to, anything else is kept.
template <class T>
class held {
public:
  [[gnu::always_inline]] explicit held(T&& value) : value_(std::move(value)) {}
  [[gnu::always_inline]] T&& get() noexcept { return std::move(value_); }

private:
  T value_;
};
template <class T>
class held<T&> {
public:
  [[gnu::always_inline]] explicit held(T& value) noexcept : value_(&value) {}
  [[gnu::always_inline]] T& get() const noexcept { return *value_; }

private:
  T* value_;
};
/// What a function gives to be moved from, as std::move does: it is the child that moves.
template <class T>
class held<T&&> {
public:
  [[gnu::always_inline]] explicit held(T&& value) noexcept : value_(&value) {}
  [[gnu::always_inline]] T&& get() const noexcept { return static_cast<T&&>(*value_); }

private:
  T* value_;
};
template <class T>
[[gnu::always_inline]] inline held<T&&> hold_to_move(T&& value) noexcept {
  return held<T&&>(static_cast<T&&>(value));
}
template <class T>
[[gnu::always_inline]] inline held<T> hold(T&& value) {
  return held<T>(std::forward<T>(value));
}
template <class Result, class... Args>
[[gnu::always_inline]] inline held<Result (&)(Args...)> hold(Result (&value)(Args...)) {
  return held<Result (&)(Args...)>(value);
}

/// The same, converted for a parameter of type `Parameter`, a reference, where that would refer to a new object.
template <class Parameter, class T>
[[gnu::always_inline]] inline auto hold_as(T&& value) {
  using wanted = std::remove_reference_t<Parameter>;
  if constexpr (std::is_convertible_v<std::remove_reference_t<T>*, wanted*>) {
    return hold(std::forward<T>(value));
  } else {
    return held<std::remove_cv_t<wanted>>(static_cast<std::remove_cv_t<wanted>>(std::forward<T>(value)));
  }
}

/// What the arguments of a child refer to, until the child ends.
class kept_base {
public:
  kept_base() = default;
  kept_base(const kept_base&) = delete;
  kept_base& operator=(const kept_base&) = delete;
  virtual ~kept_base() = default;
  std::unique_ptr<kept_base> earlier;
};
template <class T>
class kept final : public kept_base {
public:
  template <class Make>
  explicit kept(Make& make) : value(make()) {}
  T value;
};
/// The latest is ended first, as temporaries are.
class keeps {
public:
  std::unique_ptr<kept_base> latest;
};
/// Makes them, while arguments are evaluated. Their places do not change.
class keeper {
public:
  keeper() : mine_(std::make_unique<keeps>()), keeps_(mine_.get()) {}
  /// What the child has.
  std::unique_ptr<keeps> all() { return std::move(mine_); }
  /// What `make` returns: what has a name as it is, anything else where it stays. `Refers`: although its end does nothing.
  template <bool Refers, class Make>
  decltype(auto) keep(Make make) {
    using made = decltype(make());
    if constexpr (std::is_reference_v<made> || (!Refers && std::is_trivially_destructible_v<made>)) {
      return make();
    } else {
      auto one = std::make_unique<kept<made>>(make);
      made& value = one->value;
      one->earlier = std::move(keeps_->latest);
      keeps_->latest = std::move(one);
      return std::move(value);
    }
  }

private:
  std::unique_ptr<keeps> mine_;
  keeps* keeps_;
};

/// What a child calls, where that is no function by name. A pointer is copied: the variable may change.
template <class T>
[[gnu::always_inline]] inline auto hold_callee(T&& value) {
  if constexpr (std::is_pointer_v<std::decay_t<T>>) {
    return held<std::decay_t<T>>(std::decay_t<T>(value));
  } else {
    return held<T>(std::forward<T>(value));
  }
}

/// Joins at the end of the expression that it is part of, unless an exception ends it.
class join_after {
public:
  [[gnu::always_inline]] explicit join_after(scope& of) noexcept
      : of_(of), thrown_(std::uncaught_exceptions()) {}
  join_after(const join_after&) = delete;
  join_after& operator=(const join_after&) = delete;
  [[gnu::always_inline]] ~join_after() noexcept(false) {
    if (std::uncaught_exceptions() == thrown_) of_.join();
  }

private:
  scope& of_;
  int thrown_;
};

/// What finds the views of a variable that is a reducer: the variable is the leftmost. `reduce` ends the right view.
class hyperobject {
public:
  template <class T>
  hyperobject(T& value, void (*identity)(void*), void (*reduce)(void*, void*))
      : identity_(identity), reduce_(reduce) {
    monoid_.size = sizeof(T);
    monoid_.alignment = alignof(T);
    monoid_.identity = [](void* of, void* view) { static_cast<hyperobject*>(of)->identity_(view); };
    monoid_.reduce = [](void* of, void* left, void* right) {
      static_cast<hyperobject*>(of)->reduce_(left, right);
    };
    monoid_.destroy = nullptr;
    monoid_.context = this;
    if (nopal_reducer_init(&reducer_, &monoid_, std::addressof(value)) != 0) {
#ifdef __cpp_exceptions
      throw std::bad_alloc();
#else
      __builtin_trap();
#endif
    }
  }
  hyperobject(const hyperobject&) = delete;
  hyperobject& operator=(const hyperobject&) = delete;
  ~hyperobject() { nopal_reducer_destroy(&reducer_); }
  [[gnu::always_inline]] void* view() { return nopal_view(&reducer_); }

private:
  nopal_reducer reducer_{};
  nopal_monoid monoid_{};
  void (*identity_)(void*);
  void (*reduce_)(void*, void*);
};
template <class T>
[[gnu::always_inline]] inline T& view_of(hyperobject& of) {
  return *static_cast<T*>(of.view());
}

namespace loop_detail {

template <bool Down, class First, class Last>
std::size_t distance(const First& first, const Last& last) {
  if constexpr (std::is_integral_v<First>) {
    const auto from = static_cast<std::size_t>(first);
    const auto to = static_cast<std::size_t>(last);
    return Down ? from - to : to - from;
  } else {
    return static_cast<std::size_t>(Down ? first - last : last - first);
  }
}

template <bool Down, class First, class Last>
std::size_t steps_until(const First& first, const Last& last, std::size_t step) {
  std::size_t far = distance<Down>(first, last);
  if constexpr (std::is_integral_v<First> && sizeof(First) < sizeof(std::size_t))
    far &= (std::size_t{1} << (8 * sizeof(First))) - 1;
  return far / step;
}

/// `left < right`, as the program has it where both are numbers.
template <class Left, class Right>
bool comes_before(const Left& left, const Right& right) {
  if constexpr (std::is_integral_v<Left> && std::is_integral_v<Right>) {
    using both = std::common_type_t<Left, Right>;
    return static_cast<both>(left) < static_cast<both>(right);
  } else {
    return left < right;
  }
}

template <bool Down, class First>
First position(const First& first, std::size_t at, std::size_t step) {
  if constexpr (std::is_integral_v<First>) {
    const auto from = static_cast<std::size_t>(first);
    return static_cast<First>(Down ? from - at * step : from + at * step);
  } else {
    const auto by = static_cast<std::ptrdiff_t>(at * step);
    return first + (Down ? -by : by);
  }
}

template <bool Down, class First, class Body>
void run(const First& first, std::size_t count, std::size_t step, std::size_t grain, Body& body) {
  nopal::parallel_for(std::size_t{0}, count, grain, [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at != to; ++at) body(position<Down>(first, at, step));
  });
}

}  // namespace loop_detail

/// `for (i = first; i < last; i += step)`, or with `Down` `i > last; i -= step`.
template <bool Down, class First, class Last, class Step, class Body>
void loop_before(First first, Last last, Step step, std::size_t grain, Body&& body) {
  const bool any = Down ? loop_detail::comes_before(last, first) : loop_detail::comes_before(first, last);
  const std::size_t by = static_cast<std::size_t>(step);
  const std::size_t far = any ? loop_detail::distance<Down>(first, last) : 0;
  loop_detail::run<Down>(first, far / by + (far % by != 0 ? 1 : 0), by, grain, body);
}
/// The same with the last position: `i <= last`, or `i >= last`.
template <bool Down, class First, class Last, class Step, class Body>
void loop_through(First first, Last last, Step step, std::size_t grain, Body&& body) {
  const bool none = Down ? loop_detail::comes_before(first, last) : loop_detail::comes_before(last, first);
  const std::size_t by = static_cast<std::size_t>(step);
  const std::size_t count = none ? 0 : loop_detail::distance<Down>(first, last) / by + 1;
  loop_detail::run<Down>(first, count, by, grain, body);
}
/// `i != last`. Which way it goes is up to the step's sign, and it may go over the end of what `First` holds.
template <bool Down, class First, class Last, class Step, class Body>
void loop_until(First first, Last last, Step step, std::size_t grain, Body&& body) {
  if constexpr (std::is_signed_v<Step>) {
    if (step < 0) {
      const std::size_t by = std::size_t{0} - static_cast<std::size_t>(step);
      loop_detail::run<!Down>(first, loop_detail::steps_until<!Down>(first, last, by), by, grain, body);
      return;
    }
  }
  const std::size_t by = static_cast<std::size_t>(step);
  loop_detail::run<Down>(first, loop_detail::steps_until<Down>(first, last, by), by, grain, body);
}
/// The elements of a range.
template <class Range, class Body>
void loop_over(Range&& range, Body&& body) {
  nopal::parallel_for_each(range, body);
}

}  // namespace cilk
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// Calls of several functions at once, and what becomes of their results.
#ifndef NOPAL_DETAIL_INVOKE_ALL_HPP
#define NOPAL_DETAIL_INVOKE_ALL_HPP

#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/loop.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// Room for what a function returns.
template <class T>
class result_slot {
public:
  result_slot() noexcept {}
  result_slot(const result_slot&) = delete;
  result_slot& operator=(const result_slot&) = delete;
  ~result_slot() {
    if (made_) {
      value_.~T();
    }
  }
  template <class F>
  void make(F&& f) {
    ::new (static_cast<void*>(&value_)) T(detail::invoke(std::forward<F>(f)));
    made_ = true;
  }
  T&& take() { return std::move(value_); }

private:
  union {
    T value_;
  };
  bool made_ = false;
};

/// A reference that a function returns.
template <class T>
class result_slot<T&> {
public:
  template <class F>
  void make(F&& f) {
    T& result = detail::invoke(std::forward<F>(f));
    value_ = __builtin_addressof(result);
  }
  T& take() { return *value_; }

private:
  T* value_ = nullptr;
};

/// The same of one to what may be moved from: that is left where it is.
template <class T>
class result_slot<T&&> {
public:
  template <class F>
  void make(F&& f) {
    T&& result = detail::invoke(std::forward<F>(f));
    value_ = __builtin_addressof(result);
  }
  T&& take() { return static_cast<T&&>(*value_); }

private:
  T* value_ = nullptr;
};

struct nothing_returned {};

/// Nothing to keep.
template <>
class result_slot<void> {
public:
  template <class F>
  void make(F&& f) {
    detail::invoke(std::forward<F>(f));
  }
  nothing_returned take() { return {}; }
};

template <class F>
using slot_for = result_slot<std::invoke_result_t<F>>;

/// Forks all functions but the last, which it calls.
template <class Results, class Functions, std::size_t... Index>
void invoke_into(Results& results, Functions& functions, std::index_sequence<Index...>) {
  constexpr std::size_t last = sizeof...(Index);
  scope s;
  // The forks, too: in a stopped scope that unwinds a later one throws.
  NOPAL_DETAIL_TRY {
    // What a fork copies is the reference to both tuples.
    (s.fork([&results, &functions] {
      std::get<Index>(results).make(
          std::forward<std::tuple_element_t<Index, Functions>>(std::get<Index>(functions)));
    }),
     ...);
    std::get<last>(results).make(
        std::forward<std::tuple_element_t<last, Functions>>(std::get<last>(functions)));
  }
  NOPAL_DETAIL_JOIN_IF_THROWN(s)
  s.join();
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

// What a promise and its future share.
#ifndef NOPAL_DETAIL_FUTURE_STATE_HPP
#define NOPAL_DETAIL_FUTURE_STATE_HPP

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <nopal/detail/export.h>
#include <nopal/detail/mode.hpp>
#include <nopal/runtime.hpp>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// What a future throws whose promise was destroyed without a value.
class NOPAL_EXPORT broken_promise : public error {
public:
  broken_promise() : error("nopal: future: its promise was destroyed without a value") {}
};

}  // namespace NOPAL_ABI_NAMESPACE

inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// Throws, or ends a program that was compiled without exceptions.
[[noreturn, gnu::noinline, gnu::cold]] inline void fail_future(const char* what) {
#ifdef __cpp_exceptions
  throw error(what);
#else
  std::fprintf(stderr, "%s\n", what);
  std::abort();
#endif
}

[[noreturn, gnu::noinline, gnu::cold]] inline void fail_broken_promise() {
#ifdef __cpp_exceptions
  throw broken_promise();
#else
  std::fprintf(stderr, "%s\n", broken_promise().what());
  std::abort();
#endif
}

/// What is kept of a value.
template <class T>
struct kept_value {
  std::optional<T> value;
  template <class V>
  void store(V&& from) {
    value.emplace(std::forward<V>(from));
  }
  [[nodiscard]] bool is_there() const noexcept { return value.has_value(); }
  T take() { return std::move(*value); }
};
template <class T>
struct kept_value<T&> {
  T* value = nullptr;
  void store(T& from) noexcept { value = std::addressof(from); }
  [[nodiscard]] bool is_there() const noexcept { return value != nullptr; }
  T& take() noexcept { return *value; }
};
template <class T>
  requires std::is_void_v<T>
struct kept_value<T> {
  bool value = false;
  void store() noexcept { value = true; }
  [[nodiscard]] bool is_there() const noexcept { return value; }
  void take() noexcept {}
};

/// Whether such a value can be kept.
template <class T, class... Value>
inline constexpr bool takes_value = std::is_constructible_v<T, Value...>;
template <class T, class Value>
inline constexpr bool takes_value<T&, Value> = std::is_convertible_v<Value, T&>;
template <class T>
  requires std::is_void_v<T>
inline constexpr bool takes_value<T> = true;

template <class T, class Event>
class future_state {
public:
  void refer() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void forget() noexcept {
    // Release and acquire: everything that was done to it comes before its end.
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  /// True for the first caller, who alone may store something, and sets the event.
  bool claim() noexcept { return !is_claimed_.exchange(true, std::memory_order_relaxed); }

  // Before `done` is set, which orders these and `take`.
  template <class... Value>
  void store(Value&&... value) {
    value_.store(std::forward<Value>(value)...);
  }
  void store_exception(std::exception_ptr thrown) noexcept { thrown_ = std::move(thrown); }

  /// Once, after `done` was set.
  T take() {
    if (thrown_ != nullptr) {
      std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
    if (!value_.is_there()) {
      fail_broken_promise();
    }
    return value_.take();
  }

  Event done;                             ///< there is something to take, or will never be
  std::atomic<bool> is_retrieved{false};  ///< the future was given out

private:
  ~future_state() = default;

  std::atomic<int> references_{1};
  std::atomic<bool> is_claimed_{false};
  kept_value<T> value_;
  std::exception_ptr thrown_;
};

/// Refers to a state, or to none. Its count is atomic also where the process has one thread: two
/// strands of that are none to ThreadSanitizer, and std::shared_ptr's count is.
template <class State>
class state_reference {
public:
  state_reference() noexcept = default;
  /// Takes a reference over.
  explicit state_reference(State* state) noexcept : state_(state) {}
  state_reference(const state_reference& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) {
      state_->refer();
    }
  }
  state_reference(state_reference&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  state_reference& operator=(state_reference other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~state_reference() {
    if (state_ != nullptr) {
      state_->forget();
    }
  }

  [[nodiscard]] State* get() const noexcept { return state_; }
  State* operator->() const noexcept { return state_; }

private:
  State* state_ = nullptr;
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

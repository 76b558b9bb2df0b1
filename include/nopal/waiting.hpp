// Waiting: calls that block in the system, mutexes that a strand may hold across forks and joins,
// events and futures.
#ifndef NOPAL_WAITING_HPP
#define NOPAL_WAITING_HPP

#include <nopal/detail/language.h>

#include <atomic>
#include <exception>
#include <type_traits>
#include <utility>

#include <nopal/detail/future_state.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/refused.hpp>
#ifdef NOPAL_ELIDE
#include <nopal/detail/waiting_elided.hpp>
#else
#include <nopal/detail/waiting_parallel.hpp>
#endif
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// Calls `f()`, which may block in the system, and returns what it returns; its exceptions pass.
///
/// Meanwhile another thread has this worker's place: what the strand has forked can be taken at once,
/// and as many threads compute as before. A call that comes back after some microseconds costs more
/// than it brings; see docs/waiting.md for what it costs and how many threads there may be. On a thread
/// that runs no strand this is a plain call. No signal of ours interrupts `f`, until it forks.
template <class F>
decltype(auto) blocking(F&& f) {
  constexpr bool callable = std::is_invocable_v<F>;
  static_assert(callable, "nopal: blocking: the argument must be callable without arguments, as a lambda is");
  if constexpr (callable) {
    [[maybe_unused]] const detail::blocking_call call;
    return std::forward<F>(f)();
  }
}

/// Of another number of arguments.
template <class... Wrong>
  requires(sizeof...(Wrong) != 1)
refusals::no_value blocking(Wrong&&... /*wrong*/) {
  static_assert(refusals::accepted<Wrong...>,
                "nopal: blocking: the argument must be callable without arguments, as a lambda is");
  return {};
}

template <class T>
class promise;

/// What a `promise` will give. A strand that waits is suspended: its worker runs others meanwhile, and
/// the wait may return on another thread, as a join.
///
/// Moved, not copied. Its value is taken once.
template <class T>
class future {
public:
  /// Of no promise.
  future() noexcept = default;
  /// `other` is of no promise then.
  future(future&& other) noexcept = default;
  /// `other` is of no promise then.
  future& operator=(future&& other) noexcept = default;
  future(const future&) = delete;
  future& operator=(const future&) = delete;
  ~future() = default;

  /// Whether it is of a promise, and its value has not been taken.
  [[nodiscard]] bool valid() const noexcept { return state_.get() != nullptr; }

  /// Whether `get` and `wait` would return at once.
  [[nodiscard]] bool ready() const { return state().done.is_set(); }

  /// Waits until there is a value or an exception, or the promise is broken.
  void wait() const {
#ifdef NOPAL_CHECKED
    if (!ready()) nopal_check_wait("a future", nullptr);
#endif
    state().done.wait();
  }

  /// Waits, and takes the value; throws the exception, or `broken_promise`. The future is of no
  /// promise then.
  T get() {
    wait();
    const reference taken = std::move(state_);
    return taken->take();
  }

private:
  friend class promise<T>;
  using state_type = detail::future_state<T, event>;
  using reference = detail::state_reference<state_type>;
  explicit future(reference state) noexcept : state_(std::move(state)) {}

  [[nodiscard]] state_type& state() const {
    if (state_.get() == nullptr) {
      detail::fail_future("nopal: future: it is of no promise, or its value was taken");
    }
    return *state_.get();
  }

  reference state_;
};

/// What gives a `future` its value, once. Destroyed before, it is broken, and the future throws
/// `broken_promise`.
template <class T>
class promise {
  static_assert(!std::is_rvalue_reference_v<T> && !std::is_array_v<T> && !std::is_function_v<T>,
                "nopal: promise: the type must be void, a reference T&, or one that can be returned");

public:
  promise() : state_(new state_type) {}
  /// `other` may be destroyed or assigned to then.
  promise(promise&& other) noexcept = default;
  /// Breaks what it was, unless that has a value.
  promise& operator=(promise&& other) noexcept {
    promise(std::move(other)).swap(*this);
    return *this;
  }
  promise(const promise&) = delete;
  promise& operator=(const promise&) = delete;
  ~promise() {
    if (state_.get() != nullptr && state_->claim()) {
      state_->done.set();
    }
  }

  /// Exchanges the two.
  void swap(promise& other) noexcept { std::swap(state_, other.state_); }

  /// The one future; throws `error` at the second call.
  [[nodiscard]] future<T> get_future() {
    if (state().is_retrieved.exchange(true, std::memory_order_relaxed)) {
      detail::fail_future("nopal: promise: its future was taken already");
    }
    return future<T>(state_);
  }

  /// Gives the value: `set_value(value)`, `set_value(reference)` for references, `set_value()` for
  /// void. Throws `error` if it has been given one, or an exception.
  template <class... Value>
  void set_value(Value&&... value) {
    constexpr bool fits = sizeof...(Value) == (std::is_void_v<T> ? 0 : 1);
    static_assert(fits, "nopal: set_value: one value, or none for promise<void>");
    constexpr bool converts = !fits || detail::takes_value<T, Value...>;
    static_assert(converts, "nopal: set_value: the promise's type cannot be made of the value");
    if constexpr (fits && converts) {
      claim();
      // Should the value's constructor throw, the promise is broken.
      const setting sets{state_};
      state_->store(std::forward<Value>(value)...);
    }
  }

  /// The same with an exception for `get` to throw, which is not null.
  void set_exception(std::exception_ptr thrown) {
    if (thrown == nullptr) {
      detail::fail_future(
          "nopal: promise: set_exception: no exception; accepted: std::current_exception() in a handler, "
          "or std::make_exception_ptr(e)");
    }
    claim();
    const setting sets{state_};
    state_->store_exception(std::move(thrown));
  }

private:
  using state_type = detail::future_state<T, event>;
  using reference = detail::state_reference<state_type>;

  /// Sets the event as it ends. Whoever waited may destroy the promise meanwhile.
  struct setting {
    explicit setting(const reference& state) noexcept : kept(state) {}
    setting(const setting&) = delete;
    setting& operator=(const setting&) = delete;
    ~setting() { kept->done.set(); }
    const reference kept;
  };

  [[nodiscard]] state_type& state() const {
    if (state_.get() == nullptr) {
      detail::fail_future("nopal: promise: it was moved from");
    }
    return *state_.get();
  }

  void claim() {
    if (!state().claim()) {
      detail::fail_future("nopal: promise: it has a value or an exception already");
    }
  }

  reference state_;
};

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

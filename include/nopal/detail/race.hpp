// Several ways to compute the same, of which the first to be done counts.
#ifndef NOPAL_DETAIL_RACE_HPP
#define NOPAL_DETAIL_RACE_HPP

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nopal/detail/invoke.hpp>
#include <nopal/detail/loop.hpp>
#include <nopal/detail/stop_part.hpp>
#include <nopal/detail/thrown.hpp>
#include <nopal/speculate.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

template <class Result>
struct race_state {
  cancel_scope* all = nullptr;
  std::mutex lock;
  /// By pointer: what is the program's does not run under the lock, for it may fork.
  std::unique_ptr<Result> result;
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
  kept_exception thrown;
  std::size_t thrown_by = static_cast<std::size_t>(-1);
#elif defined(__cpp_exceptions)
  std::exception_ptr thrown;  ///< the first
#endif

#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
  race_state() = default;
  race_state(const race_state&) = delete;
  race_state& operator=(const race_state&) = delete;
  ~race_state() {
    if (result != nullptr) thrown.forget();  // who threw has not won
  }
#endif

  template <class F>
  void run(std::size_t number, F& f) {
    std::unique_ptr<Result> own;
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      detail::invoke(std::forward<F>(f));
      own = std::make_unique<Result>(number);
    } else {
      own = std::make_unique<Result>(detail::invoke(std::forward<F>(f)));
    }
    {
      const std::lock_guard guard(lock);
      if (result == nullptr) {
        result.swap(own);
      }
    }
    static_cast<void>(all->request_stop());  // calls what tokens have
  }

  template <class F>
  void enter(std::size_t number, F& f) {
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
    kept_exception caught;
    try {
      run<F>(number, f);
    } catch (...) {
      if (handles_end_of_thread()) throw_on();
      caught.keep();
    }
    if (caught.is_set()) {
      const std::lock_guard guard(lock);
      if (number < thrown_by) {
        thrown_by = number;
        swap(thrown, caught);
      }
    }
#elif defined(__cpp_exceptions)
    try {
      run<F>(number, f);
    } catch (...) {
      if (handles_end_of_thread()) throw_on();
      if (!thrown) thrown = std::current_exception();
    }
#else
    run<F>(number, f);
#endif
  }

#ifdef __cpp_exceptions
  /// Throws the first of what the functions threw, if there is something and none returned.
  void throw_kept() {
    if (result != nullptr) return;
#ifndef NOPAL_ELIDE
    thrown.rethrow();
#else
    if (thrown) std::rethrow_exception(std::move(thrown));
#endif
  }
#endif
};

/// Whether all return nothing, or what has a common type.
template <class... Fs>
constexpr bool have_race_result() {
  constexpr bool none = (std::is_void_v<std::invoke_result_t<Fs>> && ...);
  if constexpr (!none && (std::is_void_v<std::invoke_result_t<Fs>> || ...)) {
    return false;
  } else if constexpr (!none) {
    return requires {
      requires std::is_move_constructible_v<std::common_type_t<std::invoke_result_t<Fs>...>>;
    };
  } else {
    return true;
  }
}

template <class... Fs>
using race_result =
    typename std::conditional_t<(std::is_void_v<std::invoke_result_t<Fs>> || ...),
                                std::type_identity<std::size_t>,
                                std::common_type<std::conditional_t<std::is_void_v<std::invoke_result_t<Fs>>,
                                                                    int, std::invoke_result_t<Fs>>...>>::type;

template <class Result, class... Fs, std::size_t... Index>
Result run_race(std::index_sequence<Index...>, std::tuple<Fs&&...>& functions) {
  race_state<Result> state;
#ifdef __cpp_exceptions
  try
#endif
  {
    cancel_scope s;
    state.all = &s;
    (s.fork([&state, &functions] { state.template enter<Fs>(Index, std::get<Index>(functions)); }), ...);
    s.join();
    state.all = nullptr;
  }
#ifdef __cpp_exceptions
  catch (...) {  // where what is around it is stopped and unwinds
    if (!handles_end_of_thread()) state.throw_kept();
    throw_on();
  }
#endif
  if (state.result == nullptr) {
#ifdef __cpp_exceptions
    state.throw_kept();
#endif
    // Where what is around it is stopped, nothing was called.
    const stop_part shield(nopal_stop_shield);
    {
      cancel_scope alone;
      state.all = &alone;
      using first = std::tuple_element_t<0, std::tuple<Fs...>>;
      state.template run<first>(0, std::get<0>(functions));
    }
    return std::move(*state.result);
  }
  return std::move(*state.result);
}

template <class... Fs>
race_result<Fs...> race(Fs&&... functions) {
  std::tuple<Fs&&...> all(std::forward<Fs>(functions)...);
  return detail::run_race<race_result<Fs...>, Fs...>(std::index_sequence_for<Fs...>(), all);
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

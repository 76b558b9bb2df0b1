// What tests of what latent forks call share: each call is made where nobody steals and where the continuation runs elsewhere
// before the child ends.
#ifndef NOPAL_TESTS_RUNTIME_LATENT_CALLS_HPP
#define NOPAL_TESTS_RUNTIME_LATENT_CALLS_HPP

#include <atomic>
#include <utility>

#include "support/latent.hpp"

namespace forked {

using nopal::scope;
using support::flag;

/// Whether children wait until what follows their fork has begun, and that this has.
inline bool stolen = false;
inline flag went_on{false};
inline std::atomic<int> calls{0};

/// In each child.
inline void called() {
  ++calls;
  if (stolen) support::wait_for_continuation(went_on);
}

// The forks are in functions of their own: of a function that is known where it is compiled, and of a callable that is not.

template <auto function, class Out, class... Args>
[[gnu::noinline]] void direct(Out& out, Args&&... args) {
  scope s;
  s.fork_into(out, function, std::forward<Args>(args)...);
  support::set(went_on);
  s.join();
}

template <class Out, class F, class... Args>
[[gnu::noinline]] void indirect(Out& out, F&& f, Args&&... args) {
  scope s;
  s.fork_into(out, std::forward<F>(f), std::forward<Args>(args)...);
  support::set(went_on);
  s.join();
}

template <class F, class... Args>
[[gnu::noinline]] void without_result(F&& f, Args&&... args) {
  scope s;
  s.fork(std::forward<F>(f), std::forward<Args>(args)...);
  support::set(went_on);
  s.join();
}

template <class Body>
void each_way(const Body& body) {
  for (const bool steals : {false, true, false, true}) {
    stolen = steals;
    went_on = false;
    calls = 0;
    body();
    NOPAL_CHECK(calls == 1);
  }
}

/// That the callable returns `expected`, called by fork and fork_into.
template <class Result, class F, class... Args>
void check_callable(const Result& expected, const F& f, const Args&... args) {
  each_way([&] {
    Result out{};
    indirect(out, f, args...);
    NOPAL_CHECK(out == expected);
  });
  each_way([&] { without_result(f, args...); });
}

template <auto function, class Result, class... Args>
void check(const Result& expected, const Args&... args) {
  each_way([&] {
    Result out{};
    direct<function>(out, args...);
    NOPAL_CHECK(out == expected);
  });
  check_callable(expected, function, args...);
}

}  // namespace forked

#endif

// Of the exceptions that several threads throw, the first.
#ifndef NOPAL_DETAIL_FIRST_EXCEPTION_HPP
#define NOPAL_DETAIL_FIRST_EXCEPTION_HPP

#include <atomic>

#include <nopal/detail/mode.hpp>
#include <nopal/detail/thrown.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// The first of the exceptions that calls on several threads threw, for those who wait for them.
class first_exception {
public:
  /// In a handler: what it handles, unless there is one already.
  void keep() noexcept {
    kept_exception thrown;
    thrown.keep();
    int expected = none;
    // Acquire pairs with the release of whoever took the last one.
    while (!state_.compare_exchange_weak(expected, changes, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
      if (expected == one) {
        return;
      }
      expected = none;
    }
    swap(thrown_, thrown);
    // Release pairs with the acquire in `rethrow`.
    state_.store(one, std::memory_order_release);
  }

  /// Throws it, if there is one. There is none then.
  void rethrow() {
    int expected = one;
    // Acquire pairs with the release in `keep`.
    if (state_.compare_exchange_strong(expected, changes, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      kept_exception taken;
      swap(thrown_, taken);
      // Release pairs with the acquire in `keep`.
      state_.store(none, std::memory_order_release);
      taken.rethrow();
    }
  }

private:
  enum : int { none, changes, one };
  std::atomic<int> state_{none};
  kept_exception thrown_;
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

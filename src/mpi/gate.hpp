// Who is within a session, so that its end can wait for them.
#ifndef NOPAL_MPI_GATE_HPP
#define NOPAL_MPI_GATE_HPP

#include <atomic>

#include <nopal/version.hpp>
#include <nopal/waiting.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace mpi {

/// Closed at first. What is done before `open` comes before what follows `enter`; what is done before `leave` comes
/// before what follows `close`.
class gate {
public:
  /// Counts the caller; false: it is closed, and the caller is not counted.
  [[nodiscard]] bool enter() noexcept {
    // Acquire pairs with the release in `open`.
    if ((state_.fetch_add(one, std::memory_order_acquire) & is_open) != 0) return true;
    leave();
    return false;
  }

  /// Touches the gate no more once `close` may have returned.
  void leave() noexcept {
    // Release pairs with the acquire below, of whoever finds that all have left.
    if (state_.fetch_sub(one, std::memory_order_release) != is_closing + one) return;
    unsigned long expected = is_closing;
    // It succeeds once: others that are refused may come to the same place.
    if (state_.compare_exchange_strong(expected, 0, std::memory_order_acquire, std::memory_order_relaxed)) {
      is_empty_.set();
    }
  }

  /// By one at a time, as the following.
  void open() noexcept {
    is_empty_.reset();
    // Release pairs with the acquire in `enter`. Added, as there may be some that are about to be refused.
    state_.fetch_add(is_open, std::memory_order_release);
  }

  /// Refuses all from here on, and waits until those within have left. A strand is suspended.
  void close() noexcept {
    // As one of those within: so there is one who leaves last. Acquire pairs with the release in `open`.
    state_.fetch_add(one + is_closing - is_open, std::memory_order_acquire);
    leave();
    is_empty_.wait();
  }

private:
  static constexpr unsigned long is_open = 1;
  static constexpr unsigned long is_closing = 2;
  static constexpr unsigned long one = 4;  // of those within, or about to be refused

  std::atomic<unsigned long> state_{0};
  event is_empty_;  // since it was closed
};

}  // namespace mpi
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

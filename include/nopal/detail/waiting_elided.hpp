// The same in the serial elision: a blocking call is a call, and whoever waits blocks its thread. What a
// later strand of the same thread would set never comes.
#ifndef NOPAL_DETAIL_WAITING_ELIDED_HPP
#define NOPAL_DETAIL_WAITING_ELIDED_HPP

#include <atomic>
#include <cstdint>

#include <nopal/detail/mode.hpp>
#ifdef NOPAL_CHECKED
#include <nopal/detail/check.h>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

struct blocking_call {
  blocking_call() noexcept {}  // not trivial: it counts as used
};

}  // namespace detail

class event {
public:
  constexpr event() noexcept = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() = default;

  void set() noexcept {
#ifdef NOPAL_CHECKED
    nopal_check_signal(this);
#endif
    is_set_.store(true, std::memory_order_release);
    // Those who wait go on also where `reset` follows at once. Release pairs with the acquires in `wait`.
    times_set_.fetch_add(1, std::memory_order_release);
    times_set_.notify_all();
  }
  void reset() noexcept { is_set_.store(false, std::memory_order_release); }
  [[nodiscard]] bool is_set() const noexcept { return is_set_.load(std::memory_order_acquire); }
  /// Waits for another thread: with one alone, for ever.
  void wait() const noexcept {
    const std::uint64_t before = times_set_.load(std::memory_order_acquire);
    if (!is_set()) {
#ifdef NOPAL_CHECKED
      nopal_check_wait("an event", nullptr);
#endif
      times_set_.wait(before, std::memory_order_acquire);
    }
#ifdef NOPAL_CHECKED
    nopal_check_signaled(this);
#endif
  }

private:
  std::atomic<bool> is_set_{false};
  std::atomic<std::uint64_t> times_set_{0};
};

class mutex {
public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() = default;

  void lock() noexcept {
    while (!try_lock()) {
#ifdef NOPAL_CHECKED
      nopal_check_wait("a nopal::mutex to be let go", this);
#endif
      is_locked_.wait(true, std::memory_order_relaxed);
    }
  }
#ifdef NOPAL_CHECKED
  [[nodiscard]] bool try_lock() noexcept {
    if (is_locked_.exchange(true, std::memory_order_acquire)) return false;
    nopal_check_lock(this);
    return true;
  }
#else
  [[nodiscard]] bool try_lock() noexcept { return !is_locked_.exchange(true, std::memory_order_acquire); }
#endif
  void unlock() noexcept {
#ifdef NOPAL_CHECKED
    nopal_check_unlock(this);
#endif
    is_locked_.store(false, std::memory_order_release);
    is_locked_.notify_one();
  }

private:
  std::atomic<bool> is_locked_{false};
};

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

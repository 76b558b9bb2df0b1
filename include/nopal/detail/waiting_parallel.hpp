// Calls that block, mutexes and events, whose waits suspend strands.
#ifndef NOPAL_DETAIL_WAITING_PARALLEL_HPP
#define NOPAL_DETAIL_WAITING_PARALLEL_HPP

#include <cstdint>

#include <nopal/detail/blocking.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// The time of a blocking call.
class blocking_call {
public:
  blocking_call() noexcept : begun_(nopal_begin_blocking()) {}
  blocking_call(const blocking_call&) = delete;
  blocking_call& operator=(const blocking_call&) = delete;
  ~blocking_call() { nopal_end_blocking(begun_); }

private:
  const std::uint32_t begun_;
};

}  // namespace detail

/// A mutex that a strand holds, not a thread: it may be locked on one thread and unlocked on another,
/// and held across forks and joins.
///
/// A child that wants what its parent holds across the join waits for ever, as in the serial
/// program. A strand that waits is suspended, and `lock` may return on another thread, as a join;
/// those that wait get the mutex in the order in which they came. Not recursive. It may be destroyed
/// by whoever unlocked it last.
class mutex {
public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() = default;

  /// Waits until the calling strand holds it.
  void lock() {
    if (!try_lock()) {
      nopal_lock_mutex(&words_);
    }
  }

  /// Takes it if nobody holds it; whether that was so.
  [[nodiscard]] bool try_lock() noexcept {
    std::uintptr_t expected = nopal_mutex_free;
    // Acquire pairs with the release in `unlock`: what was done under the lock comes before.
    return __atomic_compare_exchange_n(&words_.state, &expected, std::uintptr_t{nopal_mutex_locked}, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }

  /// Gives it to the first that waits, or to nobody. By the strand that holds it; by others it is undefined.
  void unlock() noexcept {
    std::uintptr_t expected = nopal_mutex_locked;
    // The queue is the holder's. Release pairs with the acquire in `try_lock`.
    if (words_.queue != nullptr ||
        !__atomic_compare_exchange_n(&words_.state, &expected, std::uintptr_t{nopal_mutex_free}, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
      nopal_unlock_mutex(&words_);
    }
  }

private:
  nopal_mutex words_{nopal_mutex_free, nullptr};
};

/// Something that happens once, or again after a `reset`, and that strands wait for.
///
/// A strand that waits is suspended: its worker runs others meanwhile, and `wait` may return on
/// another thread, as a join. `set` wakes all who wait, also where `reset` follows at once. What was
/// done before `set` comes before what follows `wait`. May be set by any thread. It may be destroyed
/// by whoever has waited for it, if nobody else waits.
class event {
public:
  constexpr event() noexcept = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() = default;

  /// It has happened: wakes all who wait.
  void set() noexcept {
    // Release pairs with the acquire in `is_set`; acquire with the release of whoever began to wait.
    const std::uintptr_t before =
        __atomic_exchange_n(&words_.state, std::uintptr_t{nopal_event_set}, __ATOMIC_ACQ_REL);
    if (before != nopal_event_not_set && before != nopal_event_set) {
      nopal_wake_waiters(before);
    }
  }

  /// Not set from here on. Whoever waits goes on waiting.
  void reset() noexcept {
    std::uintptr_t expected = nopal_event_set;
    __atomic_compare_exchange_n(&words_.state, &expected, std::uintptr_t{nopal_event_not_set}, false,
                                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }

  /// Whether it has happened since the last `reset`.
  [[nodiscard]] bool is_set() const noexcept {
    return __atomic_load_n(&words_.state, __ATOMIC_ACQUIRE) == nopal_event_set;
  }

  /// Waits until it is set; returns at once where it is.
  void wait() const {
    if (!is_set()) {
      nopal_wait_for_event(&words_);
    }
  }

private:
  mutable nopal_event words_{nopal_event_not_set};
};

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Who waits for an event or a mutex, and how it is woken. docs/waiting.md has the argument.
#ifndef NOPAL_SCHEDULER_WAITERS_HPP
#define NOPAL_SCHEDULER_WAITERS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/version.hpp>

#include "stack/stack.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// One wait, on the stack of who waits. It may be gone as soon as that is woken.
struct alignas(16) waiter {
  /// Enters the list of what is waited for, with a release; false, with an acquire: there is nothing
  /// to wait for.
  bool (*enter)(waiter& self, void* object) noexcept;
  void* object;
  waiter* next = nullptr;                  ///< in that list; written before, and by whoever has taken it out
  std::atomic<std::uint32_t> is_woken{0};  ///< and the futex; of a thread that waits
  ready_strand strand{};                   ///< that is suspended; without a frame: a thread waits
};

/// Suspends the calling strand as at a join, until the waiter is woken. False: that cannot be done here,
/// and nothing has been entered. On return the strand may be on another thread.
bool wait_suspended(waiter& self) noexcept;

/// Whether the thread of `self` is in no scope from which there is something to take or was something
/// taken, once its latent forks are promoted, and has started no task: then it has no worker's place.
bool is_at_rest(const worker* self) noexcept;

/// Whether the calling thread is one that serves others with what they enqueue: see nopal_tell_of_blocking.
bool serves_others() noexcept;
/// What such a thread waits for may be behind what it runs: as it sleeps, and when it wakes up, its server is told as of a call that
/// blocks.
void tell_server_of_sleep() noexcept;
void tell_server_of_wake() noexcept;
class sleep_of_server {
public:
  explicit sleep_of_server(bool is_one) noexcept : is_one_(is_one) {
    if (is_one_) {
      tell_server_of_sleep();
    }
  }
  sleep_of_server(const sleep_of_server&) = delete;
  sleep_of_server& operator=(const sleep_of_server&) = delete;
  ~sleep_of_server() {
    if (is_one_) {
      tell_server_of_wake();
    }
  }

private:
  const bool is_one_;
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Who waits for an event or a mutex, and how it is woken. docs/waiting.md has the argument.
#ifndef NOPAL_SCHEDULER_WAITERS_HPP
#define NOPAL_SCHEDULER_WAITERS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// One wait, on the stack of who waits. It is gone as soon as that is woken.
struct waiter {
  /// Enters the list of what is waited for, with a release; false, with an acquire: there is nothing
  /// to wait for.
  bool (*enter)(waiter& self, void* object) noexcept;
  void* object;
  waiter* next;  ///< in that list; written before it is entered, and by whoever has taken it out
  std::atomic<std::uint32_t> is_woken{0};  ///< and the futex of a thread that waits
};

/// Has entered nothing yet.
void wait(waiter& self) noexcept;

/// Of a waiter that was taken out of its list.
void wake(waiter& one) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

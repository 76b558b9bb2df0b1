// How much room is left on the stack that code runs on, be it a thread's or of the pool.

#include "scheduler/runtime.hpp"
#include "scheduler/tasks.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

struct stack_bounds {
  const char* low;
  const char* high;

  [[nodiscard]] bool contain(const char* address) const noexcept { return low <= address && address < high; }
};

/// Of the calling thread's own stack; empty if the system does not tell. Asks once: it may take
/// reading all of /proc/self/maps.
const stack_bounds& bounds_of_thread() noexcept {
  static thread_local stack_bounds known{nullptr, nullptr};
  static thread_local bool asked = false;
  if (!asked) {
    asked = true;
    void* low;
    void* high;
    if (os::native_stack_bounds(low, high)) {  // unreached: refused-wait
      known = {static_cast<const char*>(low), static_cast<const char*>(high)};
    }
  }
  return known;
}

/// Of the stack of the pool that the thread is on; empty where it is on none. Takes the depth of
/// nested calls.
stack_bounds bounds_in_pool() noexcept {
  worker* const self = this_worker();
  // unreached: refused-wait
  const nopal_stack* const stack = self == nullptr ? nullptr : ground(get(self->deque.strand.stack));
  if (stack == nullptr || is_root_stack(stack)) {  // unreached: refused-wait
    return {nullptr, nullptr};
  }
  return {stack->low, stack->high};
}

}  // namespace

[[gnu::noinline]] bool has_room_on_stack() noexcept {
  // Where the thread was last in the pool. A stack of the pool keeps its bounds until it is unmapped.
  static thread_local stack_bounds last{nullptr, nullptr};
  static thread_local std::uint64_t times_unmapped = 0;
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const stack_bounds* stack = &bounds_of_thread();
  if (!stack->contain(here)) {
    stack = &last;
    const std::uint64_t now = the_runtime().times_unmapped.load(std::memory_order_relaxed);
    if (!last.contain(here) || times_unmapped != now) {
      last = bounds_in_pool();
      times_unmapped = now;
    }
  }
  // A stack that the program made itself is for the program to watch.
  if (!stack->contain(here)) {
    return true;
  }
  const auto left = static_cast<std::size_t>(here - stack->low);
  const auto bytes = static_cast<std::size_t>(stack->high - stack->low);
  return (!NOPAL_FAULT("no room on the stack") && left > bytes / 2) ||
         left >= the_runtime().chosen.stack_bytes;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

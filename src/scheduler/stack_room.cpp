// How much room is left on the stack that code runs on, be it a thread's or of the pool.

#include "scheduler/runtime.hpp"
#include "scheduler/tasks.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

namespace {

struct stack_bounds {
  const char* low;
  const char* high;
};

/// Of the stack that the calling thread is on; nulls if that is not to be known. Takes the depth of nested calls.
stack_bounds bounds_of_stack() noexcept {
  worker* const self = this_worker();
  const nopal_stack* const stack = self == nullptr ? nullptr : ground(get(self->deque.strand.stack));
  if (stack != nullptr && !is_root_stack(stack)) {
    return {stack->low, stack->high};
  }
  void* low;
  void* high;
  if (!os::native_stack_bounds(low, high)) {
    return {nullptr, nullptr};
  }
  return {static_cast<const char*>(low), static_cast<const char*>(high)};
}

}  // namespace

[[gnu::noinline]] bool has_room_on_stack() noexcept {
  // Where the thread looked last. A stack of the pool keeps its bounds.
  static thread_local stack_bounds last{nullptr, nullptr};
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  if (here < last.low || here >= last.high) {
    last = bounds_of_stack();
  }
  return here > last.low + (last.high - last.low) / 2 && last.low != nullptr;
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

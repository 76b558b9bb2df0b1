// Stacks between a worker and the pool.
#ifndef NOPAL_SCHEDULER_SPARE_STACKS_HPP
#define NOPAL_SCHEDULER_SPARE_STACKS_HPP

#include "scheduler/runtime.hpp"
#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Gives `stack` back, which nobody runs on and whose strand does not come back.
void drop_stack(worker* self, nopal_stack* stack) noexcept;

/// Gives the empty `stack` back to this worker's cache or to the pool.
void return_stack(worker* self, nopal_stack* stack) noexcept;
/// A stack of the pool, if possible one below `below`, and of the memory node where the thread is now.
nopal_stack* take_stack(const void* below) noexcept;
/// Whether the stack is of that node.
[[nodiscard]] [[gnu::noinline]] bool is_of_this_node(const nopal_stack* stack) noexcept;
[[nodiscard]] inline bool is_near(const nopal_stack* stack) noexcept {
  return the_runtime().stacks.nodes() == 1 || is_of_this_node(stack);
}
/// A stack must be at hand before a continuation is taken, which cannot be put back.
bool have_stack(worker* self) noexcept;
/// There is no memory for a stack: says so once, and waits a little for somebody to return one.
void wait_for_stack(worker* self) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// A strand, and all that goes with it when it changes its worker or its stack.
//
// A worker either runs a strand, on that strand's stack, or decides on its scheduler stack. `leave`
// and `enter` are the two ways between: the one takes along what a strand could notice of its
// thread, the other puts it in place. The assembly (src/arch) changes the stack and the registers,
// src/view the views; docs/strand.md has the table of all.
#ifndef NOPAL_STRAND_STRAND_HPP
#define NOPAL_STRAND_STRAND_HPP

#include <nopal/detail/frame.h>

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace strand {

/// Where a strand goes on.
struct resume_point {
  nopal_stack* stack;
  char* stack_pointer;
  /// For the tools: all that others did before they left with the same comes before
  void* order;
  bool unwinding;  ///< for the tools: an exception is in flight there
};

/// Why a strand is left.
enum class reason : char {  // the numbers are those of trace::stop_reason
  join,                     ///< it waits for its children
  ended,                    ///< a child or a task is over
  call,                     ///< its thread looks for strands of what it waits for, and comes back
};

/// Whether the strand on the stack that `origin` is of belongs to the function of `frame`, whose
/// own stack is another: the continuation of that function was stolen to this stack.
[[nodiscard]] inline bool is_away(const strand_origin& origin, const nopal_frame* frame) noexcept {
  return origin.is_of(frame);
}
/// The same of the strand of a victim.
[[nodiscard]] inline bool is_away(const nopal_strand& seen, const nopal_frame* frame) noexcept {
  return seen.origin_frame_pointer == frame->frame_pointer;
}

/// What the strand has that `self`, the calling thread's worker, runs.
[[nodiscard]] state state_of(const worker* self) noexcept;

/// The calling thread's exceptions.
[[nodiscard]] inline exception_state exceptions_of(const worker* self) noexcept {
  // unreached: no-c++-state
  return self->exceptions != nullptr ? *self->exceptions : exception_state{nullptr, 0};
}

/// The worker runs on `stack` from here on, and tells thieves so; null for its scheduler stack.
void run_on(worker* self, nopal_stack* stack) noexcept;

/// The worker has no strand from here on: thieves find none, and its thread has no trace of one.
void have_none(worker* self) noexcept;

/// On the scheduler stack, which the worker has just come to from a strand that stopped at
/// `stack_pointer`: what is to be done before its stack is somebody else's. What it did comes
/// before an `enter` with the same `order`. Returns the stack.
nopal_stack* leave(worker* self, reason why, const void* stack_pointer, void* order) noexcept;

/// On the scheduler stack, the last before it is left: the worker's strand is the one that goes on
/// at `to`.
void enter(worker* self, const resume_point& to, const state& with) noexcept;

/// The stack that the worker has left keeps the frame of a strand that is elsewhere or suspended,
/// from `stack_pointer` on.
void leave_behind(worker* self, nopal_stack* stack, const void* stack_pointer) noexcept;
/// The stack that the worker has left held only a strand that is over or goes home: it goes back to
/// the pool.
void leave_empty(worker* self, nopal_stack* stack) noexcept;
/// The strand that was away on `stack` does not come back there; a child may still run on it: see
/// second_scope.
void leave_for_good(worker* self, nopal_stack* stack) noexcept;
/// The child that ran on that stack is over; the same from its side.
void end_on_second(worker* self, nopal_stack* stack) noexcept;

}  // namespace strand
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

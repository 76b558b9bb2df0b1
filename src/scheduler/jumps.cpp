// Where a longjmp leads. A strand that was stolen or has joined is on another stack than when its
// function called setjmp, and the children that a jump would leave may be running on the stack that
// it leads to.
//
// The forks in progress on a stack are nested. Those made since the worker came to it are in its
// deque, stolen ones included; those from before are recorded on the stack. The innermost one
// bounds the child that runs: the child lies below the stack pointer of the function that forked
// it.

#include "deque/deque.hpp"
#include "scheduler/join.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/tags.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

// Links our longjmp into every program that has this file, hence into each with the scheduler.
[[gnu::used]] void (*const prepare)() noexcept = os::prepare_long_jumps;

bool lies_on(const nopal_stack& stack, const void* address) {
  const nopal_stack& below = *ground(&stack);
  if (is_root_stack(&below)) {
    return !the_runtime().stacks.contains(address);  // its bounds are not at hand
  }
  return address >= below.low && address < below.high;
}

/// The stack pointer, on `stack`, of the function whose fork of `frame` is in progress there; null
/// if that cannot be told.
const char* bound_of(nopal_frame* frame, const nopal_stack& stack) {
  // Acquire: a thief that forks again writes `home_stack_pointer` before it changes this.
  const char* const at_fork = arch::stack_pointer_acquired_of(frame);
  if (lies_on(stack, at_fork)) {
    return at_fork;
  }
  const auto* at_home =
      static_cast<const char*>(__atomic_load_n(&frame->home_stack_pointer, __ATOMIC_RELAXED));
  if (frame->frame_pointer == stack.origin.frame_pointer) {
    at_home -= stack.origin.to_home;
  }
  return lies_on(stack, at_home) ? at_home : nullptr;  // unreached: safe-jumps
}

/// The same as `lies_on`, confirmed by the system: the program may have stacks of its own.
bool surely_lies_on(const nopal_stack& stack, const void* address) {
  void* low = nullptr;
  void* high = nullptr;
  // unreached below: safe-jumps
  return !is_root_stack(ground(&stack)) || !os::native_stack_bounds(low, high) ||
         (address >= low && address < high);
}

/// Whether a jump leaves the innermost pinned call that the thread began while it was no worker.
bool leaves_noted_call(const char* stack_pointer) {
  void* low = nullptr;
  void* high = nullptr;
  const char* const pinned_at = this_pinned_at();
  // unreached below: safe-jumps
  return pinned_at != nullptr && stack_pointer > pinned_at && os::native_stack_bounds(low, high) &&
         pinned_at >= low && stack_pointer < high;
}

/// Whether a jump within the stack that the worker came with leaves the worker's pinned call.
bool leaves_pinned_call(const worker& self, const char* stack_pointer) {
  return self.outer == nullptr ? leaves_noted_call(stack_pointer)
                               // unreached: safe-jumps
                               : stack_pointer > self.pinned_at && surely_lies_on(self.native, stack_pointer);
}

/// Whether a jump to `stack_pointer` on `stack`, which `self` runs on, leaves a child that runs
/// there.
bool leaves_child(const worker* self, const nopal_stack& stack, const char* stack_pointer) {
  const std::int32_t forks = self->deque.bottom;
  nopal_frame* const innermost =
      forks > self->first_entry
          ? untagged(__atomic_load_n(&self->deque.owner_slots[forks - 1], __ATOMIC_RELAXED))
          : stack.forks.innermost();
  const char* const bound = innermost == nullptr ? nullptr : bound_of(innermost, stack);
  // unreached: safe-jumps
  return bound != nullptr && stack_pointer >= bound && surely_lies_on(stack, stack_pointer);
}

bool leaves_reduction(const nopal_stack& stack, const char* stack_pointer) {
  // unreached: safe-jumps
  return view::leaves_reduction(stack, stack_pointer) && surely_lies_on(stack, stack_pointer);
}

/// Whether the activation with this frame pointer lies further out than the one that began on
/// `stack`. It may have run on this stack before it came home, and a jump buffer from that time
/// looks as if it led here.
bool is_outside(const nopal_stack& stack, const void* frame_pointer) {
  if (frame_pointer == nullptr || frame_pointer == stack.origin.frame_pointer) {  // unreached: safe-jumps
    return false;
  }
  // The outer stacks are at rest, or run a child, so what they record of activations further out
  // stays.
  const nopal_stack* outer = &stack;
  while (outer->native_owner == nullptr && outer->origin.scope != nullptr &&  // unreached: safe-jumps
         outer->origin.scope->home != nullptr) {                              // unreached: safe-jumps
    outer = outer->origin.scope->home;
    // unreached: safe-jumps
    if (outer->origin.frame_pointer == frame_pointer || outer->came_home.find(frame_pointer) != nullptr) {
      return true;
    }
  }
  return false;
}

[[noreturn]] void refuse_to_leave_child() {
  os::end_process("nopal: longjmp out of a child that was forked: call setjmp in the child, or have it "
                  "return its error");
}

[[noreturn]] void refuse_to_leave_children() {
  os::end_process(
      "nopal: longjmp out of a function with children that are not joined: join its scopes before");
}

[[noreturn]] void refuse_to_leave_body() {
  os::end_process("nopal: longjmp out of a body of an algorithm: call setjmp in the body");
}

[[noreturn]] void refuse_to_leave_reduction() {
  os::end_process("nopal: longjmp out of a reduction: call setjmp in it, or have it throw");
}

[[noreturn]] void refuse_to_leave_scheduler() {
  os::end_process("nopal: longjmp by a signal handler out of a thread that waits in a join or for work: "
                  "call sigsetjmp in the handler, or have it set a flag");
}

/// Whether a jump from `here` to `there` leaves the scheduler that a signal handler has
/// interrupted: it does not if both are the handler's own, which runs on the scheduler's stack, on
/// the signal stack, or on one that it has changed to itself.
bool leaves_scheduler(worker* self, const void* here, const void* there) {
  if (lies_on_scheduler_stack(self, there) || os::lies_on_signal_stack(there)) {
    return false;
  }
  if (lies_on_scheduler_stack(self, here) || os::lies_on_signal_stack(here)) {
    return true;
  }
  void* low = nullptr;
  void* high = nullptr;
  // unreached below: handler-stack
  return the_runtime().stacks.contains(there) ||
         (!is_schedulers_thread(self) && os::native_stack_bounds(low, high) && there >= low && there < high);
}

}  // namespace

void leave_forks_noted(const worker* self, nopal_stack* stack, std::int32_t end) noexcept {
  for (std::int32_t i = self->first_entry; i < end; ++i) {
    nopal_stack::forks_below& noted = stack->forks;
    noted.frames[noted.count % nopal_stack::forks_below::kept] = untagged(self->deque.owner_slots[i]);
    ++noted.count;
  }
}

/// For a jump to the activation with this frame pointer, if it has one, and this stack pointer: the
/// stack pointer to go on with.
extern "C" char* nopal_jump_destination(const void* frame_pointer, char* stack_pointer) noexcept {
  worker* const self = this_worker();
  if (self == nullptr) {
    if (leaves_noted_call(stack_pointer)) {
      refuse_to_leave_body();
    }
    return stack_pointer;
  }
  promote_own();  // a latent child is not to be left either
  // Not the address of a local: AddressSanitizer may have put that elsewhere.
  const void* const here = __builtin_frame_address(0);
  const nopal_stack* const stack = get(self->deque.strand.stack);
  if (stack == nullptr || lies_on_scheduler_stack(self, here)) {
    if (leaves_scheduler(self, here, stack_pointer)) {
      refuse_to_leave_scheduler();
    }
    return stack_pointer;
  }
  const bool to_here = lies_on(*stack, stack_pointer);
  // unreached: safe-jumps
  if (!to_here && !lies_on(*stack, here) && !the_runtime().stacks.contains(stack_pointer)) {
    return stack_pointer;  // between stacks of the program's own
  }
  if (to_here) {
    if (stack == &self->native && leaves_pinned_call(*self, stack_pointer)) {
      refuse_to_leave_body();
    }
    if (leaves_reduction(*stack, stack_pointer)) {
      refuse_to_leave_reduction();
    }
    if (leaves_child(self, *stack, stack_pointer)) {
      refuse_to_leave_child();
    }
    if (is_outside(*stack, frame_pointer)) {
      refuse_to_leave_children();
    }
    return stack_pointer;
  }
  char* destination = stack->came_home.find(frame_pointer);
  // unreached: no-frame-pointer-jumps
  if (destination == nullptr && frame_pointer != nullptr && frame_pointer == stack->origin.frame_pointer) {
    destination = stack->origin.start;
  }
  // unreached: left-reduction
  if (stack->merge != nullptr && (destination == nullptr || leaves_reduction(*stack, destination))) {
    refuse_to_leave_reduction();
  }
  // No activation can have come here since the youngest fork.
  if (self->deque.bottom > self->first_entry ||  // unreached: no-frame-pointer-jumps
      // unreached: no-frame-pointer-jumps
      (destination != nullptr && leaves_child(self, *stack, destination))) {
    refuse_to_leave_child();
  }
  if (destination == nullptr) {
    refuse_to_leave_children();
  }
  return destination;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

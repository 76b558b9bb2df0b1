// What AddressSanitizer, LeakSanitizer, ThreadSanitizer and Valgrind are told of stacks and of the
// order of strands.
//
// An ordinary build of the library serves programs under any of them: it calls what is present in
// the process. Where none is, a change of stacks costs one well-predicted branch. The sources of
// this folder are compiled without instrumentation: they run while a tool's idea of the current
// stack is changing.
#ifndef NOPAL_SANITIZERS_SANITIZERS_HPP
#define NOPAL_SANITIZERS_SANITIZERS_HPP

#include <cstddef>

#include <nopal/version.hpp>

/// A function that changes stacks: an instrumented frame of it would belong to a stack that is not
/// run on any more.
#define NOPAL_UNINSTRUMENTED __attribute__((no_sanitize("address", "thread")))

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace sanitizers {

/// What the tools keep about one stack. Written by the worker that runs there, makes or unmakes it.
struct stack_record {
  const char* low = nullptr;  ///< first byte
  std::size_t bytes = 0;      ///< 0 while the extent is not known
  /// The stack pointer of a strand that left; null while run on, and if empty
  const char* left_at = nullptr;
  /// AddressSanitizer's copies of the frames here, to detect use after return
  void* fake_frames = nullptr;
  void* fiber = nullptr;    ///< ThreadSanitizer's
  bool owns_fiber = false;  ///< it was made for this stack; else it is a thread's own
};

/// Whether any tool watches. Set before the first stack is made.
extern bool present;

/// The slow halves of the functions below.
namespace watched {
void stack_made(stack_record& stack, const void* low, std::size_t bytes) noexcept;
void stack_unmade(stack_record& stack) noexcept;
void stack_emptied(stack_record& stack) noexcept;
void leave_strand(stack_record& strand, stack_record& scheduler, const void* stack_pointer,
                  void* order) noexcept;
void enter_strand(stack_record& scheduler, const void* scheduler_top, stack_record& strand,
                  const void* stack_pointer, void* order, bool unwinding) noexcept;
void call_scheduler(stack_record& strand, stack_record& scheduler) noexcept;
void end_scheduler_call(stack_record& scheduler, stack_record& strand) noexcept;
void before(void* order) noexcept;
void after(void* order) noexcept;
void thread_begins() noexcept;
void begin_ignoring_sync() noexcept;
void end_ignoring_sync() noexcept;
void begin_ignoring_memory() noexcept;
void end_ignoring_memory() noexcept;
}  // namespace watched

/// How far from one another stacks must lie for a tool to tell them apart; 0: it does not matter.
std::size_t apart() noexcept;

/// A strand forked: what it did so far comes before whatever follows an `enter_strand` with the
/// same `order`. Called for every fork of code that ThreadSanitizer watches, and for no other.
void forked(void* order) noexcept;

/// As `before` and `after`, for ThreadSanitizer, where nobody may have called `look`.
void before_at_any_time(void* order) noexcept;
void after_at_any_time(void* order) noexcept;

/// Around fork(2), in parent and child: meanwhile no thread is told of under a lock that is not
/// ours.
void begin_fork() noexcept;
void end_fork() noexcept;

/// What memory that is not the allocator's refers to is not leaked; until `let_die`.
void keep_alive(const void* low, std::size_t bytes) noexcept;
void let_die(const void* low, std::size_t bytes) noexcept;

/// Finds out which tools watch this process.
void look() noexcept;

/// Memory becomes a stack, and ceases to be one.
inline void stack_made(stack_record& stack, const void* low, std::size_t bytes) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::stack_made(stack, low, bytes);
  }
}
inline void stack_unmade(stack_record& stack) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::stack_unmade(stack);
  }
}

/// Nothing of what was on the stack is needed any more. Not called on the stack itself.
inline void stack_emptied(stack_record& stack) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::stack_emptied(stack);
  }
}

/// The worker has left `strand`'s stack at `stack_pointer` for its scheduler stack. What the strand
/// did comes before whatever follows an `enter_strand` with the same `order`.
inline void leave_strand(stack_record& strand, stack_record& scheduler, const void* stack_pointer,
                         void* order) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::leave_strand(strand, scheduler, stack_pointer, order);
  }
}

/// The worker is about to leave its scheduler stack, all of it below `scheduler_top`, and to go on
/// at `stack_pointer` of `strand`'s stack; `unwinding` if an exception is in flight there.
inline void enter_strand(stack_record& scheduler, const void* scheduler_top, stack_record& strand,
                         const void* stack_pointer, void* order, bool unwinding) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::enter_strand(scheduler, scheduler_top, strand, stack_pointer, order, unwinding);
  }
}

/// A slow push works on the scheduler stack for a while.
inline void call_scheduler(stack_record& strand, stack_record& scheduler) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::call_scheduler(strand, scheduler);
  }
}
inline void end_scheduler_call(stack_record& scheduler, stack_record& strand) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::end_scheduler_call(scheduler, strand);
  }
}

/// What this strand did so far comes before what any does that calls `after` with the same `order`
/// later.
inline void before(void* order) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::before(order);
  }
}
inline void after(void* order) noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::after(order);
  }
}

/// Tells the tools that the strands of the calling thread share its thread-local variables, one
/// after the other and in any order.
inline void thread_begins() noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::thread_begins();
  }
}

/// Between the two, locks mean no order to the tools.
inline void begin_ignoring_sync() noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::begin_ignoring_sync();
  }
}
inline void end_ignoring_sync() noexcept {
  if (__builtin_expect(static_cast<long>(present), 0) != 0) {
    watched::end_ignoring_sync();
  }
}

/// While it lives, no tool looks for races in what the calling stack does. The library is compiled
/// without ThreadSanitizer, which sees of it the calls of memcpy and memset that compilers make of
/// copies and zeroes, but not the atomics that order them. Not to be held where stacks change.
class unseen {
public:
  unseen() noexcept {
    if (__builtin_expect(static_cast<long>(present), 0) != 0) {
      watched::begin_ignoring_memory();
    }
  }
  ~unseen() {
    if (__builtin_expect(static_cast<long>(present), 0) != 0) {
      watched::end_ignoring_memory();
    }
  }
  unseen(const unseen&) = delete;
  unseen& operator=(const unseen&) = delete;
};

}  // namespace sanitizers
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

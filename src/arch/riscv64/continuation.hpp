// The assembly of continuation.S as C++ sees it, with the offsets that all assembly relies on
// checked.
#ifndef NOPAL_ARCH_RISCV64_CONTINUATION_HPP
#define NOPAL_ARCH_RISCV64_CONTINUATION_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/detail/fibril_frame.h>
#include <nopal/detail/frame.h>
#include <nopal/detail/owner_steps.h>
#include <nopal/version.hpp>

#include "arch/riscv64/offsets.h"

extern "C" {
/// Goes on with the continuation of `frame` at `stack_pointer`; a join returns `value`.
[[noreturn]] void nopal_resume(nopal_frame* frame, void* stack_pointer, void* value);
/// The same, but nopal_merge_at_join(frame, deposits) is called there first, and its result is what
/// the join returns.
[[noreturn]] void nopal_resume_and_merge(nopal_frame* frame, void* stack_pointer, void* deposits);
/// Makes the rest of this stack the worker's scheduler stack, runs nopal_run_scheduler there,
/// returns when told to.
void nopal_enter_scheduler(void* worker);
/// Calls function(argument) on the stack that ends at `stack_top`, then nopal_finish_call. Nothing
/// may be thrown.
[[noreturn]] void nopal_call_on_stack(void* stack_top, void (*function)(void*) noexcept, void* argument);
/// Runs nopal_run_call on the worker's scheduler stack, returns when told to.
void nopal_call_scheduler(void* worker);
/// Returns from either.
[[noreturn]] void nopal_leave_scheduler(void* worker);
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

static_assert(offsetof(nopal_frame, resume_address) == FRAME_RESUME_ADDRESS);
static_assert(offsetof(nopal_frame, call_stack_pointer) == FRAME_CALL_STACK_POINTER);
static_assert(offsetof(nopal_frame, frame_pointer) == FRAME_FRAME_POINTER);
static_assert(offsetof(nopal_frame, callee_saved) == FRAME_S1 && FRAME_FS0 == FRAME_S1 + 88);
static_assert(offsetof(nopal_frame, steals) == FRAME_STEALS);
// The assembly stores both words at once.
static_assert(offsetof(nopal_frame, float_control) == FRAME_FLOAT_CONTROL &&
              offsetof(nopal_frame, x87_control) == FRAME_FLOAT_CONTROL + 4);

static_assert(offsetof(nopal_fibril, frame) == 0);
static_assert(offsetof(nopal_fibril, child) == FIBRIL_CHILD && offsetof(nopal_fibril, out) == FIBRIL_OUT);
static_assert(offsetof(nopal_deque, bottom) == NOPAL_DETAIL_DEQUE_BOTTOM);
static_assert(offsetof(nopal_deque, limit) == NOPAL_DETAIL_DEQUE_LIMIT);
static_assert(offsetof(nopal_deque, owner_slots) == NOPAL_DETAIL_DEQUE_SLOTS);
static_assert(offsetof(nopal_deque, top) == NOPAL_DETAIL_DEQUE_TOP);
static_assert(offsetof(nopal_deque, split) == NOPAL_DETAIL_DEQUE_SPLIT);
// OWNER_PUSH and OWNER_POP take each by one instruction of this width.
static_assert(sizeof nopal_deque::bottom == 4 && sizeof nopal_deque::limit == 4 &&
              sizeof nopal_deque::top == 4 && sizeof nopal_deque::split == 4 &&
              sizeof nopal_deque::owner_slots == 8);

/// No compiler for this machine splits stacks.
constexpr bool splits_stack() noexcept { return false; }

/// The frame pointer in the numbering of registers that unwind tables use.
inline constexpr int frame_pointer_number = 8;

/// The stack pointer at the frame's continuation. A call keeps its return address in a register.
inline char* stack_pointer_of(const nopal_frame* frame) noexcept {
  return static_cast<char*>(frame->call_stack_pointer);
}
/// The same of one that others may write.
inline const char* stack_pointer_acquired_of(const nopal_frame* frame) noexcept {
  return static_cast<const char*>(__atomic_load_n(&frame->call_stack_pointer, __ATOMIC_ACQUIRE));
}

/// What a fork here would record of the function that calls this one's.
[[gnu::always_inline]] inline std::uintptr_t call_stack_pointer() noexcept {
  return reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
}

/// The rounding mode. What happened is in other bits of the same register, and stays there.
inline std::uint64_t float_control() noexcept {
  std::uint64_t control;
  // Volatile: the compiler is not told that this depends on what ran before.
  asm volatile("frrm %0" : "=r"(control));
  return control;
}

inline void set_float_control(std::uint64_t control) noexcept {
  if (float_control() == control) {
    return;  // reading is cheaper than writing
  }
  // Volatile for the same reason; no floating point happens in the scheduler.
  asm volatile("fsrm %0" : : "r"(control));
}

/// Stack pointers keep their residue modulo this when a strand moves to another stack: calls that
/// pass over-aligned arguments on the stack rely on it. Beyond a pair of cache lines nobody aligns
/// arguments.
inline constexpr std::uintptr_t stack_alignment = 256;

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Each tool by itself. All functions may be called only if the tool is present.
#ifndef NOPAL_SANITIZERS_TOOLS_HPP
#define NOPAL_SANITIZERS_TOOLS_HPP

#include "sanitizers/sanitizers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace sanitizers {

/// AddressSanitizer, with LeakSanitizer in it.
namespace address {
[[nodiscard]] bool is_present() noexcept;
/// The thread runs on `to` from here on.
void change_stack(stack_record& from, stack_record& to) noexcept;
/// [low, high) of a stack is an ordinary, unused part of it.
void clean(const void* low, const void* high) noexcept;
/// Frees the fake frames.
void drop_fake_frames(stack_record& stack) noexcept;
/// Memory referred to from [low, high) is not leaked, while the stack is run on by nobody.
void keep_alive(const void* low, const void* high) noexcept;
void let_die(const void* low, const void* high) noexcept;
}  // namespace address

namespace thread {
[[nodiscard]] bool is_present() noexcept;
/// The thread runs on `to` from here on.
void change_stack(stack_record& from, stack_record& to) noexcept;
void drop_fiber(stack_record& stack) noexcept;
/// What this fiber did so far comes before what any fiber does after it has called `comes_after`.
void comes_before(void* order) noexcept;
void comes_after(void* order) noexcept;
/// No race is reported about the thread-local variables of the calling thread.
void share_thread_locals() noexcept;
void lock_sharing() noexcept;
void unlock_sharing() noexcept;
/// Between the two, what this thread locks and unlocks is no order.
void ignore_locks() noexcept;
void heed_locks() noexcept;
/// Between the two, no access of this fiber is looked at.
void ignore_memory() noexcept;
void heed_memory() noexcept;
}  // namespace thread

namespace valgrind {
[[nodiscard]] bool is_present() noexcept;
/// From `stack_pointer` on, what lies below `known`, which holds no value, may be written to.
void make_usable(const void* stack_pointer, const void* known) noexcept;
}  // namespace valgrind

}  // namespace sanitizers
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// In the models no sanitizer watches the stacks.
#include "sanitizers/sanitizers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace sanitizers {

bool present = false;
void look() noexcept {}
std::size_t apart() noexcept { return 0; }
void begin_fork() noexcept {}
void end_fork() noexcept {}
void before_at_any_time(void*) noexcept {}
void after_at_any_time(void*) noexcept {}

namespace watched {
void stack_made(stack_record&, const void*, std::size_t) noexcept {}
void stack_unmade(stack_record&) noexcept {}
void stack_emptied(stack_record&) noexcept {}
void leave_strand(stack_record&, stack_record&, const void*, void*) noexcept {}
void enter_strand(stack_record&, const void*, stack_record&, const void*, void*, bool) noexcept {}
void call_scheduler(stack_record&, stack_record&) noexcept {}
void end_scheduler_call(stack_record&, stack_record&) noexcept {}
void before(void*) noexcept {}
void after(void*) noexcept {}
void thread_begins() noexcept {}
void begin_ignoring_sync() noexcept {}
void end_ignoring_sync() noexcept {}
void begin_ignoring_memory() noexcept {}
void end_ignoring_memory() noexcept {}
}  // namespace watched

}  // namespace sanitizers

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// In the models no sanitizer watches the stacks.
#include "checkers/checkers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace checkers {

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
void visit_scheduler(stack_record&, stack_record&) noexcept {}
void end_visit(stack_record&, stack_record&) noexcept {}
void before(void*) noexcept {}
void after(void*) noexcept {}
void thread_begins() noexcept {}
void begin_untold_order() noexcept {}
void end_untold_order() noexcept {}
}  // namespace watched

}  // namespace checkers

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

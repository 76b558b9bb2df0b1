// The models of the scheduler have no reducers and no longjmp.
#include <nopal/detail/pinned.h>

#include "scheduler/copies.hpp"
#include "scheduler/join.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/yield.hpp"
#include "view/task_views.hpp"
#include "view/views.hpp"

extern "C" {
const void* nopal_local() { return nullptr; }
unsigned char nopal_views_used = 0;

void nopal_resume_and_merge(nopal_frame* frame, void* stack_pointer, void*) {
  nopal_resume(frame, stack_pointer, nullptr);
}
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace view {
deposit* take_views(nopal_stack*, const nopal_frame*, void*) noexcept { return nullptr; }
bool has_all_views(nopal_frame*) noexcept { return true; }
void trim_views() noexcept {}
view_set* this_views() noexcept { return nullptr; }
void set_this_views(view_set*) noexcept {}
void lock_views() noexcept {}
void unlock_views() noexcept {}
void forget_task_merges() noexcept {}
}  // namespace view

void set_this_local(const void*) noexcept {}
void resume_yielded(worker*) noexcept {}

// Nor jumps, nor several copies of the library.
bool is_stand_in() noexcept { return false; }
void leave_forks_noted(const worker*, nopal_stack*, std::int32_t) noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

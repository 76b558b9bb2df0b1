// Most models of the scheduler have no pinned calls and no tasks.
#include "scheduler/pinned.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/tasks.hpp"

extern "C" void nopal_call_scheduler(void*) {}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void hide_outer(worker*) noexcept {}
constinit task_list tasks_of_nobody;
void run_oldest_task(worker*, task_list&) noexcept {}
void run_task_of_arenas(worker*) noexcept {}
void run_task_of_call(worker* self, nopal_task*) noexcept { find_work(self); }
bool arenas_have_tasks() noexcept { return false; }
void leave_tasks(task_list&) noexcept {}
void lock_tasks(runtime&) noexcept {}
void unlock_tasks(runtime&) noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

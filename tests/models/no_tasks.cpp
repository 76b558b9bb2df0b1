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
bool tasks_in_sight() noexcept { return false; }
void run_oldest_task(worker*, task_list&) noexcept {}
void run_task_of_arenas(worker*) noexcept {}
std::uint64_t run_task_at_join(worker*, std::uint64_t) noexcept { return 0; }
void run_task_of_call(worker* self, nopal_task*) noexcept { find_work(self); }
bool arenas_have_tasks(bool) noexcept { return false; }
bool has_seat_for_return(const nopal_arena&) noexcept { return true; }
bool has_seat_for_thief(const nopal_arena&) noexcept { return true; }
bool wait_for_room(nopal_arena&, std::uint64_t, std::uint64_t) noexcept { return true; }
bool try_seat_of_call(nopal_arena&) noexcept { return true; }
bool try_seat_of_return(nopal_arena&) noexcept { return true; }
bool try_seat_of_thief(nopal_arena&) noexcept { return true; }
bool give_seat_back(nopal_arena&, std::uint64_t) noexcept { return false; }
extern "C" void nopal_arena_enter(nopal_arena*) {}
void leave_tasks(task_list&) noexcept {}
void lock_tasks(runtime&) noexcept {}
void unlock_tasks(runtime&) noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

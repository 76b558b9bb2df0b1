// scheduler/arenas.cpp, and what models do to its own variables.
#include "scheduler/arenas.cpp"

#include <new>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void explored_forget_arenas() noexcept {
  new (&all_arenas) task_list{};
  first_with_tasks = nullptr;
  arenas_with_tasks.store(0, std::memory_order_relaxed);
  ::explore::name(&arenas_with_tasks, sizeof(int), "arenas with tasks");
  ::explore::name(&all_arenas.is_locked, sizeof(bool), "lock of arenas");
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// What a wait runs in an arena that its thread has to itself.
//
// Who waits for a group, or for a count of oneTBB's, runs tasks of the group. What the count stands for may be in another group:
// a node of one flow graph hands a message on to a node of another one, and its task is one of the first graph's. Elsewhere some
// other thread takes it. Where the arena has one place, nobody else can come while the wait lasts.

#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/tasks.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

nopal_task* take_from_own_place(nopal_arena& arena) noexcept {
  if (arena.limit != 1) {
    return nullptr;
  }
  nopal_task own{};
  note_starter(&own);
  lock_arenas();
  // Past each that others have started: in vain at most once in a nap, as whoever waits here sleeps next.
  nopal_task* task = arena.youngest;
  while (task != nullptr && (task->starter != own.starter || task->starter_number != own.starter_number)) {
    task = task->older;
  }
  if (task != nullptr) {
    take_out_of_arena(task);
  }
  unlock_arenas();
  return task;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

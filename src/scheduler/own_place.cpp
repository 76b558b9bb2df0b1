// What a wait runs that is not of its group: tasks that its own code has started, when it has nothing else to do.
//
// Who waits for a group, or for a count of oneTBB's, runs tasks of the group. What the count stands for may be in another group:
// a node of one flow graph hands a message on to a node of another one, and its task is one of the first graph's, in its arena.
// Some other thread may take it, but there may be none. So tasks of graphs share their starter: what they start in turn counts as
// started by the code that put the first message, and a wait in that code runs them: those in its thread's list, and each in an
// arena that has a seat for its thread. Where the code that waits is such a task itself, it runs what was pushed since it began.
//
// A wait that a call isolates (nopal_isolate) runs of all this what was pushed in that call alone. Tasks have the call's number from
// whoever pushes them, and what they push has theirs.
//
// A wait that runs any task of an arena begins with the youngest that its thread has started, as one of oneTBB's does: an older one
// may wait for what comes after it. So does each wait in an arena of one place, where no other thread can come while it lasts.

#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/tasks.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Which tasks are the caller's own.
class own_code {
public:
  own_code() noexcept {
    note_starter(&as_);
    const worker* const root = root_of_own_task();
    if (root != nullptr && root->shares_starter.load(std::memory_order_relaxed)) {
      first_ = root->first_shared;
      first_in_list_ = root->first_task;
    }
  }

  /// Some task in the arena that it has started, the youngest; null: there is none. Past each that others have started: in vain at
  /// most once in a nap, as whoever waits here sleeps next.
  [[nodiscard]] nopal_task* youngest_in(const nopal_arena& arena) const noexcept {
    nopal_task* task = arena.youngest;
    while (task != nullptr && !(has_started(*task) && task->number >= first_)) {
      task = task->older;
    }
    return task;
  }
  /// The same in its thread's list. Under its lock.
  [[nodiscard]] nopal_task* youngest_in(const task_list& list) const noexcept {
    nopal_task* task = list.youngest;
    while (task != nullptr && !(has_started(*task) && task->number >= first_in_list_)) {
      task = task->older;
    }
    return task;
  }

private:
  /// Where a call isolates the wait, it runs nothing that was pushed elsewhere.
  [[nodiscard]] bool is_in_reach(const nopal_task& task) const noexcept {
    return isolation_of(as_) == 0 || isolation_of(task) == isolation_of(as_);
  }
  [[nodiscard]] bool has_started(const nopal_task& task) const noexcept {
    return shares_starter(task) && is_in_reach(task) && task.starter == as_.starter &&
           task.starter_number == as_.starter_number;
  }

  nopal_task as_{};
  std::uint64_t first_ = 0;  // of what was pushed since its task began
  std::uint64_t first_in_list_ = 0;
};

nopal_task* take_from_list(const own_code& own, task_list& list) noexcept {
  const task_list_guard guard(list);
  nopal_task* const task = own.youngest_in(list);
  if (task != nullptr) {
    remove_task(list, task);
  }
  return task;
}

/// Of another arena than that of the wait.
nopal_task* enter_for(const own_code& own, const nopal_arena* here, bool& entered) noexcept {
  for (nopal_arena* arena = first_arena_with_tasks(); arena != nullptr; arena = arena->next) {
    nopal_task* const task = arena == here ? nullptr : own.youngest_in(*arena);
    if (task == nullptr) {
      continue;
    }
    if (is_seated(this_worker(), arena)) {
      return task;  // by a call outside of this one
    }
    if (try_seat_of_call(*arena)) {
      nopal_arena_refer(arena);
      entered = true;
      return task;
    }
  }
  return nullptr;
}

/// Some task in the arena that the thread with this list has pushed, the youngest of those that were put in the call; 0: of all.
nopal_task* youngest_of_thread(const nopal_arena& arena, const task_list* list,
                               std::uint64_t isolation) noexcept {
  nopal_task* task = list == nullptr ? nullptr : arena.youngest;
  while (task != nullptr && !(task->pusher == list && (isolation == 0 || isolation_of(*task) == isolation))) {
    task = task->older;
  }
  return task;
}

/// The first from `task` on that was put in the call; 0: the first.
nopal_task* in_reach(nopal_task* task, nopal_task* nopal_task::* next, std::uint64_t isolation) noexcept {
  while (task != nullptr && isolation != 0 && isolation_of(*task) != isolation) {
    task = task->*next;
  }
  return task;
}

}  // namespace

nopal_task* take_what_it_started(nopal_arena* here, task_list* list, bool& entered) noexcept {
  const bool is_alone = here != nullptr && here->limit == 1;
  const bool any_shares = any_shared();
  if (!is_alone && !any_shares) {
    return nullptr;
  }
  const own_code own;
  if (any_shares && list != nullptr) {
    if (nopal_task* const task = take_from_list(own, *list)) {
      return task;
    }
  }
  lock_arenas();
  nopal_task* task = is_alone ? youngest_of_thread(*here, list, isolation_of_caller()) : nullptr;
  if (task == nullptr && any_shares && here != nullptr) {
    task = own.youngest_in(*here);
  }
  if (task == nullptr && any_shares) {
    task = enter_for(own, here, entered);
  }
  if (task != nullptr) {
    take_out_of_arena(task);
  }
  unlock_arenas();
  return task;
}

nopal_task* take_any_in(nopal_arena& arena, std::uint64_t isolation) noexcept {
  const task_list* const own = own_task_list();
  lock_arenas();
  nopal_task* task = youngest_of_thread(arena, own, isolation);
  if (task == nullptr) {
    task = in_reach(arena.oldest, &nopal_task::younger, isolation);
  }
  if (task != nullptr) {
    take_out_of_arena(task);
  }
  unlock_arenas();
  return task;
}

nopal_task* take_in_kept_place(nopal_arena* arena, task_list* own) noexcept {
  const bool is_of_pool = this_worker() != nullptr && thread_worker(this_worker())->of_pool;
  const std::uint64_t isolation = isolation_of_caller();
  if (arena != nullptr) {
    return take_any_in(*arena, isolation);
  }
  runtime& all = the_runtime();
  const int used = all.table_used.load(std::memory_order_seq_cst);
  for (int i = -1; i < used; ++i) {
    // Acquire pairs with the release in enter_table: the worker is complete.
    worker* const other = i < 0 ? nullptr : all.table[i].load(std::memory_order_acquire);
    task_list* const list = i < 0 ? own : other == nullptr ? nullptr : &other->tasks;
    // What another thread of the program has started may wait for that one in its turn, which may wait for this one.
    if (list == nullptr || !has_tasks(*list) || (i >= 0 && !is_of_pool && !other->of_pool)) {
      continue;
    }
    const task_list_guard guard(*list);
    nopal_task* const task = i < 0 ? in_reach(list->youngest, &nopal_task::older, isolation)
                                   : in_reach(list->oldest, &nopal_task::younger, isolation);
    if (task != nullptr) {
      remove_task(*list, task);
      return task;
    }
  }
  return nullptr;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// Tasks that begin later (nopal/detail/task.h): each thread's list, and who may take what from it.
#ifndef NOPAL_SCHEDULER_TASKS_HPP
#define NOPAL_SCHEDULER_TASKS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/detail/task.h>
#include <nopal/version.hpp>

#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

struct worker;
struct runtime;

/// The number of the call that isolates whoever pushed the task; see nopal_isolate. And whether it shares its starter.
inline std::uint64_t isolation_of(const nopal_task& task) noexcept { return task.shares >> 1U; }
inline bool shares_starter(const nopal_task& task) noexcept { return (task.shares & 1U) != 0; }

/// What a thread is doing, as far as others that wait need to know: it runs a task of a group that
/// another thread started, or waits for a group. On the thread's stack; read and linked under its
/// list's lock.
struct task_stage {
  task_stage* outer;
  const nopal_task_group* group;
  bool runs;
  std::uint64_t first_number;  ///< of what was pushed since it began
};

struct task_list;

/// The last task of another thread that a thread took; see task_pace.hpp.
struct task_pace {
  const task_list* from = nullptr;  ///< whose it was; null: there was none
  std::uint64_t changes = 0;        ///< of that list then
  std::uint64_t taken_at = 0;       ///< by the system's clock
  std::uint64_t took_ns = 0;
  std::uint64_t pause_ns = 0;  ///< for which the thread left a list alone last; 0: it did not
};

/// The tasks that a thread pushed and nobody took. In the worker that is in the table, not in
/// nested ones.
struct task_list {
  // Written under the lock; read by thieves without it, to see whether a look is worth it.
  std::atomic<std::uint32_t> count{0};
  std::atomic<bool> is_locked{false};
  nopal_task* oldest = nullptr;
  nopal_task* youngest = nullptr;
  // The oldest that is not in the tree of groups, as the younger ones are.
  nopal_task* unsorted = nullptr;
  nopal_task* by_group = nullptr;
  std::uint64_t next_number = 0;
  std::atomic<std::uint64_t> changes{0};  // tasks that its thread has pushed or taken; a hint for others
  // Nested waits of the thread that run tasks found elsewhere; its own alone.
  int calls_of_others = 0;
  task_pace pace;  // its own alone
  std::atomic<task_stage*> innermost{
      nullptr};  // written under the lock; looked at without, to see whether there is one

  void lock() noexcept;
  void unlock() noexcept;
};

/// Whether a worker of the pool would find a task in the list. Sequentially consistent: for a
/// sleeper's last look.
inline bool has_tasks(const task_list& list) noexcept {
  return list.count.load(std::memory_order_seq_cst) != 0;
}

/// Tasks of threads that ended.
extern constinit task_list tasks_of_nobody;

/// Whether a worker of the pool without a strand would find a task, in arenas or outside. Sequentially consistent, as has_tasks.
[[nodiscard]] bool tasks_in_sight() noexcept;

/// For a worker of the pool without a strand, with a spare stack at hand: runs the oldest task of
/// `list` and does not return, but comes to find_work again. Returns if there is none.
void run_oldest_task(worker* self, task_list& list) noexcept;

/// For a worker that calls the scheduler to run this task, with a spare stack at hand: does not
/// return, but comes to find_work again.
[[noreturn]] void run_task_of_call(worker* self, nopal_task* task) noexcept;

/// For a worker that has no strand as its own waits at a join, with a spare stack at hand, before it sleeps. Where its thread keeps its
/// place nobody else may be there for what the join is for to go on: once the thread has been patient, this runs any task there, or a call
/// that was offered, as with oneTBB, and does not return. Returns how long the worker is to sleep at most; 0: without a limit. `last_ns`:
/// what the last call returned, 0 for the first.
std::uint64_t run_task_at_join(worker* self, std::uint64_t last_ns) noexcept;

/// As run_oldest_task, for the tasks of arenas that have room for a worker.
void run_task_of_arenas(worker* self) noexcept;

/// Whether a worker of the pool would find a task in an arena; `where_seats_are_lent`: in one where a seat was lent, see
/// nopal_arena_lend. Sequentially consistent as above.
bool arenas_have_tasks(bool where_seats_are_lent = false) noexcept;
/// Where the runtime was stopped to begin anew with other settings: tasks are no strands, and it is stopped beside them. Nobody may be
/// there to run them but the pool.
void start_for_tasks_left() noexcept;
/// The oldest task of the first arena that has one and room, which the worker has entered and
/// refers to. Null: there is none.
nopal_task* take_from_arenas() noexcept;
/// What a wait runs: tasks of its group, and, where a call isolates it from what others have put there, of these its own.
struct wanted_tasks {
  const nopal_task_group* group;
  std::uint64_t isolation;          ///< that of the call; 0: whatever was pushed
  std::uint64_t isolation_in_turn;  ///< the same of groups that tasks of this one wait for
  /// Of tasks of the group.
  [[nodiscard]] bool operator()(const nopal_task& task) const noexcept {
    return isolation == 0 || isolation_of(task) == isolation;
  }
};

enum class of_tasks : bool { alone, and_what_they_start };
/// The youngest of these in the arena; else, if asked for, one that a task of the group started, over whatever groups.
nopal_task* take_from_arena(nopal_arena& arena, const wanted_tasks& wanted, of_tasks which) noexcept;
/// The same in any arena with room, which the thread has entered and refers to.
nopal_task* enter_for_task(const wanted_tasks& wanted) noexcept;
/// Any task of an arena that the thread is in, of those that were put in the call; 0: of all: the youngest that the
/// caller's thread has started, else the oldest. Null: there is none.
nopal_task* take_any_in(nopal_arena& arena, std::uint64_t isolation) noexcept;
/// For a wait whose thread keeps its place (places_are_kept), in `arena` or, for null, in no arena, and that has nothing of its own
/// to run: any task there, of those that were put in the call that isolates it if one does. Null: there is none for it.
nopal_task* take_in_kept_place(nopal_arena* arena, task_list* own) noexcept;
/// For a wait that has nothing else to do, in `here` or, for null, in no arena: a task that the code which waits has
/// started, see own_place.cpp. Null: there is none. `entered`: the thread has entered the task's arena for it, and refers to it.
nopal_task* take_what_it_started(nopal_arena* here, task_list* list, bool& entered) noexcept;
/// Under the lock of all arenas.
void take_out_of_arena(nopal_task* task) noexcept;
nopal_arena* first_arena_with_tasks() noexcept;
/// Into the arena's list. True if threads that wait for the group have to be told.
bool push_to_arena(nopal_task* task) noexcept;
void lock_arenas() noexcept;
void unlock_arenas() noexcept;

/// Of `threads` of an arena.
inline constexpr std::uint64_t one_worker = std::uint64_t{1} << 32U;
/// Whether a thread that comes back to its own root's strand would get a seat; or a thief.
bool has_seat_for_return(const nopal_arena& arena) noexcept;
bool has_seat_for_thief(const nopal_arena& arena) noexcept;
/// A seat for a call, for a thread that comes back, for a thief. The latter two come after who waits.
bool try_seat_of_call(nopal_arena& arena) noexcept;
inline constexpr std::uint64_t without_end = ~std::uint64_t{0};
/// Waits for a seat, which is `amount` in `threads`, until then at most. False: there was none.
bool wait_for_room(nopal_arena& arena, std::uint64_t amount, std::uint64_t until_ns = without_end) noexcept;
bool try_seat_of_return(nopal_arena& arena) noexcept;
bool try_seat_of_thief(nopal_arena& arena) noexcept;
/// Tells who waits for a seat. True if no thief could have got one before, so sleepers are to be
/// told.
bool give_seat_back(nopal_arena& arena, std::uint64_t amount) noexcept;
/// In a child of fork(2).
void free_all_seats() noexcept;

/// `state` of a group.
inline constexpr std::uint64_t one_waiter = std::uint64_t{1} << 32U;
/// In a child of fork(2): tasks of the group are in its parent. Passes for a thread that waits.
inline constexpr std::uint64_t has_old_tasks = std::uint64_t{1} << 63U;
inline bool has_waiters(std::uint64_t state) noexcept { return state >= one_waiter; }

/// Under the list's lock, as the rest. The task's number is given later.
void append_task(task_list& list, nopal_task* task) noexcept;
void remove_task(task_list& list, nopal_task* task) noexcept;

/// By the list's thread.
inline void note_change(task_list& list) noexcept {
  if (NOPAL_BOUND(true, false)) {
    list.changes.store(list.changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

class task_list_guard {
public:
  explicit task_list_guard(task_list& list) noexcept : list_(list) { list_.lock(); }
  task_list_guard(const task_list_guard&) = delete;
  task_list_guard& operator=(const task_list_guard&) = delete;
  ~task_list_guard() { list_.unlock(); }

private:
  task_list& list_;
};

/// A run is the neighbouring tasks of a list that were pushed at one stage of the thread, or at
/// finished stages inside it. So there are no more runs than stages. In a list of no thread all
/// tasks are one run.
inline bool is_of_stage(const nopal_task* task, const task_stage* stage) noexcept {
  return task != nullptr && (stage == nullptr || task->number >= stage->first_number);
}
inline void append_to_run(const task_list& list, nopal_task* task) noexcept {
  nopal_task* const last = list.youngest;
  if (!is_of_stage(last, list.innermost.load(std::memory_order_relaxed))) {
    task->other_end = task;
    return;
  }
  nopal_task* const oldest = last->other_end;
  last->other_end = nullptr;
  oldest->other_end = task;  // perhaps the last one's again
  task->other_end = oldest;
}
inline void remove_from_run(nopal_task* task) noexcept {
  nopal_task* const other = task->other_end;
  if (other == nullptr || other == task) {
    return;
  }
  nopal_task* const younger = task->younger;
  const bool is_oldest = younger != nullptr && (younger == other || younger->other_end == nullptr);
  nopal_task* const next = is_oldest ? younger : task->older;
  next->other_end = other;
  other->other_end = next;
}

inline void enter_stage(task_list& list, task_stage& stage) noexcept {
  stage.outer = list.innermost.load(std::memory_order_relaxed);
  stage.first_number = list.next_number;
  list.innermost.store(&stage, std::memory_order_relaxed);
}
inline void leave_stage(task_list& list, const task_stage& stage) noexcept {
  list.innermost.store(stage.outer, std::memory_order_relaxed);
  nopal_task* const youngest = list.youngest;
  if (!is_of_stage(youngest, &stage)) {
    return;
  }
  nopal_task* const first = youngest->other_end;
  nopal_task* const last_outside = first->older;
  if (is_of_stage(last_outside, stage.outer)) {
    nopal_task* const oldest = last_outside->other_end;
    last_outside->other_end = nullptr;
    first->other_end = nullptr;
    oldest->other_end = youngest;
    youngest->other_end = oldest;
  }
}

/// The oldest tasks that were pushed at stages of a thread or later, for one stage after the other,
/// the innermost first.
class tasks_since_stage {
public:
  explicit tasks_since_stage(const task_list& list) noexcept : younger_(list.youngest) {}

  /// Null: there is none.
  nopal_task* oldest(const task_stage& stage) noexcept {
    while (is_of_stage(younger_, &stage)) {
      oldest_ = younger_->other_end;
      younger_ = oldest_->older;
    }
    return oldest_;
  }

private:
  nopal_task* younger_;  // the youngest of the next run
  nopal_task* oldest_ = nullptr;
};

/// While it lives, records the stage of this thread. Without a list nobody looks, and it does
/// nothing.
class stage_mark {
public:
  stage_mark(const nopal_task_group* group, bool runs, task_list* list) noexcept
      : list_(list), stage_{nullptr, group, runs, 0} {
    if (list_ != nullptr) {  // unreached: refused-wait
      const task_list_guard guard(*list_);
      enter_stage(*list_, stage_);
    }
  }
  stage_mark(const stage_mark&) = delete;
  stage_mark& operator=(const stage_mark&) = delete;
  ~stage_mark() {
    if (list_ != nullptr) {  // unreached: refused-wait
      const task_list_guard guard(*list_);
      leave_stage(*list_, stage_);
    }
  }

private:
  task_list* const list_;
  task_stage stage_;
};

/// The list of the calling thread; null if it is no worker.
task_list* own_task_list() noexcept;
/// The same of a thread that becomes a worker; null without memory for one.
task_list* list_of_this_thread() noexcept;

namespace view {
enum class views_of : bool;
}

/// Runs a task that was taken from its list. Its exceptions stay in it.
void run_task(nopal_task* task, view::views_of whose) noexcept;
/// Runs a task of another thread, or one that is older than others that are still there. Whoever
/// waits for its group finds in `list`, the caller's, what it starts.
void run_at_stage(nopal_task* task, task_list* list, view::views_of whose) noexcept;

/// Whether half of the stack is left, or as much as a stack of the pool has, for nested calls that
/// may wait too. True on a stack that is neither the thread's nor of the pool.
bool has_room_on_stack() noexcept;

/// Runs the task on a stack of the pool if this one has little room, for code that waits for
/// `group`. False: it did not, for there is room, or no memory.
bool run_for_lack_of_room(nopal_task* task, const nopal_task_group* group) noexcept;

/// Counts what those who wait for the group, or for room in the arena, have to look at. Others may
/// share it.
std::atomic<std::uint32_t>& events_of(const void* group_or_arena) noexcept;

/// How many threads sleep on one of these for a group, as they have no worker to be woken as. Sequentially consistent: they are counted
/// before the system compares the number of events, and who makes an event counts that before it looks for them.
extern std::atomic<int> sleepers_on_events;

/// A thread ends: what it did not begin goes to tasks_of_nobody.
void leave_tasks(task_list& list) noexcept;

/// Around fork(2), by the thread that calls it, with the table as it is.
void lock_tasks(runtime& all) noexcept;
void unlock_tasks(runtime& all) noexcept;

/// In a child of fork(2): the tasks that were there before, in its thread's list, in arenas or left
/// by ended threads. Only waits take them: a task that nobody waits for is the parent's to run.
extern constinit task_list tasks_of_old_process;

/// In a child of fork(2), on the thread of `first`, with the table as it was: keeps the tasks that
/// it has, and marks the groups of those that other threads had.
void leave_old_tasks(runtime& all, worker* first) noexcept;
/// The oldest task of some arena, which has not been entered. Null: there is none.
nopal_task* take_out_of_arenas() noexcept;
/// Ends a child of fork(2) that waits for tasks that other threads of its parent had.
void check_wait_of_old_process(const nopal_task_group* group) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

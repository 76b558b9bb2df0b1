// The wait for a group of tasks.
//
// A thread that waits runs tasks of its group and what these started, and strands of both. If there
// are none for a while, it runs what it has started itself, since its thread may hold what another
// task waits for. Where its stack has little room, it runs them on a stack of the pool. It never
// leaves a task to others for good, since there may be none; but deep in such calls it leaves the
// tasks of other threads to them for a while. Tasks that a taken task starts lie in the taker's
// list behind a mark, or are taken in turn; the stages of threads say where. Groups are compared
// there and never read: they may be gone.

#include <cstddef>
#include <limits>
#include <utility>

#include <nopal/detail/noise.h>
#include <nopal/detail/pinned.h>

#include "scheduler/adoption.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/task_index.hpp"
#include "scheduler/tasks.hpp"
#include "testing/fault_points.hpp"
#include "view/task_views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr int looks_before_sleep = NOPAL_BOUND(64, 1);
constexpr std::uint64_t first_nap_ns = 100'000;
// Without room, a thread this deep in calls that run tasks of others begins another one only after
// a nap of this length. Each takes a stack and a worker, and other threads may be there to run the
// tasks.
constexpr int most_nested_waits = 64;
constexpr std::uint64_t patient_nap_ns = 10'000'000;
constexpr std::uint64_t longest_nap_ns = 1'000'000'000;

/// What this thread started last in a group. Others that wait for the group find what these start.
class own_tasks {
public:
  own_tasks(task_list& list, const nopal_task_group* group) noexcept
      : list_(list), stage_{nullptr, group, true, 0} {}
  own_tasks(const own_tasks&) = delete;
  own_tasks& operator=(const own_tasks&) = delete;
  ~own_tasks() {
    if (is_marked_) {
      const task_list_guard guard(list_);
      leave_stage(list_, stage_);
    }
  }

  /// The youngest, or null.
  nopal_task* take() noexcept {
    if (list_.count.load(std::memory_order_relaxed) == 0) {
      return nullptr;
    }
    const task_list_guard guard(list_);
    nopal_task* const task = list_.youngest;
    if (task == nullptr || task->group != stage_.group) {
      return nullptr;
    }
    remove_task(list_, task);
    if (!is_marked_) {
      enter_stage(list_, stage_);
      is_marked_ = true;
    }
    return task;
  }

private:
  task_list& list_;
  task_stage stage_;
  bool is_marked_ = false;
};

/// The youngest task that the code that waits has started itself, of whatever group.
nopal_task* pop_own(task_list& list) noexcept {
  const std::uint64_t first = this_worker()->first_task;
  const task_list_guard guard(list);
  nopal_task* const task = list.youngest;
  if (task == nullptr || task->number < first) {
    return nullptr;
  }
  remove_task(list, task);
  return task;
}

/// The groups that a search goes through: the one that is waited for, and those that its tasks wait
/// for on other threads.
class search {
public:
  explicit search(const nopal_task_group* group) noexcept : groups_{group} {}

  nopal_task* in_all(runtime& all, nopal_arena* arena, const task_list* own) noexcept {
    for (at_ = 0; at_ != count_; ++at_) {
      nopal_task* const near =
          arena == nullptr ? nullptr : take_from_arena(*arena, groups_[at_], of_tasks::and_what_they_start);
      if (near != nullptr) {
        return near;
      }
      const int used = all.table_used.load(std::memory_order_seq_cst);
      for (int i = 0; i < used; ++i) {
        // Acquire pairs with the release in enter_table: the worker is complete.
        worker* const other = all.table[i].load(std::memory_order_acquire);
        nopal_task* const task = other == nullptr ? nullptr : in(other->tasks, own);
        if (task != nullptr) {
          return task;
        }
      }
      // Last: a thread that ends meanwhile leaves its tasks here.
      if (nopal_task* const task = in(tasks_of_nobody, own)) {
        return task;
      }
      if (nopal_task* const task = in(tasks_of_old_process, own)) {
        return task;
      }
    }
    return nullptr;
  }

private:
  static constexpr std::size_t most_groups = 16;
  // Of all but the first of these. A thread may be at as many as there is memory for.
  static constexpr int most_stages = 256;

  nopal_task* in(task_list& list, const task_list* own) noexcept {
    const bool is_own = &list == own;
    // Relaxed: a stage that begins now is found later.
    if (!has_tasks(list) && (is_own || list.innermost.load(std::memory_order_relaxed) == nullptr)) {
      return nullptr;
    }
    const task_list_guard guard(list);
    nopal_task* task = oldest_of(list, groups_[at_]);
    if (task == nullptr && !is_own) {
      task = of_stages(list);
    }
    if (task != nullptr) {
      remove_task(list, task);
    }
    return task;
  }

  /// The oldest that a task of the group started on this thread. Notes what those tasks wait for.
  nopal_task* of_stages(const task_list& list) noexcept {
    const task_stage* const innermost = list.innermost.load(std::memory_order_relaxed);
    const task_stage* not_noted = innermost;
    tasks_since_stage since(list);
    int left = at_ == 0 ? std::numeric_limits<int>::max() : most_stages;
    for (const task_stage* stage = innermost; stage != nullptr && left != 0; stage = stage->outer, --left) {
      if (!stage->runs || stage->group != groups_[at_]) {
        continue;
      }
      if (nopal_task* const task = since.oldest(*stage)) {
        return task;
      }
      for (; not_noted != stage; not_noted = not_noted->outer) {
        note(not_noted->group);
      }
    }
    return nullptr;
  }

  void note(const nopal_task_group* group) noexcept {
    for (std::size_t i = 0; i != count_; ++i) {
      if (groups_[i] == group) {
        return;
      }
    }
    if (count_ != most_groups) {
      groups_[count_++] = group;
    }
  }

  const nopal_task_group* groups_[most_groups];
  std::size_t count_ = 1;
  std::size_t at_ = 0;
};

/// Has those who finish or start tasks tell this thread, while it lasts.
class waiter {
public:
  explicit waiter(nopal_task_group* group) noexcept : group_(group) {
    // Sequentially consistent: before the looks at lists; see push_to_thread. Whoever finishes the
    // last task sees it too.
    NOPAL_FAULT_OMITS("announced late", __atomic_fetch_add(&group_->state, one_waiter, __ATOMIC_SEQ_CST));
  }
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;
  ~waiter() { __atomic_fetch_sub(&group_->state, one_waiter, __ATOMIC_SEQ_CST); }

private:
  nopal_task_group* const group_;
};

/// The nested worker with which a call looks for strands of its group and sleeps; made where there
/// is memory.
class strand_seeker {
public:
  explicit strand_seeker(const nopal_task_group* group) noexcept
      : begun_((this_worker() != nullptr || adopt_this_thread() != nullptr) &&  // unreached: refused-wait
               nopal_begin_pinned_in(&call_, nullptr) == 0) {                   // unreached: refused-wait
    if (begun_) {                                                               // unreached: refused-wait
      self_ = this_worker();
      // Sequentially consistent: before the announcement that the call sleeps; see wake_waiters_of.
      NOPAL_FAULT_OMITS("wait not told", self_->waits_for.store(group, std::memory_order_seq_cst));
    }
  }
  strand_seeker(const strand_seeker&) = delete;
  strand_seeker& operator=(const strand_seeker&) = delete;
  ~strand_seeker() {
    if (begun_) {  // unreached: refused-wait
      self_->waits_for.store(nullptr, std::memory_order_seq_cst);
      nopal_end_pinned(&call_);
    }
  }

  /// False: there was none in sight.
  // unreached: refused-wait
  bool run_strand(strand_search& search) noexcept { return begun_ && call_scheduler(self_, search); }

  /// On a stack of the pool. False: there is no memory for that.
  // unreached: refused-wait
  bool run_task(nopal_task* task) noexcept { return begun_ && call_scheduler_with(self_, task); }

  void sleep(std::atomic<std::uint32_t>& events, std::uint32_t seen, std::uint64_t ns) noexcept {
    if (begun_) {  // unreached: refused-wait
      // Not at once: while it is patient it may leave tasks to others that it could run.
      nap(self_, events, seen, ns, ns > patient_nap_ns);
    } else {
      os::futex_wait_for(events, seen, ns);  // unreached: refused-wait
    }
  }

private:
  nopal_pinned call_{};
  worker* self_ = nullptr;
  const bool begun_;
};

}  // namespace

bool run_for_lack_of_room(nopal_task* task, const nopal_task_group* group) noexcept {
  return !has_room_on_stack() && strand_seeker(group).run_task(task);  // unreached: refused-wait
}

namespace {

/// Where there is room for it: without memory for a stack of the pool that is here, as nobody else
/// may be there to run it.
void run_found(nopal_task* task, const nopal_task_group* group, task_list* list) noexcept {
  if (!run_for_lack_of_room(task, group)) {
    run_at_stage(task, list, view::views_of::caller);
  }
}

/// The tasks that this thread started last, one after the other.
void run_own(nopal_task_group* group, nopal_arena* arena, task_list* list) noexcept {
  // Where the group is done, nothing of it is in a list, and none is locked to see that.
  while (arena != nullptr && nopal_task_is_done(group) == 0) {
    nopal_task* const task = take_from_arena(*arena, group, of_tasks::alone);
    if (task == nullptr) {
      break;
    }
    run_found(task, group, list);
  }
  if (list == nullptr) {
    return;
  }
  own_tasks own(*list, group);
  while (nopal_task_is_done(group) == 0) {
    nopal_task* const task = own.take();
    if (task == nullptr) {
      break;
    }
    if (!run_for_lack_of_room(task, group)) {
      run_task(task, view::views_of::caller);
    }
  }
}

/// A task of the group that was started in an arena that this thread is not in.
bool run_in_other_arena(nopal_task_group* group) noexcept {
  nopal_task* const task = enter_for_task(group);
  if (task == nullptr) {
    return false;
  }
  nopal_arena* const arena = task->arena;
  if (!run_for_lack_of_room(task, group)) {
    run_task(task, view::views_of::caller);
  }
  nopal_arena_leave(arena);
  nopal_arena_forget(arena);
  return true;
}

/// Tasks that this thread may run while it waits for others. False: there was none.
bool help(const nopal_task_group* group, nopal_arena* arena, task_list* list, bool is_patient) noexcept {
  // unreached: refused-wait
  if (is_patient && list != nullptr && the_runtime().chosen.workers > 1 &&
      list->calls_of_others >= most_nested_waits && !has_room_on_stack()) {
    return false;
  }
  nopal_task* const task = search(group).in_all(the_runtime(), arena, list);
  if (task == nullptr) {
    return false;
  }
  if (list != nullptr) {  // unreached: refused-wait
    ++list->calls_of_others;
  }
  run_found(task, group, list);
  if (list != nullptr) {  // unreached: refused-wait
    --list->calls_of_others;
  }
  return true;
}

/// What is waited for may itself wait for these, and nobody else be there to run them. False: there
/// was none.
bool run_what_it_started(const nopal_task_group* group, task_list* list) noexcept {
  // unreached: refused-wait
  nopal_task* const task = list != nullptr ? pop_own(*list) : nullptr;
  if (task != nullptr) {
    run_found(task, group, list);
  }
  return task != nullptr;
}

/// Waits for tasks that others have, and helps them.
void wait_for_others(nopal_task_group* group, nopal_arena* arena, task_list* list) noexcept {
  std::atomic<std::uint32_t>& events = events_of(group);
  const waiter waiting(group);
  std::uint64_t nap_ns = first_nap_ns;
  bool slept = false;
  strand_search strands{};
  for (int looks = 0; nopal_task_is_done(group) == 0;) {
    // Before the looks: what happens after them ends the sleep. Acquire pairs with wake_waiters.
    const std::uint32_t seen = events.load(std::memory_order_seq_cst);
    NOPAL_DISTURB();
    run_own(group, arena, list);
    if (run_in_other_arena(group) || help(group, arena, list, nap_ns <= patient_nap_ns) ||
        strand_seeker(group).run_strand(strands)) {
      looks = 0;
      nap_ns = first_nap_ns;
      continue;
    }
    if (nopal_task_is_done(group) != 0) {
      break;
    }
    if (++looks < looks_before_sleep) {
      os::yield();
      continue;
    }
    check_wait_of_old_process(group);
    if (run_what_it_started(group, list)) {
      continue;
    }
    NOPAL_DISTURB();
    // Threads report the end of tasks, not those that they start; it looks for them ever less often.
    NOPAL_FAULT_DOES("announced late",
                     if (!slept) __atomic_fetch_add(&group->state, one_waiter, __ATOMIC_SEQ_CST));
    strand_seeker(group).sleep(
        events, NOPAL_FAULT("event read late") ? events.load(std::memory_order_seq_cst) : seen, nap_ns);
    slept = true;
    nap_ns = nap_ns < longest_nap_ns ? 2 * nap_ns : nap_ns;
  }
  if (slept) {
    pass_wake_on(this_worker());
  }
}

}  // namespace

extern "C" NOPAL_EXPORT void* nopal_task_wait(nopal_task_group* group, nopal_arena* arena) {
  task_list* list = own_task_list();
  const set_aside waiting(this_worker(), set_aside::while_it::waits);
  if (arena == nullptr) {
    run_own(group, arena, list);
  }
  if (nopal_task_is_done(group) == 0) {
    // Others look there for what the tasks that it runs start, also before its first own task.
    list = list_of_this_thread();
    // In an arena others find there what this thread's tasks start, so they are to know what it
    // waits for.
    const stage_mark mark(group, false, list);
    run_own(group, arena, list);
    wait_for_others(group, arena, list);
  }
  sanitizers::after(group);
  return view::take_task_views(group);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

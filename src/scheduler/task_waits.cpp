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
#include <utility>

#include <nopal/detail/noise.h>
#include <nopal/detail/pinned.h>

#include "scheduler/adoption.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/task_search.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/wait_patience.hpp"
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
constexpr std::uint64_t longest_nap_ns = 1'000'000'000;
// Of one that keeps its place and looks for tasks of others now and then: nobody tells it of these.
constexpr std::uint64_t longest_nap_in_kept_place_ns = 100'000'000;

/// What ends a wait: no task of the group is left, or what its caller says.
class wait_end {
public:
  wait_end(const nopal_task_group* group, nopal_task_wait_end* other) noexcept
      : group_(group), other_(other),
        isolation_(other == nullptr || other->is_isolated == nullptr ? 0 : isolation_of_caller()) {}
  [[nodiscard]] bool is_reached() const noexcept {
    return other_ == nullptr ? nopal_task_is_done(group_) != 0 : other_->is_reached(other_) != 0;
  }
  /// What the wait is to run now.
  [[nodiscard]] wanted_tasks wanted() const noexcept {
    return {group_, isolation_ != 0 && other_->is_isolated(other_) != 0 ? isolation_ : 0, isolation_};
  }
  /// From here on whoever brings it about tells.
  void be_told() const noexcept {
    if (other_ != nullptr) {
      other_->be_told(other_);
    }
  }

private:
  const nopal_task_group* group_;
  nopal_task_wait_end* other_;
  std::uint64_t
      isolation_;  // of the call that isolates the wait; 0: there is none, or it runs all of its group
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

  void sleep(std::atomic<std::uint32_t>& events, std::uint32_t seen, std::uint64_t ns,
             wait_patience& patient) noexcept {
    if (begun_) {  // unreached: refused-wait
      // Not at once: while it is patient it may leave tasks to others that it could run.
      if (nap(self_, events, seen, ns, patient.ends_before_nap_of(ns))) {
        patient.was_in_vain();
      }
    } else {
      // unreached below: refused-wait
      NOPAL_FAULT_OMITS("sleeper not counted", sleepers_on_events.fetch_add(1, std::memory_order_seq_cst));
      os::futex_wait_for(events, seen, ns);
      sleepers_on_events.fetch_sub(1, std::memory_order_relaxed);
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
void run_own(nopal_task_group* group, nopal_arena* arena, task_list* list, const wait_end& end) noexcept {
  // Where the group is done, nothing of it is in a list, and none is locked to see that.
  while (arena != nullptr && !end.is_reached()) {
    nopal_task* const task = take_from_arena(*arena, end.wanted(), of_tasks::alone);
    if (task == nullptr) {
      break;
    }
    run_found(task, group, list);
  }
  if (list == nullptr) {
    return;
  }
  own_tasks own(*list, group);
  while (!end.is_reached()) {
    nopal_task* const task = own.take(end.wanted());
    if (task == nullptr) {
      break;
    }
    if (!run_for_lack_of_room(task, group)) {
      run_task(task, view::views_of::caller);
    }
  }
}

/// A task of the group that was started in an arena that this thread is not in.
bool run_in_other_arena(const wanted_tasks& wanted) noexcept {
  nopal_task* const task = enter_for_task(wanted);
  if (task == nullptr) {
    return false;
  }
  nopal_arena* const arena = task->arena;
  if (!run_for_lack_of_room(task, wanted.group)) {
    run_task(task, view::views_of::caller);
  }
  nopal_arena_leave(arena);
  nopal_arena_forget(arena);
  return true;
}

/// Tasks that this thread may run while it waits for others. False: there was none.
bool help(const wanted_tasks& wanted, nopal_arena* arena, task_list* list, bool is_patient) noexcept {
  // unreached: refused-wait
  if (is_patient && list != nullptr && the_runtime().chosen.workers > 1 &&
      list->calls_of_others >= most_nested_waits && !has_room_on_stack()) {
    return false;
  }
  nopal_task* const task = task_search(wanted).in_all(the_runtime(), arena, list);
  if (task == nullptr) {
    return false;
  }
  if (list != nullptr) {  // unreached: refused-wait
    ++list->calls_of_others;
  }
  run_found(task, wanted.group, list);
  if (list != nullptr) {  // unreached: refused-wait
    --list->calls_of_others;
  }
  return true;
}

/// What is waited for may itself wait for these, and nobody else be there to run them. False: there
/// was none.
bool run_what_it_started(const nopal_task_group* group, nopal_arena* arena, task_list* list) noexcept {
  // unreached: refused-wait
  nopal_task* task = list != nullptr ? pop_own(*list) : nullptr;
  bool entered = false;
  if (task == nullptr) {
    task = take_what_it_started(arena, list, entered);
  }
  if (task == nullptr) {
    return false;
  }
  nopal_arena* const left = entered ? task->arena : nullptr;
  run_found(task, group, list);
  if (left != nullptr) {
    nopal_arena_leave(left);
    nopal_arena_forget(left);
  }
  return true;
}

/// Where the thread keeps its place nobody else may be there for what the wait is for to go on: any task, as with oneTBB, but where the
/// pool has more threads once it is not patient. False: there was none.
bool run_in_kept_place(const nopal_task_group* group, nopal_arena* arena, task_list* list,
                       std::uint64_t nap_ns, wait_patience& patient) noexcept {
  if (!patient.ends_before_nap_of(nap_ns) && the_runtime().chosen.workers > 1) {
    return false;
  }
  nopal_task* const task = take_in_kept_place(arena, list);
  if (task == nullptr) {
    return false;
  }
  patient.was_in_vain();
  run_found(task, group, list);
  return true;
}

/// Waits for tasks that others have, and helps them.
void wait_for_others(nopal_task_group* group, nopal_arena* arena, task_list* list,
                     const wait_end& end) noexcept {
  std::atomic<std::uint32_t>& events = events_of(group);
  const waiter waiting(group);
  std::uint64_t nap_ns = first_nap_ns;
  bool slept = false;
  wait_patience patient;
  strand_search strands{};
  for (int looks = 0; !end.is_reached();) {
    // Before the looks: what happens after them ends the sleep. Acquire pairs with wake_waiters.
    const std::uint32_t seen = events.load(std::memory_order_seq_cst);
    NOPAL_DISTURB();
    run_own(group, arena, list, end);
    const wanted_tasks wanted = end.wanted();
    if (run_in_other_arena(wanted) || help(wanted, arena, list, nap_ns <= patient_nap_ns) ||
        strand_seeker(group).run_strand(strands)) {
      looks = 0;
      nap_ns = first_nap_ns;
      continue;
    }
    if (end.is_reached()) {
      break;
    }
    if (++looks < looks_before_sleep) {
      os::yield();
      continue;
    }
    check_wait_of_old_process(group);
    const bool is_kept = keeps_place(arena);
    if (run_what_it_started(group, arena, list) ||
        (is_kept && run_in_kept_place(group, arena, list, nap_ns, patient))) {
      continue;
    }
    NOPAL_DISTURB();
    // Threads report the end of tasks, not those that they start; it looks for them ever less often.
    NOPAL_FAULT_DOES("announced late",
                     if (!slept) __atomic_fetch_add(&group->state, one_waiter, __ATOMIC_SEQ_CST));
    strand_seeker(group).sleep(events,
                               NOPAL_FAULT("event read late") ? events.load(std::memory_order_seq_cst) : seen,
                               nap_ns, patient);
    slept = true;
    nap_ns = nap_ns < (is_kept ? longest_nap_in_kept_place_ns : longest_nap_ns) ? 2 * nap_ns : nap_ns;
  }
  if (slept) {
    pass_wake_on(this_worker());
  }
}

}  // namespace

extern "C" NOPAL_EXPORT void* nopal_task_wait_until(nopal_task_group* group, nopal_arena* arena,
                                                    nopal_task_wait_end* until) {
  const wait_end end(group, until);
  task_list* list = own_task_list();
  const set_aside waiting(this_worker(), set_aside::while_it::waits);
  if (arena == nullptr) {
    run_own(group, arena, list, end);
  }
  if (!end.is_reached()) {
    end.be_told();
    // Others look there for what the tasks that it runs start, also before its first own task.
    list = list_of_this_thread();
    // In an arena others find there what this thread's tasks start, so they are to know what it
    // waits for.
    const stage_mark mark(group, false, list);
    run_own(group, arena, list, end);
    wait_for_others(group, arena, list, end);
  }
  sanitizers::after(group);
  return view::take_task_views(group);
}

extern "C" NOPAL_EXPORT void* nopal_task_wait(nopal_task_group* group, nopal_arena* arena) {
  return nopal_task_wait_until(group, arena, nullptr);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// Lists of tasks, and the counts of groups.
//
// A list is under a lock that is held for a few instructions; its count is read without. A pushed
// task is visible before its pusher looks for those to wake, and those announce themselves before
// they look for tasks, so one sees the other.

#include "scheduler/tasks.hpp"

#include <cstddef>

#include <nopal/detail/noise.h>

#include "scheduler/adoption.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/ready.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/task_index.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr int looks_before_yield = NOPAL_BOUND(64, 0);

/// Counts what happens to groups and arenas, for those who wait. Not a member of the group, which
/// may be gone once it is over.
struct alignas(64) event_count {
  std::atomic<std::uint32_t> events{0};
};
constexpr std::size_t place_count = 64;
constinit event_count places[place_count];

std::uint32_t unfinished(std::uint64_t state) noexcept { return static_cast<std::uint32_t>(state); }

void wake_waiters(const nopal_task_group* group) noexcept {
  std::atomic<std::uint32_t>& events = events_of(group);
  // Release pairs with the acquire in wait_for_others: what made the event is visible. Before the
  // look for sleepers: see nap.
  NOPAL_FAULT_OMITS("no event", events.fetch_add(1, std::memory_order_seq_cst));
  NOPAL_DISTURB();
  wake_waiters_of(group);
  // Wakes those that have no worker.
  if (sleepers_on_events.load(std::memory_order_seq_cst) != 0) {
    NOPAL_FAULT_OMITS("words not woken", os::futex_wake(events, 1 << 30));
  }
}

/// The list of a thread that is to have one, in a runtime that runs. Null: there is no memory.
task_list* own_list_to_push() noexcept {
  runtime& all = the_runtime();
  // Acquire pairs with the release at the end of start_runtime.
  if (this_worker() == nullptr) {
    adopt_this_thread();
  } else if (!all.running.load(std::memory_order_acquire) && !start_runtime(all)) {
    return nullptr;
  }
  return own_task_list();
}

void push_to_thread(nopal_task* task, task_list* list) noexcept {
  sanitizers::before(task);
  const nopal_task_group* const group = task->group;
  bool waiters;
  {
    const task_list_guard guard(*list);
    NOPAL_FAULT_DOES("event before the push",
                     if (has_waiters(__atomic_load_n(&group->state, __ATOMIC_SEQ_CST))) wake_waiters(group));
    append_task(*list, task);
    task->number = list->next_number++;
    note_change(*list);
    // Sequentially consistent: before the looks at waiters and sleepers, whose announcements come
    // before their looks at this.
    const std::uint32_t count = list->count.load(std::memory_order_relaxed) + 1;
    NOPAL_FAULT_DOES("count relaxed", list->count.store(count, std::memory_order_relaxed));
    NOPAL_FAULT_OMITS("count relaxed", list->count.exchange(count, std::memory_order_seq_cst));
    // Under the lock nobody can have taken the task, so the group is there.
    waiters = has_waiters(__atomic_load_n(&group->state, __ATOMIC_SEQ_CST));
  }
  NOPAL_DISTURB();
  NOPAL_FAULT_DOES("group read after the push",
                   waiters = has_waiters(__atomic_load_n(&group->state, __ATOMIC_SEQ_CST)));
  if (waiters && !NOPAL_FAULT("event before the push")) {
    wake_waiters(group);
  }
  if (anyone_sleeps()) {
    wake_for_task(this_worker(), task_is::outside);
  }
}

}  // namespace

constinit task_list tasks_of_nobody;

constinit std::atomic<int> sleepers_on_events{0};

bool tasks_in_sight() noexcept {
  runtime& all = the_runtime();
  const int used = all.table_used.load(std::memory_order_seq_cst);
  for (int i = 0; i < used; ++i) {
    // Acquire pairs with the release in enter_table: the worker is complete.
    const worker* const one = all.table[i].load(std::memory_order_acquire);
    if (one != nullptr && has_tasks(one->tasks)) {
      return true;
    }
  }
  // Last: a thread that ends meanwhile leaves its tasks here.
  return has_tasks(tasks_of_nobody) || arenas_have_tasks();
}

void start_for_tasks_left() noexcept {
  if (tasks_in_sight()) {
    start_runtime(the_runtime());  // refused: whoever waits for them runs them
  }
}

std::atomic<std::uint32_t>& events_of(const void* group_or_arena) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(group_or_arena);
  return places[(address >> 5U ^ address >> 12U) % place_count].events;
}

task_list* own_task_list() noexcept {
  worker* const self = this_worker();
  return self == nullptr ? nullptr : &thread_worker(self)->tasks;
}

task_list* list_of_this_thread() noexcept {
  if (this_worker() == nullptr) {
    adopt_this_thread();
  }
  return own_task_list();
}

void append_task(task_list& list, nopal_task* task) noexcept {
  append_to_run(list, task);
  link_task(list, task);
}

void remove_task(task_list& list, nopal_task* task) noexcept {
  remove_from_run(task);
  unlink_task(list, task);
  // A thief that reads the older value looks in vain. Release pairs with has_tasks: who finds none
  // knows where leave_tasks has taken it.
  list.count.store(list.count.load(std::memory_order_relaxed) - 1, std::memory_order_release);
}

void task_list::lock() noexcept {
  // Acquire pairs with the release of unlock().
  while (is_locked.exchange(true, std::memory_order_acquire)) {
    for (int looks = 0; is_locked.load(std::memory_order_relaxed); ++looks) {
      looks < looks_before_yield ? os::cpu_relax() : os::yield();
    }
  }
  NOPAL_PLAIN_READ(*this);
}
void task_list::unlock() noexcept {
  NOPAL_PLAIN_WRITE(*this);
  is_locked.store(false, std::memory_order_release);
}

extern "C" NOPAL_EXPORT void nopal_task_announce(nopal_task_group* group) {
  // Relaxed: whoever announces a task has the group from somebody that keeps it alive, and any wait
  // that must see the task comes later.
  __atomic_fetch_add(&group->state, 1, __ATOMIC_RELAXED);
}

extern "C" NOPAL_EXPORT int nopal_task_push_announced(nopal_task* task) {
  // First: outside of tasks the starter is a number that the thread then has.
  task_list* const list = own_list_to_push();
  if (list == nullptr) {
    return 1;
  }
  note_starter(task);
  task->pusher = list;
  task->float_control = arch::float_control();
  if (shares_starter(*task)) {
    count_shared(task);
  }
  if (task->arena != nullptr) {
    sanitizers::before(task);
    // The task may be gone once others see it.
    const nopal_task_group* const group = task->group;
    if (push_to_arena(task)) {
      wake_waiters(NOPAL_FAULT("task read after the push") ? task->group : group);
    }
  } else {
    push_to_thread(task, list);
  }
  // Sequentially consistent: who has stopped the runtime since then says so, and looks for tasks then, if it is to go on.
  if (!the_runtime().running.load(std::memory_order_seq_cst)) {
    start_runtime(the_runtime());
  }
  return 0;
}

extern "C" NOPAL_EXPORT int nopal_task_push(nopal_task* task) {
  nopal_task_announce(task->group);
  if (nopal_task_push_announced(task) == 0) {
    return 0;
  }
  nopal_task_finish(task->group);
  return 1;
}

extern "C" NOPAL_EXPORT void nopal_task_finish(nopal_task_group* group) {
  NOPAL_DISTURB();
  sanitizers::before(group);  // also where it is no task that ends, but what was announced
  // Release publishes what the task did; acquire: the last one passes on what the others did.
  const std::uint64_t before =
      __atomic_fetch_sub(&group->state, 1, NOPAL_FAULT_ORDER("end relaxed", __ATOMIC_SEQ_CST));
  // From here on the group may be gone.
  if (unfinished(before) == 1 &&
      has_waiters(NOPAL_FAULT("group read after its end") ? __atomic_load_n(&group->state, __ATOMIC_SEQ_CST)
                                                          : before)) {
    wake_waiters(group);
  }
}

extern "C" NOPAL_EXPORT void nopal_task_tell(const nopal_task_group* group) { wake_waiters(group); }

extern "C" NOPAL_EXPORT int nopal_is_running() {
  // Acquire pairs with the release at the end of start_runtime.
  return the_runtime().running.load(std::memory_order_acquire) ? 1 : 0;
}

extern "C" NOPAL_EXPORT int nopal_task_is_done(const nopal_task_group* group) {
  // Acquire pairs with the release in nopal_task_finish.
  if (unfinished(__atomic_load_n(&group->state, __ATOMIC_ACQUIRE)) != 0) {
    return 0;
  }
  sanitizers::after(const_cast<nopal_task_group*>(group));  // who asks need not wait
  return 1;
}

void leave_tasks(task_list& list) noexcept {
  const task_list_guard guard(list);
  if (list.oldest == nullptr) {
    return;
  }
  const task_list_guard nobody(tasks_of_nobody);
  while (nopal_task* const task = list.oldest) {
    NOPAL_FAULT_DOES("gone before there", remove_task(list, task));
    // Counted there before they are gone from here: a look at this list and then at that one finds
    // them in one of the two.
    tasks_of_nobody.count.exchange(tasks_of_nobody.count.load(std::memory_order_relaxed) + 1,
                                   std::memory_order_seq_cst);
    NOPAL_DISTURB();
    NOPAL_FAULT_OMITS("gone before there", remove_task(list, task));
    append_task(tasks_of_nobody, task);
    task->number = tasks_of_nobody.next_number++;
  }
}

constinit task_list tasks_of_old_process;

// Nobody waits for a list's lock with another one held, but for these two and leave_tasks, which
// take them in this order.
void lock_tasks(runtime& all) noexcept {
  for_each_first_worker(all, [](worker* one) { one->tasks.lock(); });
  tasks_of_nobody.lock();
  lock_arenas();
  lock_ready();
  lock_observers();
  stops::lock_followers();  // who has that one takes no other
}

void unlock_tasks(runtime& all) noexcept {
  stops::unlock_followers();
  unlock_observers();
  unlock_ready();
  unlock_arenas();
  tasks_of_nobody.unlock();
  for_each_first_worker(all, [](worker* one) { one->tasks.unlock(); });
}

void leave_old_tasks(runtime& all, worker* first) noexcept {
  const auto mark = [](const nopal_task_group* group) {
    __atomic_fetch_or(&const_cast<nopal_task_group*>(group)->state, has_old_tasks, __ATOMIC_RELAXED);
  };
  // While a list is locked, the groups of its tasks and stages are there.
  for_each_first_worker(all, [first, mark](const worker* one) {
    if (one == first) {
      return;
    }
    for (const nopal_task* task = one->tasks.oldest; task != nullptr; task = task->younger) {
      mark(task->group);
    }
    const task_stage* stage = one->tasks.innermost.load(std::memory_order_relaxed);
    for (; stage != nullptr; stage = stage->outer) {
      mark(stage->group);
    }
  });
  const auto keep = [](nopal_task* task) {
    task_list& kept = tasks_of_old_process;
    append_task(kept, task);
    kept.count.store(kept.count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  };
  for (task_list* const list : {first == nullptr ? nullptr : &first->tasks, &tasks_of_nobody}) {
    while (nopal_task* const task = list == nullptr ? nullptr : list->oldest) {
      remove_task(*list, task);
      keep(task);
    }
  }
  while (nopal_task* const task = take_out_of_arenas()) {
    keep(task);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

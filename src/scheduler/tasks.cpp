// Lists of tasks, and the wait for a group.
//
// A list is under a lock that is held for a few instructions; its count is read without. A pushed task is visible before its
// pusher looks for those to wake, and those announce themselves before they look for tasks, so one sees the other.
//
// Who waits runs nothing but tasks of its group and what these started, and if there is none for a while, what it has started itself:
// its thread may hold what another task waits for.
// Tasks that a taken task started lie in the taker's list behind a mark, or are taken in turn; the stages of threads say
// where. Groups are compared there, and not looked into: they may be gone.

#include "scheduler/tasks.hpp"

#include <cstddef>

#include <nopal/detail/noise.h>
#include <nopal/detail/pinned.h>

#include "scheduler/runtime.hpp"
#include "scheduler/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

namespace {

constexpr int looks_before_sleep = 64;
constexpr std::uint64_t first_nap_ns = 100'000;

/// Where those sleep that wait for groups. Not in the group: it may be gone when it is over.
struct alignas(64) sleeping_place {
  std::atomic<std::uint32_t> events{0};
};
constexpr std::size_t place_count = 64;
constinit sleeping_place places[place_count];

sleeping_place& place_of(const nopal_task_group* group) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(group);
  return places[(address >> 5U ^ address >> 12U) % place_count];
}

std::uint32_t unfinished(std::uint64_t state) noexcept { return static_cast<std::uint32_t>(state); }

class list_guard {
public:
  explicit list_guard(task_list& list) noexcept : list_(list) { list_.lock(); }
  list_guard(const list_guard&) = delete;
  list_guard& operator=(const list_guard&) = delete;
  ~list_guard() { list_.unlock(); }

private:
  task_list& list_;
};

void remove(task_list& list, nopal_task* task) noexcept {
  unlink_task(list, task);
  // Relaxed: a thief that reads the older value looks in vain.
  list.count.store(list.count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

void wake_waiters(const nopal_task_group* group) noexcept {
  std::atomic<std::uint32_t>& events = place_of(group).events;
  // Release pairs with the acquire in sleep_for: what made the event is visible.
  events.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake(events, 1 << 30);
}

/// The list of the calling thread; null if it is no worker.
task_list* own_list() noexcept {
  worker* const self = this_worker();
  return self == nullptr ? nullptr : self->thread_tasks;
}

/// The same for a thread that is to have one, in a runtime that runs. Null: there is no memory.
task_list* own_list_to_push() noexcept {
  runtime& all = the_runtime();
  // Acquire pairs with the release at the end of start_runtime.
  if (this_worker() == nullptr) {
    adopt_this_thread();
  } else if (!all.running.load(std::memory_order_acquire) && !start_runtime(all)) {
    return nullptr;
  }
  return own_list();
}

bool push_to_thread(nopal_task* task) noexcept {
  task_list* const list = own_list_to_push();
  if (list == nullptr) {
    return false;
  }
  checkers::before(task);
  const nopal_task_group* const group = task->group;
  bool waiters;
  {
    const list_guard guard(*list);
    append_task(*list, task);
    task->number = list->next_number++;
    // Sequentially consistent: before the looks at waiters and sleepers, whose announcements come before their looks at this.
    list->count.exchange(list->count.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    // Under the lock nobody can have taken the task, so the group is there.
    waiters = has_waiters(__atomic_load_n(&group->state, __ATOMIC_SEQ_CST));
  }
  NOPAL_DISTURB();
  if (waiters) {
    wake_waiters(group);
  }
  if (anyone_sleeps()) {
    wake_pool_worker(this_worker());
  }
  return true;
}

/// Runs a task that was taken from its list. Its exceptions stay in it.
void run(nopal_task* task) noexcept {
  nopal_task_group* const group = task->group;
  checkers::after(task);
  const std::uint64_t before = arch::float_control();
  nopal_pinned call;
  while (nopal_begin_pinned(&call) != 0) {
    // Without memory there is no way to run it, nor to put it back: as long as others run, some may be freed.
    os::yield();
  }
  arch::set_float_control(task->float_control);
  task->run(task);
  nopal_end_pinned(&call);
  arch::set_float_control(before);
  checkers::before(group);
  nopal_task_finish(group);
}

nopal_task* pop_youngest(task_list& list, const nopal_task_group* group) noexcept {
  if (list.count.load(std::memory_order_relaxed) == 0) {
    return nullptr;
  }
  const list_guard guard(list);
  nopal_task* const task = list.youngest;
  if (task == nullptr || task->group != group) {
    return nullptr;
  }
  remove(list, task);
  return task;
}

/// Whether as much of the stack is left as nested calls may take that could also wait.
[[gnu::noinline]] bool has_room_on_stack() noexcept {
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  worker* const self = this_worker();
  const nopal_stack* const stack = self == nullptr ? nullptr : ground(get(self->deque.strand.stack));
  if (stack != nullptr && !is_root_stack(stack)) {
    return static_cast<std::size_t>(here - stack->low) > stack->size_bytes() / 2;
  }
  static thread_local const char* middle = nullptr;
  if (middle == nullptr) {
    void* low;
    void* high;
    if (!os::native_stack_bounds(low, high)) {
      return false;
    }
    middle =
        static_cast<const char*>(low) + (static_cast<const char*>(high) - static_cast<const char*>(low)) / 2;
  }
  return here > middle;
}

/// The youngest task that the code that waits has started itself, of whatever group.
nopal_task* pop_own(task_list& list) noexcept {
  const std::uint64_t first = this_worker()->first_task;
  const list_guard guard(list);
  nopal_task* const task = list.youngest;
  if (task == nullptr || task->number < first) {
    return nullptr;
  }
  remove(list, task);
  return task;
}

/// Groups that a search goes through: that which is waited for, and those that its tasks wait for on other threads.
class search {
public:
  /// `helps`: with what the group's tasks started, too.
  search(const nopal_task_group* group, bool helps) noexcept : groups_{group}, helps_(helps) {}

  nopal_task* in_all(runtime& all, nopal_arena* arena, const task_list* own) noexcept {
    for (at_ = 0; at_ != count_; ++at_) {
      nopal_task* const near = arena == nullptr ? nullptr : take_from_arena(*arena, groups_[at_]);
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
    }
    return nullptr;
  }

private:
  static constexpr std::size_t most_groups = 16;

  nopal_task* in(task_list& list, const task_list* own) noexcept {
    const bool is_own = &list == own;
    // Relaxed: a stage that begins now is found later.
    if (!has_tasks(list) && (is_own || list.innermost.load(std::memory_order_relaxed) == nullptr)) {
      return nullptr;
    }
    const list_guard guard(list);
    nopal_task* task = list.oldest;
    while (task != nullptr && task->group != groups_[at_]) {
      task = task->younger;
    }
    if (task == nullptr && !is_own && helps_) {
      task = of_stages(list);
    }
    if (task != nullptr) {
      remove(list, task);
    }
    return task;
  }

  /// The oldest that a task of the group started on this thread. Notes what those tasks wait for.
  nopal_task* of_stages(const task_list& list) noexcept {
    const task_stage* const innermost = list.innermost.load(std::memory_order_relaxed);
    for (const task_stage* stage = innermost; stage != nullptr; stage = stage->outer) {
      if (!stage->runs || stage->group != groups_[at_]) {
        continue;
      }
      nopal_task* oldest = nullptr;
      for (nopal_task* task = list.youngest; task != nullptr && task->number >= stage->first_number;
           task = task->older) {
        oldest = task;
      }
      if (oldest != nullptr) {
        return oldest;
      }
      for (const task_stage* inner = innermost; inner != stage; inner = inner->outer) {
        note(inner->group);
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
  const bool helps_;
  std::size_t count_ = 1;
  std::size_t at_ = 0;
};

/// Says what this thread is at, while it lasts. Without a list, nobody looks.
class stage_mark {
public:
  stage_mark(const nopal_task_group* group, bool runs, task_list* list) noexcept
      : list_(list), stage_{nullptr, group, runs, 0} {
    if (list_ != nullptr) {
      const list_guard guard(*list_);
      stage_.outer = list_->innermost.load(std::memory_order_relaxed);
      stage_.first_number = list_->next_number;
      list_->innermost.store(&stage_, std::memory_order_relaxed);
    }
  }
  stage_mark(const stage_mark&) = delete;
  stage_mark& operator=(const stage_mark&) = delete;
  ~stage_mark() {
    if (list_ != nullptr) {
      const list_guard guard(*list_);
      list_->innermost.store(stage_.outer, std::memory_order_relaxed);
    }
  }

private:
  task_list* const list_;
  task_stage stage_;
};

/// The task is another thread's, or was started before others that are there still: who waits for its group finds here what it
/// starts.
void run_at_stage(nopal_task* task, task_list* list) noexcept {
  const stage_mark mark(task->group, true, list);
  run(task);
}

/// Has those who finish or start tasks tell this thread, while it lasts.
class waiter {
public:
  explicit waiter(nopal_task_group* group) noexcept : group_(group) {
    // Sequentially consistent: before the looks at lists; see push_to_thread. Whoever finishes the last task sees it too.
    __atomic_fetch_add(&group_->state, one_waiter, __ATOMIC_SEQ_CST);
  }
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;
  ~waiter() { __atomic_fetch_sub(&group_->state, one_waiter, __ATOMIC_SEQ_CST); }

private:
  nopal_task_group* const group_;
};

/// The tasks that this thread started last, one after the other.
void run_own(nopal_task_group* group, nopal_arena* arena, task_list* list) noexcept {
  while (nopal_task* const task = arena == nullptr ? nullptr : take_from_arena(*arena, group)) {
    run(task);
  }
  while (nopal_task* const task = list == nullptr ? nullptr : pop_youngest(*list, group)) {
    run(task);
  }
}

/// A task of the group that was started in an arena that this thread is not in.
bool run_in_other_arena(nopal_task_group* group) noexcept {
  nopal_task* const task = enter_for_task(group);
  if (task == nullptr) {
    return false;
  }
  nopal_arena* const arena = task->arena;
  run(task);
  nopal_arena_leave(arena);
  nopal_arena_forget(arena);
  return true;
}

/// Waits for tasks that others have, and helps them.
void wait_for_others(nopal_task_group* group, nopal_arena* arena, task_list* list) noexcept {
  runtime& all = the_runtime();
  std::atomic<std::uint32_t>& events = place_of(group).events;
  const waiter waiting(group);
  std::uint64_t nap_ns = first_nap_ns;
  for (int looks = 0; nopal_task_is_done(group) == 0;) {
    // Before the looks: what happens after them ends the sleep. Acquire pairs with wake_waiters.
    const std::uint32_t seen = events.load(std::memory_order_seq_cst);
    NOPAL_DISTURB();
    run_own(group, arena, list);
    if (run_in_other_arena(group)) {
      looks = 0;
      continue;
    }
    if (nopal_task* const task = search(group, has_room_on_stack()).in_all(all, arena, list)) {
      run_at_stage(task, list);
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
    // What is waited for may itself wait for these, and nobody else be there to run them.
    if (nopal_task* const task = list != nullptr && has_room_on_stack() ? pop_own(*list) : nullptr) {
      run_at_stage(task, list);
      continue;
    }
    NOPAL_DISTURB();
    // Those who run the tasks tell of their end, not of tasks that they start; these are looked for less and less often.
    os::futex_wait_for(events, seen, nap_ns);
    nap_ns *= 2;
  }
}

/// On a stack of the pool.
void run_taken(void* task) noexcept { run_at_stage(static_cast<nopal_task*>(task), own_list()); }

/// The same for a worker that entered the task's arena.
void run_taken_in_arena(void* argument) noexcept {
  auto* const task = static_cast<nopal_task*>(argument);
  nopal_arena* const arena = task->arena;
  run_at_stage(task, own_list());
  nopal_arena_leave_worker(arena);
  nopal_arena_forget(arena);
}

/// Goes on with a task on the spare stack.
[[noreturn]] NOPAL_UNINSTRUMENTED void begin_task(worker* self, nopal_task* task,
                                                  void (*call)(void*) noexcept) {
  nopal_stack* const stack = self->spare;
  self->spare = nullptr;
  self->counts.stacks_taken.add();
  char* const top = stack->high - arch::stack_alignment;
  checkers::enter_strand(scheduler_record(self), self->scheduler_stack_pointer, stack->record, top, task,
                         false);
  nopal_call_on_stack(top, call, task);
}

/// At work before the task is gone from its list: see any_strand_active.
void be_at_work(worker* self) noexcept {
  self->spare->base = {};
  run_on(self, self->spare);
}

}  // namespace

constinit task_list tasks_of_nobody;

void task_list::lock() noexcept {
  // Acquire pairs with the release of unlock().
  while (is_locked.exchange(true, std::memory_order_acquire)) {
    for (int looks = 0; is_locked.load(std::memory_order_relaxed); ++looks) {
      looks < looks_before_sleep ? os::cpu_relax() : os::yield();
    }
  }
}
void task_list::unlock() noexcept { is_locked.store(false, std::memory_order_release); }

extern "C" NOPAL_EXPORT void nopal_task_announce(nopal_task_group* group) {
  // Relaxed: whoever announces has the group from somebody that keeps it, and waits that must see this come after.
  __atomic_fetch_add(&group->state, 1, __ATOMIC_RELAXED);
}

extern "C" NOPAL_EXPORT int nopal_task_push_announced(nopal_task* task) {
  task->float_control = arch::float_control();
  if (task->arena != nullptr) {
    if (own_list_to_push() == nullptr) {
      return 1;
    }
    checkers::before(task);
    if (push_to_arena(task)) {
      wake_waiters(task->group);
    }
    return 0;
  }
  return push_to_thread(task) ? 0 : 1;
}

extern "C" NOPAL_EXPORT void nopal_task_call(nopal_task* task) {
  nopal_task_announce(task->group);
  task->float_control = arch::float_control();
  checkers::before(task);
  run_at_stage(task, own_list());
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
  // Release publishes what the task did; acquire: the last one passes on what the others did.
  const std::uint64_t before = __atomic_fetch_sub(&group->state, 1, __ATOMIC_SEQ_CST);
  // From here on the group may be gone.
  if (unfinished(before) == 1 && has_waiters(before)) {
    wake_waiters(group);
  }
}

extern "C" NOPAL_EXPORT int nopal_is_running() {
  // Acquire pairs with the release at the end of start_runtime.
  return the_runtime().running.load(std::memory_order_acquire) ? 1 : 0;
}

extern "C" NOPAL_EXPORT int nopal_task_is_done(const nopal_task_group* group) {
  // Acquire pairs with the release in nopal_task_finish.
  return unfinished(__atomic_load_n(&group->state, __ATOMIC_ACQUIRE)) == 0 ? 1 : 0;
}

extern "C" NOPAL_EXPORT void nopal_task_wait(nopal_task_group* group, nopal_arena* arena) {
  task_list* const list = own_list();
  if (arena == nullptr) {
    run_own(group, arena, list);
  }
  if (nopal_task_is_done(group) == 0) {
    // In an arena others find there what this thread's tasks start, so they are to know what it waits for.
    const stage_mark mark(group, false, list);
    run_own(group, arena, list);
    wait_for_others(group, arena, list);
  }
  checkers::after(group);
}

void run_oldest_task(worker* self, task_list& list) noexcept {
  if (list.count.load(std::memory_order_relaxed) == 0) {
    return;
  }
  nopal_task* task;
  bool more;
  {
    const list_guard guard(list);
    task = list.oldest;
    if (task == nullptr) {
      return;
    }
    be_at_work(self);
    remove(list, task);
    more = list.oldest != nullptr;
  }
  if (more && anyone_sleeps()) {
    wake_pool_worker(self);
  }
  begin_task(self, task, run_taken);
}

void run_task_of_arenas(worker* self) noexcept {
  if (!arenas_have_tasks()) {
    return;
  }
  be_at_work(self);
  if (nopal_task* const task = take_from_arenas()) {
    begin_task(self, task, run_taken_in_arena);
  }
  run_on(self, nullptr);
}

/// nopal_call_on_stack, on the scheduler stack: the task is over.
extern "C" [[noreturn]] NOPAL_UNINSTRUMENTED void nopal_finish_call(void* stack_pointer,
                                                                    worker* self) noexcept {
  nopal_stack* const stack = self->deque.strand.stack;
  checkers::leave_strand(stack->record, scheduler_record(self), stack_pointer, stack);
  checkers::stack_emptied(stack->record);
  run_on(self, nullptr);
  return_stack(self, stack);
  find_work(self);
}

void leave_tasks(task_list& list) noexcept {
  const list_guard guard(list);
  if (list.oldest == nullptr) {
    return;
  }
  const list_guard nobody(tasks_of_nobody);
  while (nopal_task* const task = list.oldest) {
    remove(list, task);
    append_task(tasks_of_nobody, task);
    task->number = tasks_of_nobody.next_number++;
    tasks_of_nobody.count.exchange(tasks_of_nobody.count.load(std::memory_order_relaxed) + 1,
                                   std::memory_order_seq_cst);
  }
}

void lock_tasks(worker* self) noexcept {
  if (self != nullptr) {
    self->thread_tasks->lock();
  }
  tasks_of_nobody.lock();
  lock_arenas();
}

void unlock_tasks(worker* self) noexcept {
  unlock_arenas();
  tasks_of_nobody.unlock();
  if (self != nullptr) {
    self->thread_tasks->unlock();
  }
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

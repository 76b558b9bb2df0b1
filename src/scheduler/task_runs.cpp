// Running tasks: on the stack of a thread that waits, or by a worker of the pool on a stack of its
// own.

#include <exception>

#include <nopal/detail/noise.h>
#include <nopal/detail/pinned.h>

#include "scheduler/ending.hpp"
#include "scheduler/foreign_exceptions.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/pinned.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/task_pace.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/traced.hpp"
#include "scheduler/wait_patience.hpp"
#include "strand/strand.hpp"
#include "view/task_views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// On a stack of the pool.
void run_taken(void* task) noexcept {
  run_at_stage(static_cast<nopal_task*>(task), own_task_list(), view::views_of::task);
}

/// The same for a call of the scheduler. Its task is part of the code that waits: the exceptions of
/// that code are the task's too, and what the task does to them lasts.
void run_taken_by_call(void* task) noexcept {
  worker* const self = this_worker();
  exception_state* const exceptions = self->exceptions;
  if (exceptions != nullptr) {  // unreached: no-c++-state
    *exceptions = self->kept.exceptions;
  }
  run_at_stage(static_cast<nopal_task*>(task), own_task_list(), view::views_of::caller);
  if (exceptions != nullptr) {  // unreached: no-c++-state
    self->kept.exceptions = *exceptions;
  }
}

/// The same for a worker that entered the task's arena.
void run_taken_in_arena(void* argument) noexcept {
  auto* const task = static_cast<nopal_task*>(argument);
  nopal_arena* const arena = task->arena;
  run_at_stage(task, own_task_list(), view::views_of::task);
  nopal_arena_forget(arena);  // its seat is given up when the worker looks for work
}

/// Goes on with a call on the spare stack, which a task of that code is for those who watch.
[[noreturn]] NOPAL_UNINSTRUMENTED void begin_on_spare(worker* self, void (*call)(void*) noexcept,
                                                      void* argument, std::uintptr_t code) {
  hand_watch_on(self);
  replace_blocked();
  look_up_no_more(self);
  nopal_stack* const stack = self->spare;
  self->spare = nullptr;
  self->counts.stacks_taken.add();
  trace::note(self, trace::what::starts_task, code);
  trace::note(self, trace::what::runs);
  char* const top = stack->high - arch::stack_alignment;
  if (profile::is_on()) {
    profile::begin_task(self->profile, profile::after::other);
    await_fork(self);
  }
  sanitizers::enter_strand(scheduler_record(self), self->scheduler_stack_pointer, stack->record, top,
                           argument, false);
  nopal_call_on_stack(top, call, argument);
}

[[noreturn]] NOPAL_UNINSTRUMENTED void begin_task(worker* self, nopal_task* task,
                                                  void (*call)(void*) noexcept) {
  begin_on_spare(self, call, task, reinterpret_cast<std::uintptr_t>(task->run));
}

/// At work before the task is gone from its list: see any_strand_active.
void be_at_work(worker* self) noexcept {
  self->spare->origin = {};
  self->spare->came_home.forget();
  strand::run_on(self, self->spare);
  stops::begin(self, nullptr);
}

/// The worker belongs to none of the roots whose strands it ran before: those do not wait for what
/// a task starts.
void forget_root(worker* self) noexcept { set_if_changed(self->deque.setting.root, nullptr); }

/// Where the task's code keeps no exceptions, the end of its thread comes here.
void call_code_of(nopal_task* task) noexcept {
  try {
    task->run(task);
  } catch (...) {
    if (handles_end_of_thread()) {  // unreached: tasks-throw-nothing
      take_handled_foreign();
    }
    std::terminate();
  }
}

/// All but telling the group.
void call_task(nopal_task* task, view::views_of whose) noexcept {
  nopal_task_group* const group = task->group;
  sanitizers::after(task);
  if (shares_starter(*task)) {
    uncount_shared();
  }
  const std::uint64_t before = arch::float_control();
  nopal_pinned call;
  // Without memory for a pinned call the task is part of the code that waits. Its own pinned calls
  // then fail, and tell the program.
  const bool pinned = begin_pinned(&call, nullptr) == 0;  // what stops who waits stops no task
  // unreached: refused-wait
  worker* const root = !pinned || call.outer == nullptr ? nullptr : this_worker();
  begin_task_root(root, task);
  if (root != nullptr && task->arena != nullptr) {
    begin_task_in(root, task->arena);
  }
  arch::set_float_control(task->float_control);
  {
    const set_aside waiting(root, set_aside::while_it::runs_a_task);
    const view::task_views views(group, whose);
    call_code_of(task);
  }
  end_task_root(root);
  if (pinned) {
    nopal_end_pinned(&call);
  }
  arch::set_float_control(before);
}

}  // namespace

void run_task(nopal_task* task, view::views_of whose) noexcept {
  nopal_task_group* const group = task->group;
  call_task(task, whose);
  nopal_task_finish(group);
}

void run_at_stage(nopal_task* task, task_list* list, view::views_of whose) noexcept {
  nopal_task_group* const group = task->group;
  {
    const stage_mark mark(group, true, list);
    call_task(task, whose);
  }
  if (list != nullptr) {
    note_over(list->pace);
  }
  // It may be gone then, so no stage is of it any more: see leave_old_tasks.
  nopal_task_finish(group);
}

namespace {

void call_announced(nopal_task* task, view::views_of whose) noexcept {
  note_starter(task);
  task->float_control = arch::float_control();
  sanitizers::before(task);
  // Others that wait for the group look there for what it starts, also before the thread's first
  // own task.
  task_list* const list = list_of_this_thread();
  if (whose == view::views_of::task || !run_for_lack_of_room(task, task->group)) {
    run_at_stage(task, list, whose);
  }
}

}  // namespace

extern "C" NOPAL_EXPORT void nopal_task_call(nopal_task* task) {
  nopal_task_announce(task->group);
  call_announced(task, view::views_of::caller);
}

extern "C" NOPAL_EXPORT void nopal_task_call_announced(nopal_task* task) {
  call_announced(task, view::views_of::task);
}

void run_oldest_task(worker* self, task_list& list) noexcept {
  if (list.count.load(std::memory_order_relaxed) == 0) {
    return;
  }
  task_list& own = thread_worker(self)->tasks;
  if (&list != &own) {
    keep_pace(own.pace, list);
    if (list.count.load(std::memory_order_relaxed) == 0) {
      return;
    }
  }
  nopal_task* task;
  bool more;
  {
    const task_list_guard guard(list);
    task = list.oldest;
    if (task == nullptr) {
      return;
    }
    be_at_work(self);
    remove_task(list, task);
    more = list.oldest != nullptr;
  }
  if (&list != &own) {
    note_taken(own.pace, list);
  }
  if (more && anyone_sleeps()) {
    wake_for_task(self, task_is::outside);
  }
  go_on_in(self, nullptr);
  be_present(self, nullptr);
  forget_root(self);
  begin_task(self, task, run_taken);
}

void run_task_of_call(worker* self, nopal_task* task) noexcept {
  be_at_work(self);
  self->spare->caller = self;
  set_this_local(get(self->local));
  begin_task(self, task, run_taken_by_call);
}

namespace {

// Released by who tells, for those who wait.
std::atomic<int (*)(nopal_arena*, int only_asks)> call_offered{nullptr};

constexpr std::uint64_t first_nap_at_join_ns = 1'000'000;
constexpr std::uint64_t longest_nap_at_join_ns = 100'000'000;

/// Of a worker whose own strand waits at a join.
bool is_offered_call(worker* self) noexcept {
  int (*const call)(nopal_arena*, int) = call_offered.load(std::memory_order_acquire);
  return call != nullptr && call(get(self->arena), 1) != 0;
}
void run_offered(void* arena) noexcept {
  call_offered.load(std::memory_order_acquire)(static_cast<nopal_arena*>(arena), 0);
}

}  // namespace

extern "C" NOPAL_EXPORT void nopal_tell_of_offered(int (*call)(nopal_arena*, int only_asks)) {
  int (*none)(nopal_arena*, int) = nullptr;
  call_offered.compare_exchange_strong(none, call, std::memory_order_release);
}

std::uint64_t run_task_at_join(worker* self, std::uint64_t last_ns) noexcept {
  nopal_arena* const arena = get(self->arena);
  if (self->of_pool || !keeps_place(arena)) {
    return 0;
  }
  const std::uint64_t next_ns = last_ns == 0                       ? first_nap_at_join_ns
                                : last_ns < longest_nap_at_join_ns ? 2 * last_ns
                                                                   : last_ns;
  const bool is_hasty = waits_are_hasty();
  if (!is_hasty && next_ns < patient_nap_ns) {
    return next_ns;
  }
  // What it runs is in no call but those around the join.
  set_if_changed(self->deque.setting.root, self);
  set_this_local(get(self->local));
  be_at_work(self);
  nopal_task* const task = take_in_kept_place(arena, own_task_list());
  if (task != nullptr || is_offered_call(self)) {
    be_hasty();
    go_on_in(self, arena);
    if (task != nullptr) {
      begin_task(self, task, run_taken);
    }
    begin_on_spare(self, run_offered, arena, reinterpret_cast<std::uintptr_t>(&run_offered));
  }
  strand::run_on(self, nullptr);
  if (is_hasty) {
    be_less_hasty();
  }
  return next_ns;
}

void run_task_of_arenas(worker* self) noexcept {
  if (!arenas_have_tasks()) {
    return;
  }
  be_at_work(self);
  if (nopal_task* const task = take_from_arenas()) {
    come_back_from_elsewhere(self, task->arena);
    if (get(self->seat) != task->arena) {
      keep_worker_seat(self, task->arena);
    } else if (give_seat_back(*task->arena, one_worker)) {
      // It kept one while it looked. Who found the arena full since the task was taken may find room now.
      tell_of_room_to_sleepers(self, task->arena);
    }
    go_on_in(self, task->arena);
    be_present(self, task->arena);
    forget_root(self);
    begin_task(self, task, run_taken_in_arena);
  }
  strand::run_on(self, nullptr);
}

/// nopal_call_on_stack, on the scheduler stack: the task is over.
extern "C" [[noreturn]] NOPAL_UNINSTRUMENTED void nopal_finish_call(void* stack_pointer,
                                                                    worker* self) noexcept {
  nopal_stack* const stack = self->deque.strand.stack;
  if (profile::is_on()) {
    profile::end_task(self->profile);
  }
  strand::leave(self, strand::reason::ended, stack_pointer, stack);
  check_task_of_old_process(stack);
  stack->caller = nullptr;
  sanitizers::stack_emptied(stack->record);
  strand::run_on(self, nullptr);
  return_stack(self, stack);
  find_work(self);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

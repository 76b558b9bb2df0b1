// Threads of the program become workers at their first fork and stop being ones when they end; what a child of
// fork(2) and the end of the program need. A thread of the program keeps its own stack: strands whose frames lie
// there are resumed there, by that thread alone. Its decisions run on a scheduler stack. See docs/adoption.md.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <nopal/detail/noise.h>
#include <nopal/detail/pinned.h>
#include <nopal/detail/quiet_loops.h>

#include "deque/deque.hpp"
#include "scheduler/adoption.hpp"
#include "scheduler/copies.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/overflow.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/report.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/samples.hpp"
#include "scheduler/scheduler_stack.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/traced.hpp"
#include "scheduler/unloading.hpp"
#include "strand/strand.hpp"
#include "testing/fault_points.hpp"
#include "view/task_views.hpp"
#include "view/views.hpp"

// Of the race detector, where the program is linked with it: such programs are not to come here.
extern "C" [[gnu::weak]] void nopal_check_unchecked_fork();

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

pthread_key_t thread_end_key;

worker* make_adoptable(std::size_t stack_bytes) {
  worker* const self = make_worker();
  if (self == nullptr) {
    return nullptr;
  }
  self->scheduler_bytes = scheduler_stack_bytes(stack_bytes);
  self->scheduler_memory = map_scheduler_stack(self->scheduler_bytes);
  if (self->scheduler_memory == nullptr) {
    self->scheduler_bytes = least_scheduler_stack_bytes;
    self->scheduler_memory = map_scheduler_stack(self->scheduler_bytes);
  }
  if (self->scheduler_memory == nullptr) {
    free_worker(self);
    return nullptr;
  }
  char* const low = static_cast<char*>(self->scheduler_memory) + scheduler_guard_bytes;
  sanitizers::stack_made(self->own_scheduler_record, low, self->scheduler_bytes);
  self->scheduler_stack_pointer = low + self->scheduler_bytes - arch::stack_alignment;
  return self;
}

/// The lowest free index of the table for a thread of the program: 0, then those behind the pool's.
/// Negative if there is none.
int free_index(const runtime& all) {
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    if ((i == 0 || i >= all.chosen.workers) && all.table[i].load(std::memory_order_relaxed) == nullptr) {
      return i;
    }
  }
  const int next = used > all.chosen.workers ? used : all.chosen.workers;
  return next < table_size ? next : -1;  // unreached: full-table
}

worker* adopt_locked(runtime& all) {
  const int index = free_index(all);
  if (index < 0) {                                                               // unreached: full-table
    os::write_stderr("nopal: more than %d threads fork at once\n", table_size);  // unreached: full-table
    return nullptr;                                                              // unreached: full-table
  }
  worker* self = all.idle_workers;
  if (self != nullptr) {
    all.idle_workers = self->next_idle;
  } else if ((self = make_adoptable(all.chosen.stack_bytes)) == nullptr) {
    return nullptr;
  }
  begin_visits(self);
  strand::run_on(self, &self->native);
  self->bottom_at_rest = self->deque.bottom;
  stops::begin(self, this_outside_part());
  set_if_changed(self->deque.setting.root, self);
  set(self->local, nopal_local());
  // unreached: no-c++-state
  set_if_changed(self->deque.setting.uncaught, self->exceptions != nullptr ? self->exceptions->uncaught : 0);
  set_float_control_of(self->deque.setting, arch::float_control());
  self->cpu.store(os::current_cpu(), std::memory_order_relaxed);
  NOPAL_DISTURB();
  enter_table(all, self, index);
  trace::give_ring(self);
  trace::note_life(self, trace::what::begins);
  return self;
}

/// Stops the pool once the process's first thread has ended and no other thread of the program is
/// left: nobody else would end the pool's threads, and a process ends with its last thread. Under
/// `lock`.
void stop_if_last(runtime& all) noexcept {
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    const worker* const other = all.table[i].load(std::memory_order_relaxed);
    if (other != nullptr && !other->of_pool) {
      return;
    }
  }
  // unreached: last-thread
  if (all.running.load(std::memory_order_relaxed) && !is_thread_of_pool() && os::first_thread_ends()) {
    stop_patiently(all);
  }
}

/// Those of the calling thread, which nobody finds any more.
void end_quiet_loops() noexcept {
  // Relaxed: only this thread reads it from here on.
  __atomic_store_n(&nopal_this_quiet_loops()->workers, -1, __ATOMIC_RELAXED);
}

/// At a thread's end, after its own destructors. The thread is no worker afterwards.
void thread_ends(void* argument) {
  auto* const self = static_cast<worker*>(argument);
  if (this_worker() == nullptr) {
    return;  // a thread of the pool that has left it
  }
  runtime& all = the_runtime();
  check_at_rest(self);
  end_presences(self);
  set_this_worker(nullptr);
  stop_watching_for_overflow(self);
  end_visits(self);
  leave_tasks(self->tasks);
  NOPAL_DISTURB();
  const locked guard(all);
  make_idle(all, self);
  end_quiet_loops();  // other destructors may run loops, and nobody may be told of the end after those
  stop_if_last(all);
}

/// What a child of fork(2) neither needs nor can free. Kept reachable for tools that look for
/// leaks.
struct left_behind {
  left_behind* earlier;
  worker* workers;
  char stacks[sizeof(stack_pool)];
};
left_behind* all_left_behind;
// Made before fork(2): a tool's allocator may be locked in the child.
left_behind* next_left_behind;

void before_fork() {
  promote_own();
  pthread_mutex_lock(&the_runtime().lock);
  view::lock_views();
  lock_tasks(the_runtime());
  next_left_behind = sanitizers::present ? new (std::nothrow) left_behind : nullptr;  // unreached: tools
  sanitizers::begin_fork();
}

void after_fork_in_parent() {
  sanitizers::end_fork();
  delete next_left_behind;
  next_left_behind = nullptr;
  unlock_tasks(the_runtime());
  view::unlock_views();
  pthread_mutex_unlock(&the_runtime().lock);
}

// unreached below: tools
void keep_reachable(runtime& all) {
  left_behind* const kept = next_left_behind;
  next_left_behind = nullptr;
  if (kept == nullptr) {
    return;
  }
  kept->earlier = all_left_behind;
  kept->workers = nullptr;
  std::memcpy(kept->stacks, static_cast<const void*>(&all.stacks), sizeof kept->stacks);
  const worker* const self = this_worker() != nullptr ? thread_worker(this_worker()) : nullptr;
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    worker* const other = all.table[i].load(std::memory_order_relaxed);
    if (other != nullptr && other != self) {
      other->next_idle = kept->workers;
      kept->workers = other;
    }
  }
  all_left_behind = kept;
}

/// The child has one thread, whose strand goes on; every other worker and its stacks stay behind
/// unused.
void after_fork_in_child() {
  trace::leave_to_parent();
  sanitizers::end_fork();
  runtime& all = the_runtime();
  unlock_tasks(all);
  view::unlock_views();
  pthread_mutex_unlock(&all.lock);  // this thread took all of them in before_fork
  keep_reachable(all);
  all.in_new_process = true;
  leave_old_process(all, this_worker() != nullptr ? thread_worker(this_worker()) : nullptr);
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    all.table[i].store(nullptr, std::memory_order_relaxed);
  }
  all.table_used.store(0, std::memory_order_relaxed);
  all.sleepers.store(0, std::memory_order_relaxed);
  all.running.store(false, std::memory_order_relaxed);
  new (&all.stacks) stack_pool;
  all.stacks_mapped = false;
  forget_settings(all);
  // The table does not lead to this thread's words yet. Relaxed: there is no other thread.
  std::int32_t& known = nopal_this_quiet_loops()->workers;
  __atomic_store_n(&known, std::min(known, 0), __ATOMIC_RELAXED);
  all.stops.store(0, std::memory_order_relaxed);
  if (is_thread_of_pool()) {
    os::block_as_starter(all.starter_blocks);  // a program that it starts would be deaf
  }
  set_thread_of_pool(false);
  all.waiting_joins.store(0, std::memory_order_relaxed);
  leave_old_substitutes(all);
  forget_exceptions();
  view::forget_task_merges();
  for (worker* const list : {all.idle_workers, all.idle_pool_workers}) {
    for (worker* one = list; one != nullptr; one = one->next_idle) {
      for (worker* each = one; each != nullptr; each = each->nested.load(std::memory_order_relaxed)) {
        each->visitors.store(0, std::memory_order_relaxed);
        set(each->deque.strand.latest_ticket, all.last_old_ticket);
      }
    }
  }
  if (this_worker() == nullptr) {
    return;
  }
  worker* const self = thread_worker(this_worker());
  self->of_pool = false;
  for (worker* each = self; each != nullptr; each = each->nested.load(std::memory_order_relaxed)) {
    each->index = 0;
    each->spare = nullptr;
    each->inbox.store(nullptr, std::memory_order_relaxed);
    each->yielded = nullptr;
    each->visitors.store(0, std::memory_order_relaxed);
    set(each->deque.strand.latest_ticket, all.last_old_ticket);
  }
  begin_to_answer(self);
  enter_table(all, self, 0);
  set_told_of_end(self);
}

/// Before any thread can hold the lock: a child of fork(2) must never inherit it held.
__attribute__((constructor)) void prepare_for_fork() {
  if (!is_stand_in()) {
    os::call_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
  }
}

/// Also at dlclose: nothing of the library may be called afterwards. As late as can be, since what is destroyed
/// with the program or the plug-in may fork; whoever forks later still gets no threads.
__attribute__((destructor(101))) void at_unload() {
  runtime& all = the_runtime();
  if (all.hooks_installed) {
    stop_for_good(all);
    forget_overflow_handler();
    stop_listening();
    pthread_key_delete(thread_end_key);
    all.hooks_installed = false;
  }
  trace::close();
  all.unloaded = true;
  os::call_no_more_at_fork();
}

}  // namespace

void make_idle(runtime& all, worker* self) noexcept {
  trace::note_life(self, trace::what::ends);
  if (self->spare != nullptr) {    // unreached: spare-given-back
    all.stacks.give(self->spare);  // unreached: spare-given-back
    self->spare = nullptr;         // unreached: spare-given-back
  }
  sanitizers::stack_unmade(self->native.record);
  self->native.came_home.forget();
  all.table[self->index].store(nullptr, std::memory_order_release);
  self->regions.quiet_loops.store(nullptr, std::memory_order_relaxed);  // under the lock, as its readers
  deque::poison(self->deque);
  NOPAL_FAULT_DOES("ended worker freed", return free_worker(self));
  self->next_idle = all.idle_workers;
  all.idle_workers = self;
}

void begin_visits(worker* self) noexcept {
  sanitizers::thread_begins();
  begin_to_answer(self);
  self->cpu_of_thread.store(os::this_threads_cpu(), std::memory_order_relaxed);
  exception_state* const exceptions = this_thread_exceptions();
  for (worker* each = self; each != nullptr; each = each->nested.load(std::memory_order_relaxed)) {
    NOPAL_PLAIN_WRITE(each->exceptions);
    each->exceptions = exceptions;
    each->has_thread.store(true, std::memory_order_seq_cst);
  }
}

/// Sequentially consistent on both words: either a visitor sees that the thread is gone, or this
/// sees the visitor.
void end_visits_of(worker* self) noexcept {
  NOPAL_FAULT_OMITS("end not told", self->has_thread.store(false, NOPAL_FAULT("end told by a release")
                                                                      ? std::memory_order_release
                                                                      : std::memory_order_seq_cst));
  while (!NOPAL_FAULT("visitors not awaited") && self->visitors.load(std::memory_order_seq_cst) != 0) {
    os::yield();
  }
}

void end_visits(worker* self) noexcept {
  for (worker* each = self; each != nullptr; each = each->nested.load(std::memory_order_relaxed)) {
    end_visits_of(each);
  }
}

int install_hooks(runtime& all) noexcept {
  if (all.hooks_installed || all.unloaded) {
    return 0;
  }
  const int refused = pthread_key_create(&thread_end_key, thread_ends);
  all.hooks_installed = refused == 0;
  return refused;
}

int set_told_of_end(worker* self) noexcept { return pthread_setspecific(thread_end_key, self); }

worker* adopt_this_thread() noexcept {
  if (nopal_check_unchecked_fork != nullptr) {
    nopal_check_unchecked_fork();
  }
  runtime& all = the_runtime();
  if (!may_be_adopted() || !start_runtime(all)) {
    return nullptr;
  }
  worker* self;
  bool may_leave_traces;
  {
    const locked guard(all);
    self = adopt_locked(all);
    may_leave_traces = !all.unloaded;
  }
  if (self == nullptr) {
    return nullptr;
  }
  set_this_worker(self);
  if (!may_leave_traces) {
    end_quiet_loops();
    return self;  // neither handler nor key may stay behind in the process
  }
  watch_for_overflow(self);
  if (set_told_of_end(self) != 0) {
    thread_ends(self);  // Nobody would tell us of the thread's end later.
    return nullptr;
  }
  return self;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

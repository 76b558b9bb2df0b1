// The process's runtime: the table of workers, the pool of stacks, who sleeps, and starting and stopping it all.
//
// The one instance is never destroyed: code that forks after main has returned finds it in order. A child of fork(2)
// starts over with the same memory. All members that several threads write are atomic or guarded by `lock`.
#ifndef NOPAL_SCHEDULER_RUNTIME_HPP
#define NOPAL_SCHEDULER_RUNTIME_HPP

#include <pthread.h>

#include <atomic>

#include "os/os.hpp"
#include "scheduler/settings.hpp"
#include "scheduler/worker.hpp"
#include "stack/pool.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

/// Most threads that are workers at once: the pool's and the program's.
inline constexpr int table_size = 1 << 15;

struct runtime {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  ///< starting, stopping, adoption, leaving

  // Guarded by `lock`, read without it only by those who know the runtime runs.
  configuration asked;
  settings chosen;
  bool settings_known = false;  ///< `chosen` is complete
  os::topology* topology = nullptr;
  bool hierarchy = false;               ///< some CPUs are nearer to one another than others
  worker* idle_workers = nullptr;       ///< adopted threads' workers without a thread, to be used again
  worker* idle_pool_workers = nullptr;  ///< of the pool's threads that were stopped, to be used again
  bool stacks_mapped = false;           ///< `stacks` was started and not stopped
  worker_counters left_counts;          ///< sums over workers that are gone
  bool hooks_installed = false;         ///< the hook of a thread's end
  /// This is a child of fork(2), where the C library takes stacks of threads that are in its parent for free; strands that have come
  /// from there still refer to their frames.
  bool in_new_process = false;
  bool unloaded = false;  ///< at_unload has run: forks get no threads, and nobody is told of an end

  /// Odd while somebody waits, without the lock, for the pool's threads to end. Written under `lock`; the futex of those who
  /// wait for that.
  std::atomic<std::uint32_t> stops{0};

  // Read by thieves all the time, written rarely.
  alignas(64) std::atomic<bool> running{false};
  std::atomic<bool> stopping{false};  ///< workers of the pool leave when idle
  std::atomic<int> table_used{0};     ///< entries of `table` at or above this are null
  std::atomic<bool> barrier_works{false};
  bool wakes_work = true;  ///< a sleeper can be woken; written before the threads start
  bool spreads_woken =
      false;  ///< each worker can have a CPU of its own, and none is pinned; written as above
  os::signal_bits starter_blocks = 0;  ///< what the thread that started the pool blocked then; as above
  stack_pool stacks;
  /// In a child of fork(2): no ticket of its parent is later. Zero else: no steal has that.
  std::uint64_t last_old_ticket = 0;

  alignas(64) std::atomic<int> sleepers{0};  ///< workers parked or about to
  std::atomic<int> waiting_joins{0};         ///< strands between their arrival at a join and its end
  alignas(64) std::atomic<int> exceptions_kept{
      0};  ///< exceptions of stolen children that no join has taken yet

  std::atomic<worker*> table[table_size];
};

extern constinit runtime the_only_runtime;
inline runtime& the_runtime() noexcept { return the_only_runtime; }

/// Starts the runtime unless it runs. False, with a line on stderr, if it cannot: no memory for stacks.
bool start_runtime(runtime& all) noexcept;

/// Stops the threads of the pool and unmaps the stacks, these only if nobody runs strands. False, and nothing is stopped, if
/// some strand is active; some may begin meanwhile. The caller holds `lock`, which is released while threads end. If
/// another thread stops the runtime already, waits for that, but on a thread of the pool, for whose end that one waits.
bool stop_runtime(runtime& all) noexcept;
/// The same, but looks again for some milliseconds before it is false, unless the caller is in a strand: a thief that finds what it
/// wanted gone was at work while it tried.
bool stop_patiently(runtime& all) noexcept;

/// For somebody who stops the runtime: what follows, up to the end, is done without the lock, and others wait for the end.
void begin_stop(runtime& all) noexcept;
void end_stop(runtime& all) noexcept;
inline bool is_being_stopped(const runtime& all) noexcept {
  return (all.stops.load(std::memory_order_relaxed) & 1) != 0;  // under `lock`
}
/// Waits, without the lock, until whoever stops the runtime is done. May return early.
void await_stop(runtime& all) noexcept;

/// Frees the workers that stop_runtime keeps. Nobody may be inside the library.
void free_idle_pool_workers(runtime& all) noexcept;

/// Completes the settings without starting anything.
const settings& known_settings(runtime& all);

/// True if some thread is inside a strand or may be. Under `lock`.
bool any_strand_active(runtime& all) noexcept;

/// Allocates a worker; null if there is no memory.
worker* make_worker() noexcept;
void free_worker(worker* self) noexcept;

/// On the worker's thread: thieves may look at its exception state from here on, also for those nested in it.
void begin_visits(worker* self) noexcept;
/// At the end of the worker's thread: no visitor looks at its exception state once this returns.
void end_visits(worker* self) noexcept;
/// The same for this one worker and no nested one.
void end_visits_of(worker* self) noexcept;

/// For each worker in the table and those nested in it.
template <class Visit>
void for_each_worker(runtime& all, Visit visit) {
  const int used = all.table_used.load(std::memory_order_seq_cst);
  for (int i = 0; i < used; ++i) {
    // Acquire pairs with the release in enter_table, and with that of whoever made a nested one: the worker is complete.
    worker* one = all.table[i].load(std::memory_order_acquire);
    for (; one != nullptr; one = one->nested.load(std::memory_order_acquire)) {
      visit(one);
    }
  }
}

/// The same for the first workers alone, by one that holds `lock`.
template <class Visit>
void for_each_first_worker(runtime& all, Visit visit) {
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    if (worker* const one = all.table[i].load(std::memory_order_relaxed)) {
      visit(one);
    }
  }
}

/// Puts a worker into the table at `index`.
void enter_table(runtime& all, worker* self, int index) noexcept;

/// Where exceptions are about as a nested worker pushes: its thread's state of exceptions tells thieves nothing of what the workers
/// outside have in their deques, so they are asked nothing until the call is over.
void hide_outer(worker* self) noexcept;

/// Makes the calling thread a worker. Null if that cannot be.
worker* adopt_this_thread() noexcept;

/// Installs the hook of a thread's end, once. Under `lock`. Returns 0 or an errno value.
int install_hooks(runtime& all) noexcept;

/// The calling thread's end is told to its worker from here on. Returns 0 or an errno value.
int set_told_of_end(worker* self) noexcept;

/// A thread that ends by pthread_exit or pthread_cancel passes the fork of `frame`, whose child is left: takes the continuation
/// back, or ends the process where going on would corrupt.
void pass_fork_at_end(nopal_frame* frame) noexcept;

/// Whether the handler that runs now caught no exception but the unwinding of a thread that ends.
bool handles_end_of_thread() noexcept;

/// The calling thread leaves a strand on `stack` for its scheduler, at a join if `waits`. Ends the process if the thread is being
/// ended in the middle of that strand and something else than its own stack would be unwound on it.
void check_end_of_thread(worker* self, const nopal_stack* stack, bool waits) noexcept;

/// At the end of the worker's thread: ends the process if that was inside a scope.
void check_at_rest(const worker* self) noexcept;

/// At the process's end: ends it with a line if `main` has returned on a thread of the pool.
void check_end_of_main() noexcept;

/// The loop of a thread without a strand; on its scheduler stack.
[[noreturn]] void find_work(worker* self) noexcept;

/// The thief has just taken the continuation of `frame`: one child more for its join.
void count_steal(worker* self, nopal_frame* frame) noexcept;

/// In a child of fork(2), with the table as it was: what the strands of this thread have left in the parent. Null: no worker.
void leave_old_process(runtime& all, worker* first) noexcept;

/// Where a pop failed: true if fork(2) kept the continuation of `frame` for its child, which has it back now.
bool take_kept(nopal_frame* frame) noexcept;

/// The thief continues `frame`: notes it if children are in the parent of this process.
void note_old_children(nopal_frame* frame) noexcept;
bool has_old_children(const nopal_frame* frame) noexcept;

// These end a child of fork(2) that comes to what is in its parent alone: at the join of `frame`; at the end of a child on the
// stack of `self`; at the end of a task on a stack.
void check_join_of_old_process(const nopal_frame* frame) noexcept;
void check_child_of_old_process(const worker* self) noexcept;
void check_task_of_old_process(const nopal_stack* stack) noexcept;

/// All children of `frame` are done: resumes its strand on the stack it comes home to, or has that stack's thread do it.
[[noreturn]] void go_home(worker* self, nopal_frame* frame) noexcept;

/// The worker leaves `stack`, where functions wait for strands of theirs that are elsewhere: notes the forks there that are in
/// progress, which are its entries below `end`, all stolen.
void leave_forks_noted(const worker* self, nopal_stack* stack, std::int32_t end) noexcept;

/// Whether the worker's thread, which this is of, handles no exception and has none in flight, and none of its forks was published in
/// such a state. Forks may be published in one step only if so: the owner alone, looking at each, can tell others apart.
bool no_exception_about(void* of_worker) noexcept;

/// Whether `self` may run strands of the root of `root`: a worker of the pool any, a thread's own root's and those of roots
/// below it. Where the answer is to be relied on, an entry of such a strand was in a deque meanwhile. Takes the depth of nesting.
bool may_run(const worker* self, const worker* root) noexcept;

/// The same within a pass, which begins with none known. A later answer is as right as a walk is where an entry that has been there since the
/// pass began is of that root: what it is inside of has stood still.
bool may_run(const worker* self, const worker* root, known_roots& known) noexcept;

/// The same to be relied on: of what is known, only that the task which `root` is at still may be run. Who asked began to wait before.
bool may_take(const worker* self, const worker* root, const known_roots& known) noexcept;

/// Whether the thief `self` can get anything from `victim` now; within a pass.
bool has_work_to_take(worker* self, worker* victim, known_roots& known) noexcept;

/// The same as may_run for a worker that waits for `group`: strands of its tasks, and of tasks that those have started.
bool is_of_wait(const nopal_task_group* group, const worker* root) noexcept;
/// The same for a task that has not begun, and is of another group.
bool was_started_for(const nopal_task_group* group, const nopal_task* task) noexcept;

/// For the root of a task that begins or ends; null where the thread is no worker.
void begin_task_root(worker* root, const nopal_task* task) noexcept;
void end_task_root(worker* root) noexcept;
/// Notes in the task which task's code the caller is.
void note_starter(nopal_task* task) noexcept;

/// A call that waits for a group looks for strands of it, once, at a bounded number of workers, from where the last look ended. It runs what it
/// finds from its nested worker's scheduler stack, whence it comes back as soon as that is over or suspended. The call is pinned with
/// `waits_for` set. False: there was nothing in sight.
bool visit_scheduler(worker* self) noexcept;
/// The same to run this task on a stack of the pool. False: there is no memory for one, and nothing has happened.
bool visit_scheduler_with(worker* self, nopal_task* task) noexcept;
/// On the scheduler stack.
void begin_visit(worker* self) noexcept;
[[noreturn]] void end_visit(worker* self) noexcept;

/// Whether somebody sleeps or is about to. Sequentially consistent: asked after a publication, before or after a sleeper's
/// announcement in one order for both.
inline bool anyone_sleeps() noexcept { return the_runtime().sleepers.load(std::memory_order_seq_cst) != 0; }

/// Wakes one sleeper that may run strands of `root`, if there is one; the publishing side of docs/sleep.md.
void wake_one(worker* self, const worker* root) noexcept;
/// Wakes one sleeper of the pool that runs any strand and any task, if there is one. `self` is null on a thread that is no worker.
void wake_pool_worker(worker* self) noexcept;
void wake_all() noexcept;
void unpark(worker* sleeper) noexcept;

/// Whether the system wakes sleepers at all; where it does not, they look for work from time to time.
bool wakes_work() noexcept;

/// Sleeps until there may be work. On return the worker looks for it.
void park(worker* self) noexcept;

/// Sleeps for `ns` at most, as long as `events` is `seen` and no strand is in sight.
void nap(worker* self, std::atomic<std::uint32_t>& events, std::uint32_t seen, std::uint64_t ns) noexcept;
/// For a thread of the program that slept and goes back to its own code: a push may have woken it alone for what it leaves now.
void pass_wake_on(worker* self) noexcept;
/// Wakes those who wait for the group.
void wake_waiters_of(const nopal_task_group* group) noexcept;

/// Gives `stack` back, which nobody runs on and whose strand does not come back.
void drop_stack(worker* self, nopal_stack* stack) noexcept;

/// Gives the empty `stack` back to this worker's cache or to the pool.
void return_stack(worker* self, nopal_stack* stack) noexcept;
/// There is no memory for a stack: says so once, and waits a little for somebody to return one.
void wait_for_stack(worker* self) noexcept;

/// In a child of fork(2): forgets the exceptions of strands that it does not have.
void forget_exceptions() noexcept;

/// The earliest exception, in serial order, of the finished children of `frame`; null if none threw.
void* take_exception(nopal_frame* frame) noexcept;

/// Reports an overflow of the stacks of `self`'s thread instead of a bare SIGSEGV.
void watch_for_overflow(worker* self) noexcept;
void stop_watching_for_overflow(worker* self) noexcept;
/// Of a worker whose thread is gone.
void free_signal_stack(worker* self) noexcept;
/// Takes the handler off the process, if it is still ours: its code is about to be unloaded.
void forget_overflow_handler() noexcept;

/// Prints what each worker does.
extern "C" NOPAL_EXPORT void nopal_print_workers() noexcept;

/// Prints the table of NOPAL_STATS=1.
void print_statistics() noexcept;

/// What nopal_push_and_publish leaves for nopal_push_slow_path to do.
enum push_rest : int {
  nothing_left = 0,
  all_of_it = 1,
  only_to_wake = 2,
};

/// No thread is cancelled while it holds the lock: what it does there may read files.
class locked {
public:
  explicit locked(runtime& all) noexcept : all_(all) { pthread_mutex_lock(&all_.lock); }
  ~locked() { pthread_mutex_unlock(&all_.lock); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

private:
  const os::not_cancelled until_released_;
  runtime& all_;
};

/// Inside of a `locked`, for as long as this lives.
class unlocked {
public:
  explicit unlocked(runtime& all) noexcept : all_(all) { pthread_mutex_unlock(&all_.lock); }
  ~unlocked() { pthread_mutex_lock(&all_.lock); }
  unlocked(const unlocked&) = delete;
  unlocked& operator=(const unlocked&) = delete;

private:
  runtime& all_;
};

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

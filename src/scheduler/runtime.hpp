// The process's runtime: the table of workers, the pool of stacks, who sleeps, and starting and
// stopping it all.
//
// The one instance is never destroyed: code that forks after main has returned finds it in order. A
// child of fork(2) starts over with the same memory. All members that several threads write are
// atomic or guarded by `lock`.
#ifndef NOPAL_SCHEDULER_RUNTIME_HPP
#define NOPAL_SCHEDULER_RUNTIME_HPP

#include <pthread.h>

#include <atomic>

#include "os/os.hpp"
#include "scheduler/settings.hpp"
#include "scheduler/worker.hpp"
#include "stack/pool.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Most threads that are workers at once: the pool's and the program's.
inline constexpr int table_size = 1 << 15;

/// Whoever stops the runtime asks first: no strand is to begin on the pool once it is sure that there is none. A strand that began then
/// would find nobody to take its forks as it blocks.
enum stop_state : std::uint32_t {
  goes_on,        ///< nobody stops it
  stop_is_asked,  ///< workers of the pool without a strand stand by
  pool_leaves,    ///< they leave
};

struct runtime {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  ///< starting, stopping, adoption, leaving

  // Guarded by `lock`, read without it only by those who know the runtime runs.
  configuration asked;
  /// Of the workers asked for, those beyond the usual number; see workers_outside
  bool keeps_to_arenas = false;
  std::uint64_t times_asked = 0;  ///< changes with these
  settings chosen;
  bool settings_known = false;  ///< `chosen` is complete, and does not change; always while the runtime runs
  /// Below which files describe the machine; tests have others
  const char* machine_files = "";
  /// `chosen.workers` while the settings are known, else 0. Written with the lock; read without, by who asks for
  /// that number alone.
  std::atomic<int> known_workers{0};
  /// The same of those that run what is outside of arenas
  std::atomic<int> known_outside{0};
  os::topology* topology = nullptr;
  bool hierarchy = false;  ///< some CPUs are nearer to one another than others
  /// Adopted threads' workers without a thread, to be used again
  worker* idle_workers = nullptr;
  /// Of the pool's threads that were stopped, to be used again
  worker* idle_pool_workers = nullptr;
  bool stacks_mapped = false;       ///< `stacks` was started and not stopped
  worker_counters left_counts;      ///< sums over workers that are gone
  bool latent_forks_asked = false;  ///< code that has them is loaded
  /// One sleeper of the pool looks up from time to time for threads that may be asked for latent forks
  std::atomic<bool> watched{false};
  /// One sleeper of the pool looks up from time to time for regions that woke nobody
  std::atomic<bool> looked_up_for{false};
  std::atomic<bool> some_wake_late{false};  ///< there was such a region
  std::atomic<bool> come_seldom{false};     ///< one found that nobody looks up any more
  /// Of whoever looks up: how often more at the longest pause
  std::atomic<std::uint32_t> looks_left{0};
  /// How many such regions there had been when one last did
  std::atomic<std::uint64_t> late_wakes_seen{0};
  /// Regions that take less than this are over before a wake-up pays; as measured
  std::atomic<std::uint64_t> ticks_worth_a_wake{200'000};
  /// What a wake-up costs its caller, in ticks; as measured
  std::atomic<std::uint64_t> ticks_of_a_wake{40'000};
  /// From a thief's question until there is an answer, in ticks; as measured
  std::atomic<std::uint64_t> ticks_of_a_question{NOPAL_BOUND(20'000, 0)};
  /// What a forced publication costs the thief, in ticks; as measured
  std::atomic<std::uint64_t> ticks_of_a_force{NOPAL_BOUND(20'000, 0)};
  std::atomic<bool> some_slept{false};  ///< so the times of regions are of interest
  /// Some root's regions have come at a regular rhythm; see rhythm.hpp
  std::atomic<bool> some_rhythm{false};
  std::atomic<bool> beat_kept{false};  ///< some worker's `keeps_beat`
  /// Until when some worker expects a region and pushes wake nobody, in ticks; 0: none does
  std::atomic<std::uint64_t> expects_region{0};
  /// How late a sleeper's timer wakes it, in ticks; as measured
  std::atomic<std::uint64_t> ticks_late{100'000};
  /// Where ticks and time were, some time ago; the keeper's of the beat
  std::atomic<std::uint64_t> began_ticks{0};
  std::atomic<std::uint64_t> began_ns{0};
  /// A walk was cut, so strands that are entered may have latent forks; see ask_again
  std::atomic<bool> walks_were_cut{false};
  bool hooks_installed = false;  ///< the hook of a thread's end
  /// This is a child of fork(2). There the C library takes the stacks of its parent's threads for
  /// free, though strands that came from the parent still refer to frames on them.
  bool in_new_process = false;
  bool unloaded = false;  ///< stop_for_good has run: forks get no threads, and nobody is told of an end
  worker* substitutes = nullptr;          ///< all of them, by `next_substitute`
  worker* resting_substitutes = nullptr;  ///< those that are in no table, by `next_idle`
  int substitute_threads = 0;             ///< how many there are of all

  /// Odd while somebody waits, without the lock, for the pool's threads to end. Written under
  /// `lock`; the futex of those who wait for that.
  std::atomic<std::uint32_t> stops{0};

  // Read by thieves all the time, written rarely.
  alignas(64) std::atomic<bool> running{false};
  /// A stop_state; the futex of the pool's threads that stand by
  std::atomic<std::uint32_t> stopping{goes_on};
  std::atomic<int> table_used{0};  ///< entries of `table` at or above this are null
  std::atomic<bool> barrier_works{false};
  bool wakes_work = true;      ///< a sleeper can be woken; written before the threads start
  bool have_own_cpus = false;  ///< each worker can have one; written as above
  bool spreads_woken = false;  ///< and none is pinned
  /// What the thread that started the pool blocked then; as above
  os::signal_bits starter_blocks = 0;
  stack_pool stacks;
  /// Changes as `stacks` go; where they were, others may be later
  std::atomic<std::uint64_t> times_unmapped{0};
  /// In a child of fork(2): the largest ticket of its parent. Zero else, which no steal has.
  std::uint64_t last_old_ticket = 0;
  /// How many times this process is a child of fork(2) of one with this runtime, and one
  std::uint32_t generation = 1;

  // Written where strands block, read by whoever begins to work; see substitutes.cpp.
  alignas(64) std::atomic<int> blocked{0};  ///< strands in blocking calls
  std::atomic<int> substituting{0};         ///< substitutes that are in the table; written under `lock`
  /// As many as may be there at once: less than chosen if the system has refused one
  std::atomic<int> most_substitutes{0};

  alignas(64) std::atomic<int> sleepers{0};  ///< workers parked or about to
  /// Strands between their arrival at a join and its end
  std::atomic<int> waiting_joins{0};
  alignas(64) std::atomic<int> exceptions_kept{
      0};  ///< exceptions of stolen children that no join has taken yet

  std::atomic<worker*> table[table_size];
};

extern constinit runtime the_only_runtime;
inline runtime& the_runtime() noexcept { return the_only_runtime; }

/// Starts the runtime unless it runs. False, with a line on stderr, if it cannot: no memory for
/// stacks.
bool start_runtime(runtime& all) noexcept;

/// Stops the threads of the pool and unmaps the stacks, these only if nobody runs strands. False,
/// and nothing is stopped, if some strand is active; some may begin meanwhile. The caller holds
/// `lock`, which is released while threads end. If another thread stops the runtime already, waits
/// for that, but on a thread of the pool, for whose end that one waits.
bool stop_runtime(runtime& all) noexcept;
/// The same, but looks again for some milliseconds before it is false, unless the caller is in a
/// strand: a thief that finds what it wanted gone was at work while it tried.
bool stop_patiently(runtime& all) noexcept;

/// Called by whoever stops the runtime: from here to its end the stop works without the lock, and
/// others wait.
void begin_stop(runtime& all) noexcept;
void end_stop(runtime& all) noexcept;
/// By who has asked the pool's threads to stop, without the lock: waits until each stands by, and has them leave. False, and they go
/// on, if a strand is active.
bool settle_stop(runtime& all) noexcept;
/// By a thread of the pool that has no strand, while a stop is asked for: whether it is to leave.
bool stand_by(runtime& all, worker* self) noexcept;
inline bool is_being_stopped(const runtime& all) noexcept {
  return (all.stops.load(std::memory_order_relaxed) & 1) != 0;  // under `lock`
}
/// Waits, without the lock, until whoever stops the runtime is done. May return early.
void await_stop(runtime& all) noexcept;

/// Completes the settings without starting anything.
settings known_settings(runtime& all);
/// Its workers alone; while they are known it takes no lock.
int known_workers(runtime& all);
/// The number of those that run what is outside of arenas; in the same way.
int known_workers_outside(runtime& all);
/// With the lock, as the rest that is guarded by it. No loop goes on alone by their number of workers then.
void forget_settings(runtime& all) noexcept;
/// Has all threads' workers know `known_workers`, for loops. Under `lock`.
void tell_number_of_workers(runtime& all) noexcept;
/// The same under `lock`, which is released while they are read.
const settings& settings_under_lock(runtime& all);

/// True if some thread is inside a strand or may be, or holds the stacks. Under `lock`.
bool any_strand_active(runtime& all) noexcept;

/// For a call of `self` on the stack that this came with, where nothing else may count as active: stacks may be taken from here on, and
/// no stop unmaps them, until they are let go. Starts the runtime if it has been stopped. False, with a line on stderr, if
/// it cannot. The caller does not hold `lock`.
bool hold_stacks(worker* self) noexcept;
void let_stacks_go(worker* self) noexcept;
/// The same for a strand that is about to wait, and the runtime runs until they are let go: one that began while another thread stopped
/// the runtime waits for that and starts it anew, since those that would take what it leaves are gone. False where there is nothing to
/// let go: on a thread of the pool, where the strand is at work and is not stopped; and on a stack of the pool, where it is at work, too.
bool hold_runtime(worker* self) noexcept;

/// Allocates a worker; null if there is no memory.
worker* make_worker() noexcept;
void free_worker(worker* self) noexcept;

/// A worker for a thread of the pool, if possible one that was there before; null without memory.
worker* take_pool_worker(runtime& all) noexcept;
/// Starts its thread, with less stack where the system refuses as much as it should have. Returns 0
/// or an errno value.
int start_pool_thread(const runtime& all, worker* self) noexcept;

/// For each worker in the table and those nested in it.
template <class Visit>
void for_each_worker(runtime& all, Visit visit) {
  const int used = all.table_used.load(std::memory_order_seq_cst);
  for (int i = 0; i < used; ++i) {
    // Acquire pairs with the release in enter_table, and with that of whoever made a nested one:
    // the worker is complete.
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

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// One worker: a thread of the pool, or a thread of the program that forked.
//
// Everything a worker decides, it decides on its scheduler stack; strands run on stacks of the pool
// or, for a thread of the program, on the stack that it came with.
#ifndef NOPAL_SCHEDULER_WORKER_HPP
#define NOPAL_SCHEDULER_WORKER_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

#include <sys/types.h>

#include "arch/arch.hpp"
#include "os/os.hpp"
#include "profile/records.hpp"
#include "scheduler/counters.hpp"
#include "scheduler/presence.hpp"
#include "scheduler/region_times.hpp"
#include "scheduler/restraint.hpp"
#include "scheduler/stop_path.hpp"
#include "scheduler/tasks.hpp"
#include "stack/stack.hpp"
#include "strand/state.hpp"
#include "trace/format.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// What a thief knows of a thread's latent forks; see questions.cpp.
enum asking_state : std::uint32_t {
  not_asked = 0,
  asked = 1,           ///< a signal is on its way
  nothing_latent = 2,  ///< the thread had none then, and has not forked since
};

/// Whether a worker sleeps. Only the worker itself parks; whoever ends that wakes it.
enum park_state : std::uint32_t {
  awake = 0,
  parked = 1,
  /// a waker chooses where the worker wakes; the worker stays in `park` until it is `awake`
  waking = 2,
  resting = 3,  ///< a substitute that is not needed, and in no table; see substitutes.cpp
};

/// How the seat of a call in an arena that keeps seats was taken. In a field of one byte: Clang has no
/// atomic accesses to enumerations.
namespace seat_at_home {
enum : std::uint8_t {
  none,     ///< the call took none: the thread had one, or the arena keeps none
  entered,  ///< by nopal_begin_in_arena, so its end gives it back
  lent,     ///< before, by whoever makes the call
};
}  // namespace seat_at_home

struct yielded_strand;
struct worker;

/// The answers of may_run within one pass over workers: for the last root that is a task's, and for
/// the last other one. A pass takes each thread's outer workers first, and roots are nested as
/// workers are, so the next walk outwards soon meets one of the two. A pass takes no more than the
/// depth of nesting in all.
struct known_roots {
  const worker* roots[2];
  bool may_run[2];
  std::uint64_t numbers[2];  ///< `task_number` of these meanwhile
};

/// How far a waiting call has come in its looks for strands, each of which visits a few workers. It
/// lies in that call: the known answers are for its group alone, and other calls use the same
/// worker.
struct strand_search {
  worker* next;  ///< to be looked at; null: the first of the next place
  int index;     ///< of that worker's thread in the table
  known_roots known;
};

struct alignas(1024) worker {
  // The deque is known to the inlined fast path, the two pointers behind them to the assembly.
  nopal_deque deque;
  void* scheduler_stack_pointer;  ///< where the scheduler starts anew at each entry
  void* exit_stack_pointer;       ///< where the scheduler returns to; threads of the pool only
  worker* outer;         ///< the worker that this one interrupts; null for a thread's first; set once
  worker* first = this;  ///< of the thread; set once

  // On one page with the deque: a short loop after some milliseconds of quiet needs no other, and each takes half a microsecond.
  alignas(64) region_times regions;  ///< this worker's own, but for what is said there

  alignas(64) std::atomic<int> cpu;  ///< last seen on; read by thieves on machines with a hierarchy

  // For calls that stay on their thread (pinned.cpp). An outer worker is paused while a nested one is at work.
  /// For calls inside this worker's; null until one was made, then for good
  std::atomic<worker*> nested;
  /// nopal_local() of this root's strands; as the fields of `deque.strand`
  const void* local;
  const char* pinned_at;  ///< a nested worker's call lies below this address of its stack
  /// Of a nested worker: its own frames lie below this address, those of the worker outside above it
  const char* pinned_by;
  nopal_stack* below;  ///< of a nested worker while its call lasts: the stack that its own stands for
  /// Thieves may not look at the exceptions of the workers outside of this one
  bool hides_outer;

  // Of a nested worker whose call is a task; see may_run. Written by its thread, read by any.
  std::atomic<const nopal_task_group*> task_group;  ///< null: the call is no task
  std::atomic<const worker*> starter;               ///< the task whose code pushed it; null: none
  std::atomic<std::uint64_t> starter_number;        ///< `task_number` of that one meanwhile
  std::atomic<std::uint64_t> task_number;           ///< changes as a task begins and as it ends
  /// What its task starts counts as started by `starter`; and the least number of such tasks that were pushed since it began
  std::atomic<bool> shares_starter;
  std::uint64_t first_shared;
  /// What the code handles that waits where the task runs; null: nothing. The task may be part of something else. As
  /// the fields of `deque.strand`
  const void* handled_outside;
  /// The group that the call waits for, while it looks for strands or sleeps.
  std::atomic<const nopal_task_group*> waits_for;
  /// It sleeps where it runs no tasks, and keeps its place in the pool until it is told of one: see place_of_sleeper.
  std::atomic<bool> keeps_place;
  std::atomic<bool> holds_stacks;  ///< counts as active: see hold_stacks
  /// That the call takes to the scheduler; null: it looks for strands there
  nopal_task* task_of_call;
  worker* victim_of_call;  ///< where it looks; null: at the ready strands
  strand_search* search;   ///< the wait's, in a call without a task
  strand::state kept;      ///< of the code that waits, while it calls the scheduler

  // Seats in arenas (seats.cpp). A root's arena is written by its thread and read by any; the others
  // are this thread's, as hints read by any.
  nopal_arena* arena;         ///< of this root's strands; null: none
  nopal_arena* seat;          ///< where this worker has a seat for its thread; null: nowhere
  std::uint64_t seat_amount;  ///< what that is in `threads`
  std::uint64_t home_amount;  ///< of `home`, likewise; 0: it is not counted there
  std::uint8_t home;  ///< a seat_at_home of a nested worker: its call's seat, in an arena that keeps seats
  bool counts_call;   ///< its call is one of `calls` of its arena
  /// Of a nested worker: its call has begun, and is not over. Written by its thread, a hint for others
  bool is_called;
  /// Of a nested worker: no worker between the two has a seat of either kind
  mutable worker* next_seated;
  bool is_suspended;  ///< of a thread's first worker: see nopal_arena_lend; as is_called
  nopal_arena* left;  ///< of a thread's first worker: where it made room of which no sleeper has been told
  presence called;    ///< of this worker's call, of a thread's first worker outside of arenas
  presence away;      ///< of what its scheduler runs elsewhere; see observers.hpp

  // Written by other workers.
  /// a park_state; the futex that the worker sleeps on
  alignas(64) std::atomic<std::uint32_t> park;
  /// A frame of this thread's own stack whose children are all done
  std::atomic<nopal_frame*> inbox;
  std::atomic<int> visitors;  ///< thieves that look at `exceptions`; the thread's end waits for them
  /// `exceptions` may be looked at by visitors; written by this worker
  std::atomic<bool> has_thread;
  std::atomic<bool> stands_by;  ///< of the pool: begins no strand while a stop is asked for; see stand_by
  /// Of a thread's first worker: strands that it left to wait where it runs no tasks; see place_of_sleeper
  std::atomic<int> left_waiting;

  alignas(64) task_list tasks;  ///< that the thread pushed; not of nested workers
  /// Of a root, see isolation_of_caller; of a thread's own one that of its call. Written by its thread without strands, read by these
  std::uint64_t isolation;
  /// Number in that list of the first task that the call of this worker can have pushed
  std::uint64_t first_task;

  // The waker's while `park` is `waking`, this worker's else.
  os::cpu_bits allowed_cpus;  ///< where the thread may run once it is not kept off a CPU any more
  bool is_kept_off_cpu;       ///< while it sleeps, or is woken
  int kept_off_cpu;           ///< that one
  int wakers_cpu = -1;        ///< where its last waker ran; -1: not known

  /// An asking_state; see questions.cpp. A thief writes it to ask, this thread's handler to answer.
  std::atomic<std::uint32_t> asking;
  std::atomic<std::uint32_t> fruitless;      ///< answers in a row that brought nothing
  std::atomic<std::uint64_t> asked_at;       ///< when a thief last asked, in ticks
  std::atomic<std::uint64_t> not_asked_for;  ///< nobody asks before this moment, in ns
  std::atomic<pid_t> asked_thread;           ///< the system's number of the thread; 0: it cannot be asked
  /// No answer came while this thread waited for it: it blocks the signal, or another handler is there. Its
  /// own, and its handler's
  std::atomic<bool> is_deaf;

  // This worker's own.
  /// of the thread; null if the program has no C++ runtime
  alignas(64) exception_state* exceptions;
  /// An empty stack kept for the next steal; counts as returned
  nopal_stack* spare;
  nopal_frame* ready;           ///< a frame to resume once the child that ended here has been counted
  yielded_strand* yielded;      ///< strands that yielded here, the first first
  std::int32_t first_entry;     ///< of the deque, since the worker came to the stack that it runs on
  std::uint64_t random;         ///< state of the victim choice; never zero
  std::uint32_t waits_in_vain;  ///< of forks for thieves, in a row
  std::uint64_t patience_ns;    ///< how long a fork waits for a thief, at most; see awaited_thieves.cpp
  std::uint32_t searches;       ///< for work
  std::uint32_t takes;          ///< of ready strands
  std::uint32_t rounds;         ///< of looks for work; see victims.hpp
  std::uint32_t most_rank;      ///< the lowest of arenas that the next look is for
  int index;                    ///< in the table; a nested worker is not there, and has its thread's
  bool of_pool;                 ///< a thread of the pool, not of the program
  bool is_substitute;           ///< such a thread beyond the workers' number; see substitutes.cpp
  /// Forks older than some in the deque are latent: the walk that preceded those was cut short
  bool buries_latent;
  /// The same since some could not be promoted yet, or had no room
  bool left_latent;
  /// No fork of the strand is latent: its deque ran empty, and the limit has been poisoned since. All
  /// older forks had been promoted when the last entry was pushed; see invariant 6 in
  /// docs/latent-forks.md. Of this thread and its handlers, like the two before
  bool none_latent;
  bool is_ready_to_answer;  ///< of a thread's first worker; see get_ready_to_answer
  bool promotes;            ///< of a thread's first worker: a walk is under way, and a handler does none
  bool watches;             ///< for threads that may be asked; see hand_watch_on
  bool looks_up;            ///< while it sleeps, for regions that woke nobody; see sleep.cpp
  bool keeps_beat;          ///< it is the one to expect the next region; see rhythm.hpp
  bool expects;             ///< it does so now
  bool alternate_stack;     ///< this worker's signal stack is in force on its thread
  nopal_stack native;       ///< the stack the thread came with
  /// The bounds of that one, of a thread's first worker; null: not known
  const char* native_low;
  const char* native_high;
  /// What the strand goes on with, while a slow push of it is under way; on the scheduler stack
  const arch::registers* stopped_at;
  /// Of the scheduler stack, for the tools that watch the program
  sanitizers::stack_record own_scheduler_record;
  void* scheduler_memory;  ///< mapping of an adopted thread's scheduler stack, its guard first
  /// Of the scheduler stack; set before the thread is a worker, of its first one alone
  std::size_t scheduler_bytes;
  /// For the overflow handler, with a guard page below; null before it is needed
  void* signal_stack;
  /// Of the deque, when the thread last came back to its own stack: its forks came later
  std::int32_t bottom_at_rest;
  /// The thread was ending when it left its own stack: its strands are of its last destructors
  bool ends_already;
  worker* next_idle;        ///< in the list of workers without a thread, or of substitutes that rest
  worker* next_substitute;  ///< in the list of all; under the runtime's lock
  std::uint64_t woken_at;   ///< when its last waker began to wake it, in ticks; written by that one
  /// When it is to expect a region, and until when, in ticks
  std::uint64_t wakes_at;
  std::uint64_t expects_until;
  std::uint64_t expects_for;  ///< at most, in ticks
  restraint shy;              ///< of a thief, after steals of no use
  trace::ring* traced;  ///< of a thread's first worker: what it does, if that is recorded; kept for good
  /// Its next fork that comes to a slow push is noted for the trace. Relaxed everywhere: it orders nothing.
  std::atomic<bool> notes_fork{false};
  os::thread_handle thread;
  int thread_id;              ///< the system's; written by the thread before it parks
  int starter_cpu;            ///< where the thread was started from; written before
  std::uint64_t stays_until;  ///< when it may leave the CPU of a victim again, in ns
  /// os::this_threads_cpu() of the thread; read by thieves while it runs a strand that they take from
  std::atomic<const std::uint32_t*> cpu_of_thread;
  worker_counters counts;
  stop_path stops;                     ///< of the strand, and of one that stands still meanwhile
  profile::strand_state profile;       ///< what the profiler knows of the strand
  profile::strand_state kept_profile;  ///< as `kept`
};

/// A field of nopal_strand or nopal_strand_setting: relaxed, as their comments say.
template <class T>
[[nodiscard]] inline T get(const T& field) noexcept {
  return __atomic_load_n(&field, __ATOMIC_RELAXED);
}
template <class T>
inline void set(T& field, std::type_identity_t<T> value) noexcept {
  __atomic_store_n(&field, value, __ATOMIC_RELAXED);
}

/// For nopal_strand_setting, whose line thieves share.
template <class T>
inline void set_if_changed(T& field, std::type_identity_t<T> value) noexcept {
  if (get(field) != value) {
    set(field, value);
  }
}

/// SSE and x87 control words in one, as the arch layer has them.
[[nodiscard]] inline std::uint64_t float_control_of(const nopal_strand_setting& setting) noexcept {
  return get(setting.float_control) | static_cast<std::uint64_t>(get(setting.x87_control)) << 32;
}
inline void set_float_control_of(nopal_strand_setting& setting, std::uint64_t control) noexcept {
  set_if_changed(setting.float_control, static_cast<std::uint32_t>(control));
  set_if_changed(setting.x87_control, static_cast<std::uint32_t>(control >> 32));
}

/// The root of the strand that `one` runs or, in its scheduler, ran last. A worker of the pool has
/// none at first.
[[nodiscard]] inline const worker* root_of(const worker& one) noexcept {
  return static_cast<const worker*>(get(one.deque.setting.root));
}

/// The thread's first worker.
[[nodiscard]] inline worker* thread_worker(const worker* self) noexcept { return self->first; }

/// The stack of the pool or of a thread that `stack` stands for. The stack of a nested worker
/// stands for the one that the worker outside runs on. Constant time: calls may be nested deep.
template <class Stack>
[[nodiscard]] inline Stack* ground(Stack* stack) noexcept {
  const worker* const owner = stack->native_owner;
  return owner != nullptr && owner->outer != nullptr ? owner->below : stack;
}

/// Whether `stack` is that of a root, whose strands are resumed there by its worker alone.
[[nodiscard]] inline bool is_root_stack(const nopal_stack* stack) noexcept {
  return stack->native_owner != nullptr;
}

/// The scheduler stack of an adopted thread, and the whole stack of a thread of the pool, have a
/// strand's size within these bounds. The scheduler needs little, but signal handlers run there
/// while the thread waits. More than a thread of the program commonly has would be refused: the C
/// library's mappings count as memory in use.
inline constexpr std::size_t least_scheduler_stack_bytes = std::size_t{256} << 10;
inline constexpr std::size_t most_scheduler_stack_bytes = std::size_t{8} << 20;
inline constexpr std::size_t scheduler_guard_bytes = std::size_t{64} << 10;

[[nodiscard]] inline std::size_t scheduler_stack_bytes(std::size_t stack_bytes) noexcept {
  const std::size_t least =
      stack_bytes > least_scheduler_stack_bytes ? stack_bytes : least_scheduler_stack_bytes;
  return least < most_scheduler_stack_bytes ? least : most_scheduler_stack_bytes;
}

/// Whether the thread's whole stack is a scheduler stack: the pool made the thread.
[[nodiscard]] inline bool is_schedulers_thread(worker* self) noexcept {
  return thread_worker(self)->scheduler_memory == nullptr;
}

/// Whether `address` is of the stack that `self` decides on, or may be: below the scheduler's own
/// frames.
[[nodiscard]] inline bool lies_on_scheduler_stack(worker* self, const void* address) noexcept {
  // Null at first.
  const auto high = reinterpret_cast<std::uintptr_t>(self->scheduler_stack_pointer);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at < high && high - at <= thread_worker(self)->scheduler_bytes;
}

/// Whether `address` is of the guard below that stack. Where the C library has put the guard of its
/// own is known to a few pages.
[[nodiscard]] inline bool lies_below_scheduler_stack(worker* self, const void* address) noexcept {
  const auto high = reinterpret_cast<std::uintptr_t>(self->scheduler_stack_pointer);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t unsure = std::size_t{16} << 10;
  const std::size_t bytes = thread_worker(self)->scheduler_bytes;
  // unreached: scheduler-memory
  return at < high && high - at > bytes - unsure && high - at <= bytes + unsure + scheduler_guard_bytes;
}

/// The record of the stack that `self` decides on, which the workers of a thread share.
[[nodiscard]] inline sanitizers::stack_record& scheduler_record(worker* self) noexcept {
  return thread_worker(self)->own_scheduler_record;
}

static_assert(offsetof(worker, deque) == 0);
static_assert(offsetof(worker, scheduler_stack_pointer) == WORKER_SCHEDULER_STACK_POINTER);
static_assert(offsetof(worker, exit_stack_pointer) == WORKER_EXIT_STACK_POINTER);
static_assert(offsetof(worker, regions) + sizeof(region_times) <= alignof(worker));

/// Workers of the pool with this index and above take nothing new, but for substitutes, each of which
/// has the place of another. Each look reads it anew, sequentially consistent: see nopal_limit_workers. Whoever is
/// woken in vain wakes another.
extern int allowed_workers;
[[nodiscard]] inline bool is_allowed(const worker* of_pool) noexcept {
  return of_pool->is_substitute || of_pool->index < __atomic_load_n(&allowed_workers, __ATOMIC_SEQ_CST);
}

/// Whether it runs tasks while it has no strand: a thread of the pool that waits for nothing of its
/// own.
[[nodiscard]] inline bool runs_tasks(const worker* self) noexcept {
  return self->of_pool && self->outer == nullptr && is_allowed(self);
}

/// Whether it is nested on a thread of the pool. While it has no strand it waits, and runs no tasks that have
/// nothing to do with its wait.
[[nodiscard]] inline bool waits_in_pool(const worker* self) noexcept {
  return !self->of_pool && thread_worker(self)->of_pool;
}

/// The calling thread's worker; null on threads not adopted. Not to be kept across anything that
/// may switch stacks.
worker* this_worker() noexcept;

/// Makes `self` the calling thread's worker; null for none.
void set_this_worker(worker* self) noexcept;
/// The thread's nopal_local().
void set_this_local(const void* value) noexcept;

/// Where the innermost pinned call of the thread lies that began while it was no worker: below this
/// address of its stack. Null: in none.
const char* this_pinned_at() noexcept;
void set_this_pinned_at(const char* address) noexcept;
/// The part that may be stopped which such a call on a thread without a worker is in; null: none.
nopal_stop* this_outside_part() noexcept;
void set_this_outside_part(nopal_stop* part) noexcept;

/// Whether the calling thread was started as one of the pool's, also when it has left that.
bool is_thread_of_pool() noexcept;
void set_thread_of_pool(bool is_one) noexcept;

/// The C++ runtime's state of the calling thread; null if there is none.
exception_state* this_thread_exceptions() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

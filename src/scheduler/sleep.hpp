// Sleeping and waking. docs/sleep.md has the argument.
#ifndef NOPAL_SCHEDULER_SLEEP_HPP
#define NOPAL_SCHEDULER_SLEEP_HPP

#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Whether somebody sleeps or is about to. Sequentially consistent: asked after a publication,
/// before or after a sleeper's announcement in one order for both.
inline bool anyone_sleeps() noexcept { return the_runtime().sleepers.load(std::memory_order_seq_cst) != 0; }

/// Wakes one sleeper that may run strands of `root`, if there is one; the publishing side of
/// docs/sleep.md. `self` is null on a thread that is no worker. False: there was none.
bool wake_one(worker* self, const worker* root) noexcept;
/// Wakes one sleeper of the pool that runs any strand and any task, if there is one. `self` is null
/// on a thread that is no worker. False: none sleeps.
bool wake_pool_worker(worker* self) noexcept;
/// The same for a task, of those that run it: where none of them sleeps, wakes one that waits and keeps its place, to give it
/// up.
enum class task_is : std::uint8_t { outside, in_arena, anywhere };
void wake_for_task(worker* self, task_is where) noexcept;
/// Wakes one that sleeps in a call and keeps its place, for a substitute to come; see place_of_sleeper.
void wake_keeper_of_place() noexcept;
void wake_all() noexcept;
/// Wakes the thread of a worker that somebody has made awake. Where the system refuses, tries again
/// for a while: the sleeper, and whoever waits for it, would sleep for ever.
void wake(worker* sleeper) noexcept;
/// The same of so many who sleep on `word`. A system that refuses is asked again.
void wake_at(std::atomic<std::uint32_t>& word, int most) noexcept;
/// Ends a worker's parking, asleep or not yet. False if somebody else did.
bool end_parking(worker* sleeper, park_state next) noexcept;
/// By one that was woken: how long that took.
void note_wake(const worker* self) noexcept;
/// Sleeps until whoever wakes this worker is done.
void wait_until_awake(worker* self) noexcept;
void unpark(worker* sleeper) noexcept;

/// Wakes a sleeper in the place of this one, if some region woke nobody.
void pass_looking_up_on(worker* self) noexcept;
/// The same, for those that woke nobody since this one expected them. See rhythm.hpp.
void give_beat_up(worker* self) noexcept;
/// Before a worker of the pool begins to work.
inline void look_up_no_more(worker* self) noexcept {
  if (self->looks_up) {
    pass_looking_up_on(self);
  }
  if (self->expects) {
    give_beat_up(self);
  }
}

/// Before it announces its sleep: it is woken from the CPU where its last waker ran, as a rule, so that the next one need not
/// forbid it that CPU.
void keep_off_wakers_cpu(worker* self) noexcept;

/// Moves this worker's thread to another CPU, if it may run on one.
void leave_cpu(worker* self, int cpu) noexcept;

/// Whether the system wakes sleepers at all; where it does not, they look for work from time to
/// time.
bool wakes_work() noexcept;

/// Sleeps until there may be work, and so long at most; 0: without a limit. On return the worker looks for it.
void park(worker* self, std::uint64_t most_ns = 0) noexcept;

/// The same for a worker of the pool that is not allowed to take anything now.
void rest(worker* self) noexcept;

/// Sleeps for `ns` at most, as long as `events` is `seen` and no strand is in sight. `gives_place`: as park. Whether a substitute had its place.
bool nap(worker* self, std::atomic<std::uint32_t>& events, std::uint32_t seen, std::uint64_t ns,
         bool gives_place) noexcept;
/// For a thread of the program that slept and goes back to its own code: a push may have woken it
/// alone for what it leaves now.
void pass_wake_on(worker* self) noexcept;
/// Wakes those who wait for the group.
void wake_waiters_of(const nopal_task_group* group) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

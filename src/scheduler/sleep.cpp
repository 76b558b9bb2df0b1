// Sleep and wake-up without a lost wake-up and without polling.
//
// A worker that found nothing announces itself, poisons every limit, passes a barrier on every
// processor and looks once more. A push before the barrier is seen by that look; a push after it
// finds its limit poisoned, comes to the slow path and sees the announcement. docs/sleep.md has the
// argument.

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/ready.hpp"
#include "scheduler/rhythm.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/traced.hpp"
#include "scheduler/victims.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {
constexpr std::uint64_t second_look_ns = 1'000'000;
constexpr std::uint64_t soon_ns = 100'000;
}  // namespace

void wake(worker* sleeper) noexcept {
  constexpr int most_attempts = 1000;
  // Relaxed: one of those that give up says so and ends the program.
  static std::atomic<bool> told{false};
  for (int attempt = 0; os::futex_wake(sleeper->park, 1) < 0 && the_runtime().wakes_work; ++attempt) {
    // unreached below: refused-wakes
    if (attempt == most_attempts && !told.exchange(true, std::memory_order_relaxed)) {
      os::write_stderr("nopal: the system refuses to wake a sleeping worker: %s\n", std::strerror(errno));
      std::abort();
    }
    os::yield();
  }
}

void wait_until_awake(worker* self) noexcept {
  const bool waits = the_runtime().wakes_work;
  // Acquire pairs with the release in try_to_wake, and in send_substitute.
  while (const std::uint32_t state = self->park.load(std::memory_order_acquire)) {
    if (waits) {
      os::futex_wait(self->park, state);
    } else {
      os::futex_wait_for(self->park, state, second_look_ns);
    }
  }
  self->is_kept_off_cpu = self->is_kept_off_cpu && !os::allow_cpus(self->allowed_cpus);
}

void leave_cpu(worker* self, int cpu) noexcept {
  self->is_kept_off_cpu =
      os::forbid_cpu(self->thread_id, cpu, self->allowed_cpus) && !os::allow_cpus(self->allowed_cpus);
}

namespace {

bool work_in_sight(worker* self) {
  runtime& all = the_runtime();
  // Sequentially consistent: pairs with the hand-over in resume_at_home.
  if (self->inbox.load(std::memory_order_seq_cst) != nullptr ||  // unreached: race
      (!NOPAL_FAULT("stop not seen") && all.stopping.load(std::memory_order_seq_cst))) {
    return true;
  }
  bool found = false;
  known_roots known{};
  for_each_worker(all, [self, &found, &known](worker* other) {
    found = found || (other != self && has_work_to_take(self, other, known)) ||
            (runs_tasks(self) && has_tasks(other->tasks));
  });
  // Last: a thread that ends meanwhile leaves its tasks here.
  // unreached: race
  return found || has_ready(self) ||
         (runs_tasks(self) && (has_tasks(tasks_of_nobody) || arenas_have_tasks()));
}

void poison_all(worker* self) {
  for_each_worker(the_runtime(), [self](worker* other) {
    if (other != self) {
      deque::poison(other->deque);
    }
  });
}

/// Ends a worker's parking, asleep or not yet. False if somebody else did.
bool end_parking(worker* sleeper, park_state next) {
  std::uint32_t expected = parked;
  // Sequentially consistent on both words: one unparker per parking, and `sleepers` counts exactly
  // those.
  // unreached below: race
  if (!sleeper->park.compare_exchange_strong(expected, next, std::memory_order_seq_cst)) {
    return false;
  }
  the_runtime().sleepers.fetch_sub(1, std::memory_order_seq_cst);
  return true;
}

/// Linux often wakes a thread on its waker's CPU and leaves it there for tens of milliseconds
/// although other CPUs are idle. So a thief is woken on any other CPU. Threads of the program are
/// left alone, and substitutes, which outnumber the CPUs.
bool wakes_elsewhere(const worker* sleeper) {
  return the_runtime().spreads_woken && sleeper->of_pool && !sleeper->is_substitute;
}

/// By one that was woken.
void note_wake(const worker* self) noexcept {
  if (!left_out() && wakes_elsewhere(self)) {
    runtime& all = the_runtime();
    note_ticks(all.ticks_worth_a_wake,
               2 * all.ticks_of_a_wake.load(std::memory_order_relaxed) + ticks_now() - self->woken_at);
  }
}

/// False if the worker is not parked, or somebody else wakes it.
bool try_to_wake(worker* sleeper) {
  const std::uint64_t began = ticks_now();
  const bool elsewhere = wakes_elsewhere(sleeper);
  const int index = sleeper->index;
  // unreached below: race
  if (!end_parking(sleeper, elsewhere && !NOPAL_FAULT("sleeper not held") ? waking : awake)) {
    return false;
  }
  if (elsewhere) {
    NOPAL_DISTURB();
    // A change that an earlier waker made, and the system refused to undo, stands: the sleeper
    // tries again.
    sleeper->is_kept_off_cpu = sleeper->is_kept_off_cpu ||
                               os::forbid_cpu(sleeper->thread_id, os::current_cpu(), sleeper->allowed_cpus);
    sleeper->woken_at = began;
    // Release pairs with the acquire in wait_until_awake: the sleeper undoes what was done to it.
    sleeper->park.store(awake, NOPAL_FAULT_ORDER("end of waking relaxed", std::memory_order_release));
    NOPAL_DISTURB();
  }
  wake(sleeper);
  trace::note_waking_of(index);
  note_ticks(the_runtime().ticks_of_a_wake, ticks_now() - began);
  return true;
}

/// How a sleeper meets a fast push that neither saw its announcement nor is seen by its look.
enum class ordered_by : std::uint8_t { barrier, second_look };

/// Returns whether every push from here on sees the announcement, or the second look sees the push.
bool announce_sleep(worker* self, ordered_by what) {
  runtime& all = the_runtime();
  self->park.store(parked, std::memory_order_seq_cst);
  NOPAL_DISTURB();
  const int others = all.sleepers.fetch_add(1, std::memory_order_seq_cst);
  NOPAL_DISTURB();
  poison_all(self);
  // Beside other sleepers no worker that runs is interrupted for one more: what they push next finds its
  // limit poisoned.
  if (others > 0 && what == ordered_by::second_look) {  // unreached: race
    return true;
  }
  // The owners' half of the fence between a push and its look for sleepers. Without the barrier
  // every limit is poisoned all the time and every push comes by with a fence of its own.
  const bool ordered = os::process_barrier() || !all.barrier_works.load(std::memory_order_relaxed);
  NOPAL_DISTURB();
  return ordered;
}

/// What a sleeper's timer is for.
enum class timer_for : std::uint8_t { nothing, look, question, beat };
struct timer {
  std::uint64_t ns = 0;  ///< 0: it sleeps until it is woken
  timer_for what = timer_for::nothing;

  void set_sooner(std::uint64_t other, timer_for other_what) noexcept {
    if (other != 0 && (ns == 0 || other < ns)) {
      *this = {other, other_what};
    }
  }
};

/// False: nobody woke it.
bool sleep_for(worker* self, const timer& one) noexcept {
  return one.what == timer_for::beat ? os::futex_wait_exactly(self->park, parked, one.ns)
                                     : os::futex_wait_for(self->park, parked, one.ns);
}

void park_once(worker* self) noexcept {
  if (!self->of_pool) {
    go_on_in(self, nullptr);  // a worker of the pool would find itself what there is
  }
  sleep_elsewhere(self);
  const bool ordered = announce_sleep(self, ordered_by::second_look);
  if (work_in_sight(self) && end_parking(self, awake)) {  // unreached: race
    return;
  }
  self->counts.parks.add();
  trace::note_sleep(self);
  // Relaxed: a region more or less is noted. Pairs with the look in note_push.
  if (!the_runtime().some_slept.load(std::memory_order_relaxed)) {
    the_runtime().some_slept.store(true, std::memory_order_relaxed);
  }
  NOPAL_DISTURB();
  // A push whose owner read its limit just before it was poisoned may still be on its way; one later
  // look finds it. Where the barrier has ceased to work the caller then looks and comes again.
  timer next{second_look_ns, timer_for::look};
  const std::uint64_t first_beat = sleep_until_beat(self);
  const bool looks_soon = first_beat == 0 && may_know_beat_soon(self);
  if (first_beat != 0 && first_beat < 2 * second_look_ns) {
    next = {first_beat, timer_for::beat};  // at a look just before it would be too late to sleep again
  } else if (looks_soon) {
    next.ns = soon_ns;
  }
  // unreached below: race
  const bool looked = !sleep_for(self, next);
  if (looked) {
    if (next.what == timer_for::beat && end_parking(self, awake)) {
      return expect_region(self);
    }
    if (((!ordered && !NOPAL_FAULT("refusal ignored")) || is_surplus(self) || work_in_sight(self)) &&
        end_parking(self, awake)) {
      return;
    }
  }
  // Also after a signal that came before that look. Relaxed: as below.
  bool looks_again = looks_soon || (!looked && self->park.load(std::memory_order_relaxed) == parked);
  std::uint64_t looking_up = 0;
  for (;;) {
    next = {};
    next.set_sooner(sleep_until_asking(self), timer_for::question);
    const bool looked_up = self->looks_up;
    looking_up = sleep_until_looking_up(self, looking_up);
    if (looked_up && !self->looks_up && work_in_sight(self) && end_parking(self, awake)) {
      return;
    }
    next.set_sooner(looking_up, timer_for::look);
    next.set_sooner(looks_again ? second_look_ns : 0, timer_for::look);
    next.set_sooner(sleep_until_beat(self), timer_for::beat);
    // Where the system refuses to sleep on a word, nothing else tells of a waker. Relaxed: the acquire
    // that pairs with it is in wait_until_awake.
    const bool is_interrupted = next.ns == 0 || sleep_for(self, next);
    if (next.ns == 0 || self->park.load(std::memory_order_relaxed) != parked) {
      break;
    }
    if (is_interrupted) {
      continue;  // by a signal
    }
    looks_again = false;
    if (next.what == timer_for::beat && end_parking(self, awake)) {
      return expect_region(self);
    }
    if ((next.what == timer_for::question || work_in_sight(self)) && end_parking(self, awake)) {
      return;
    }
  }
  wait_until_awake(self);
  note_wake(self);
  if (!self->of_pool && self->inbox.load(std::memory_order_relaxed) != nullptr) {
    pass_wake_on(self);
  }
}

}  // namespace

void park(worker* self) noexcept {
  park_once(self);
  trace::note(self, trace::what::wakes_up);
  if (!self->expects) {
    give_beat_up(self);
  }
}

void rest(worker* self) noexcept {
  look_up_no_more(self);
  if (anyone_sleeps()) {
    wake_pool_worker(self);  // in its place: it may have been woken for work
  }
  park(self);
}

void pass_wake_on(worker* self) noexcept {
  bool found = false;
  for_each_worker(the_runtime(),
                  [&found](const worker* other) { found = found || deque::has_public(other->deque); });
  if (found && anyone_sleeps()) {
    wake_pool_worker(self);
  }
}

void nap(worker* self, std::atomic<std::uint32_t>& events, std::uint32_t seen, std::uint64_t ns) noexcept {
  if (arenas_used != 0) {
    give_up_seats(self);
    go_on_in(self, nullptr);
  }
  announce_sleep(self, ordered_by::barrier);
  // Sequentially consistent: who makes an event counts it before it looks for sleepers.
  // unreached: race
  if ((NOPAL_FAULT("nap does not look") || events.load(std::memory_order_seq_cst) == seen) &&
      (NOPAL_FAULT("nap looks for no strand") || !work_in_sight(self))) {  // unreached: race
    self->counts.parks.add();
    trace::note_sleep(self);
    os::futex_wait_for(self->park, parked, ns);
  }
  if (!end_parking(self, awake)) {
    wait_until_awake(self);
  }
  trace::note(self, trace::what::wakes_up);
  if (arenas_used != 0) {
    sit_again(self, get(self->arena));
  }
}

void wake_waiters_of(const nopal_task_group* group) noexcept {
  for_each_worker(the_runtime(), [group](worker* other) {
    if (other->waits_for.load(std::memory_order_seq_cst) == group) {
      unpark(other);
    }
  });
}

bool wakes_work() noexcept {
  std::atomic<std::uint32_t> nobody_sleeps_here{0};
  return os::futex_wake(nobody_sleeps_here, 1) >= 0;
}

void unpark(worker* sleeper) noexcept {
  if (sleeper->park.load(std::memory_order_seq_cst) == parked) {
    try_to_wake(sleeper);
  }
}

void wake_one(worker* self, const worker* root) noexcept {
  runtime& all = the_runtime();
  if (!anyone_sleeps()) {
    return;
  }
  const int used = all.table_used.load(std::memory_order_acquire);
  for (int i = 0, index = self == nullptr ? 0 : self->index; i < used; ++i) {
    index = index + 1 < used ? index + 1 : 0;
    worker* other = all.table[index].load(std::memory_order_acquire);
    NOPAL_DISTURB();
    for (; other != nullptr; other = other->nested.load(std::memory_order_acquire)) {
      if (other->park.load(std::memory_order_seq_cst) == parked &&
          (NOPAL_FAULT("strangers woken") || (may_run(other, root) && may_sit_for(other, root))) &&
          try_to_wake(other)) {
        if (self != nullptr) {
          self->counts.wakes.add();
        }
        return;
      }
    }
  }
}

bool wake_pool_worker(worker* self) noexcept {
  runtime& all = the_runtime();
  const int used = all.table_used.load(std::memory_order_acquire);
  for (int i = 0, index = self == nullptr ? 0 : self->index; i < used; ++i) {  // unreached: race
    index = index + 1 < used ? index + 1 : 0;
    worker* const other = all.table[index].load(std::memory_order_acquire);
    NOPAL_DISTURB();
    if (other != nullptr && runs_tasks(other) && other->park.load(std::memory_order_seq_cst) == parked &&
        try_to_wake(other)) {  // unreached: race
      if (self != nullptr) {   // unreached: race
        self->counts.wakes.add();
      }
      return true;
    }
  }
  return false;
}

void wake_for_room(worker* self, const nopal_arena* arena) noexcept {
  if (NOPAL_FAULT("pool not told") || wake_pool_worker(self)) {
    return;
  }
  // Which of these may run what is there depends on whose it is.
  for_each_worker(the_runtime(), [arena](worker* other) {
    if (get(other->arena) == arena) {
      unpark(other);
    }
  });
}

void wake_all() noexcept {
  for_each_worker(the_runtime(), [](worker* other) { unpark(other); });
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// Sleep and wake-up without a lost wake-up and without polling.
//
// A worker that found nothing announces itself, poisons every limit, passes a barrier on every
// processor and looks once more. A push before the barrier is seen by that look; a push after it
// finds its limit poisoned, comes to the slow path and sees the announcement. docs/sleep.md has the
// argument.

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
#include "scheduler/waiters.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {
constexpr std::uint64_t second_look_ns = 1'000'000;
constexpr std::uint64_t soon_ns = 100'000;

/// Whoever kept it off: itself or a waker.
void come_back_to_cpu(worker* self) noexcept {
  self->is_kept_off_cpu =
      self->is_kept_off_cpu && !os::allow_cpus_again(self->kept_off_cpu, self->allowed_cpus);
}
}  // namespace

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
  come_back_to_cpu(self);
}

void leave_cpu(worker* self, int cpu) noexcept {
  come_back_to_cpu(self);  // else the one that it is kept off would be taken for one that it never had
  if (!self->is_kept_off_cpu) {
    self->is_kept_off_cpu =
        os::forbid_cpu(self->thread_id, cpu, self->allowed_cpus) && !os::allow_cpus(self->allowed_cpus);
    self->kept_off_cpu = cpu;
  }
}

namespace {

bool work_in_sight(worker* self) {
  runtime& all = the_runtime();
  // Sequentially consistent: pairs with the hand-over in resume_at_home.
  if (self->inbox.load(std::memory_order_seq_cst) != nullptr ||  // unreached: race
      (!NOPAL_FAULT("stop not seen") && all.stopping.load(std::memory_order_seq_cst) != goes_on)) {
    return true;
  }
  bool found = false;
  known_roots known{};
  for_each_worker(all, [self, &found, &known](worker* other) {
    found = found || (other != self && has_work_to_take(self, other, known));
  });
  // Relaxed: its own.
  const bool keeps_place =
      self->keeps_place.load(std::memory_order_relaxed) && !NOPAL_FAULT("place kept beside a task");
  const bool any_task = runs_tasks_outside(self) || keeps_place;
  return found || has_ready(self) ||
         (any_task ? tasks_in_sight() : runs_tasks(self) && arenas_have_tasks()) ||
         (keeps_place && strands_wait_in_sight());  // unreached: race
}

void poison_all(worker* self) {
  for_each_worker(the_runtime(), [self](worker* other) {
    if (other != self) {
      deque::poison(other->deque);
    }
  });
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
enum class timer_for : std::uint8_t { nothing, look, question, beat, end };
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

void park_once(worker* self, const place_of_sleeper& place, std::uint64_t most_ns) noexcept {
  if (!self->of_pool) {
    go_on_in(self, nullptr);  // a worker of the pool would find itself what there is
  }
  sleep_elsewhere(self);
  const bool ordered = announce_sleep(self, ordered_by::second_look);
  if ((work_in_sight(self) || place.is_outdated()) && end_parking(self, awake)) {  // unreached: race
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
    const bool is_at_end = most_ns != 0 && most_ns <= next.ns;
    if (((!ordered && !NOPAL_FAULT("refusal ignored")) || is_surplus(self) || is_at_end ||
         work_in_sight(self)) &&
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
    next.set_sooner(most_ns, timer_for::end);
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
    if ((next.what == timer_for::question || next.what == timer_for::end || work_in_sight(self)) &&
        end_parking(self, awake)) {
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

void park(worker* self, std::uint64_t most_ns) noexcept {
  if (self->of_pool) {
    os::prepare_allocation();  // not in the first strand that it steals
  }
  keep_off_wakers_cpu(self);
  {
    const sleep_of_server told(!self->of_pool);
    const place_of_sleeper place(self);
    park_once(self, place, most_ns);
  }
  come_back_to_cpu(self);  // nobody woke it
  trace::note(self, trace::what::wakes_up);
  if (!self->expects) {
    give_beat_up(self);
  }
}

void rest(worker* self) noexcept {
  look_up_no_more(self);
  if (anyone_sleeps()) {
    wake_for_task(self, task_is::anywhere);  // in its place: it may have been woken for work
  }
  park(self);
}

bool nap(worker* self, std::atomic<std::uint32_t>& events, std::uint32_t seen, std::uint64_t ns,
         bool gives_place) noexcept {
  if (arenas_used != 0) {
    give_up_seats(self);
    go_on_in(self, nullptr);
  }
  const sleep_of_server told(gives_place && !self->of_pool);
  const place_of_sleeper place(gives_place ? self : nullptr);
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
  return place.is_given();
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

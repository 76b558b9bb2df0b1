// The beat of regions, and who keeps it.

#include "scheduler/rhythm.hpp"

#include "scheduler/roots.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/victims.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Of the time between two regions the keeper of the beat may use one part of so many.
constexpr std::uint64_t parts = 20;

/// Less says too little of how long a tick is.
constexpr std::uint64_t ticks_to_compare = 1'000'000;

void begin_to_compare(runtime& all, std::uint64_t ticks, std::uint64_t ns) noexcept {
  all.began_ticks.store(ticks, std::memory_order_relaxed);
  all.began_ns.store(ns, std::memory_order_relaxed);
}

bool may_keep_the_beat(const runtime& all, const worker* self) noexcept {
  return !left_out() && self->of_pool && !self->is_substitute && is_allowed(self) && may_be_outside(self) &&
         all.wakes_work && all.some_rhythm.load(std::memory_order_relaxed);
}

}  // namespace

void note_end(worker* self, std::uint64_t now) noexcept {
  runtime& all = the_runtime();
  region_times& regions = self->regions;
  regions.ended = now;
  nopal_this_quiet_loops()->looked = now;
  const bool by_gap =
      regions.periods.regular < times_regular ||
      (regions.gaps.regular >= times_regular && regions.gaps.deviation <= regions.periods.deviation);
  const region_rhythm& rhythm = by_gap ? regions.gaps : regions.periods;
  const std::uint64_t late = all.ticks_late.load(std::memory_order_relaxed);
  const std::uint64_t leeway = 2 * rhythm.deviation + late / 8;
  // A region in which a thief has no time to take part is not worth it.
  if (rhythm.regular < times_regular) {
    regions.leeway.store(0, std::memory_order_relaxed);
    return;
  }
  if (2 * leeway > rhythm.mean / parts ||
      now - regions.burst_began < all.ticks_of_a_wake.load(std::memory_order_relaxed) / 4) {
    return;
  }
  // Relaxed, as all of these hints: who reads one that is out of date wakes in vain, or is woken. Pairs with
  // the looks of sleepers below.
  regions.leeway.store(leeway, std::memory_order_relaxed);
  regions.expected.store((by_gap ? now : regions.burst_began) + rhythm.mean, std::memory_order_relaxed);
  if (!all.some_rhythm.load(std::memory_order_relaxed)) {
    all.some_rhythm.store(true, std::memory_order_relaxed);
  }
}

bool is_next_far(worker* self) noexcept {
  runtime& all = the_runtime();
  if (!may_keep_the_beat(all, self)) {
    return false;
  }
  const std::uint64_t soon = ticks_now() + 2 * ticks_worth_a_wake(all);
  bool is_far = true;
  for_each_worker(all, [self, soon, &is_far](const worker* other) {
    is_far = is_far && (other == self || get(other->deque.strand.stack) == nullptr ||
                        other->regions.expected.load(std::memory_order_relaxed) > soon);
  });
  return is_far;
}

std::uint64_t sleep_until_beat(worker* self) noexcept {
  runtime& all = the_runtime();
  NOPAL_FAULT_DOES("a beat is kept", return self->of_pool && self->wakes_at++ == 0 ? 1 : 0);
  if (!may_keep_the_beat(all, self)) {
    return 0;
  }
  if (!self->keeps_beat) {
    // Relaxed, this and all others: one keeper more or less matters to nobody's work.
    if (all.beat_kept.exchange(true, std::memory_order_relaxed)) {
      return 0;
    }
    self->keeps_beat = true;
  }
  const std::uint64_t now = ticks_now();
  const std::uint64_t late = all.ticks_late.load(std::memory_order_relaxed);
  self->expects_until = 0;
  for_each_worker(all, [&](const worker* other) {
    const std::uint64_t expected = other->regions.expected.load(std::memory_order_relaxed);
    const std::uint64_t leeway = other->regions.leeway.load(std::memory_order_relaxed);
    const std::uint64_t wakes_at = expected - leeway - late;
    if (expected > now + leeway + late && (self->expects_until == 0 || wakes_at < self->wakes_at)) {
      self->wakes_at = wakes_at;
      self->expects_until = expected + leeway;
      self->expects_for = 2 * (leeway + late);
    }
  });
  if (self->expects_until == 0) {
    give_beat_up(self);
    return 0;
  }
  const std::uint64_t ns = os::monotonic_ns();
  const std::uint64_t ticks = now - all.began_ticks.load(std::memory_order_relaxed);
  // Ticks may have gone backwards, or on while the machine was suspended.
  if (ticks < ticks_to_compare || ticks > ~std::uint64_t{0} / 2) {
    begin_to_compare(all, now, ns);
    give_beat_up(self);
    return 0;
  }
  const double ns_in_a_tick =
      static_cast<double>(ns - all.began_ns.load(std::memory_order_relaxed)) / static_cast<double>(ticks);
  return static_cast<std::uint64_t>(static_cast<double>(self->wakes_at - now) * ns_in_a_tick) + 1;
}

void sleep_elsewhere(worker* self) noexcept {
  runtime& all = the_runtime();
  if (may_keep_the_beat(all, self)) {
    for_each_worker(all, [self](const worker* other) {
      if (other != self && other->regions.leeway.load(std::memory_order_relaxed) != 0) {
        leave_cpu_of(self, other);
      }
    });
  }
}

bool may_know_beat_soon(worker* self) noexcept {
  runtime& all = the_runtime();
  bool may = false;
  if (may_keep_the_beat(all, self)) {
    for_each_worker(all, [self, &may](const worker* other) {
      may = may || (other != self && other->regions.leeway.load(std::memory_order_relaxed) != 0 &&
                    other->regions.expected.load(std::memory_order_relaxed) == 0);
    });
  }
  return may;
}

void expect_region(worker* self) noexcept {
  runtime& all = the_runtime();
  if (!left_out()) {
    const std::uint64_t now = ticks_now();
    if (now + self->expects_for < self->wakes_at || now >= self->expects_until) {
      begin_to_compare(all, now, os::monotonic_ns());  // the timer was not for this moment
      return;
    }
    note_ticks(all.ticks_late, now > self->wakes_at ? now - self->wakes_at : 1);
    const std::uint64_t until = now + self->expects_for;
    self->expects_until = until < self->expects_until ? until : self->expects_until;
  }
  self->expects = true;
  self->wakers_cpu = -1;  // nobody wakes it as long as the beat is regular
  all.expects_region.store(self->expects_until | 1U, std::memory_order_seq_cst);
}

bool goes_on_expecting(worker* self) noexcept {
  if (self->expects && ticks_now() >= self->expects_until) {
    give_beat_up(self);
  }
  return self->expects;
}

void give_beat_up(worker* self) noexcept {
  runtime& all = the_runtime();
  if (self->expects) {
    self->expects = false;
    // Sequentially consistent: see is_expected.
    NOPAL_FAULT_OMITS("expected for good", all.expects_region.store(0, std::memory_order_seq_cst));
    for_each_worker(all, [self](worker* other) {
      if (other != self && anyone_sleeps() && deque::has_public(other->deque)) {
        wake_one(self, root_of(*other));
      }
    });
  }
  if (self->keeps_beat) {
    self->keeps_beat = false;
    all.beat_kept.store(false, std::memory_order_relaxed);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

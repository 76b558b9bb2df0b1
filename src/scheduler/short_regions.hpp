// Regions that are too short for a wake-up, known by how long they took before.
//
// A region is the time in which a root's deque has entries. To wake a thread costs the owner some
// microseconds, and more pass until that thread runs. So the first slow push of a region wakes
// nobody where the last one from the same place was over before that would have paid; its limit
// stays poisoned, and a later push wakes once the time has passed. No more than a few pushes look at the
// clock for that, see note_look. Meanwhile one sleeper looks up
// from time to time, in case that push never comes. docs/sleep.md has the argument.
#ifndef NOPAL_SCHEDULER_SHORT_REGIONS_HPP
#define NOPAL_SCHEDULER_SHORT_REGIONS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/detail/frame.h>

#include "arch/arch.hpp"
#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/tags.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// 0 where no time is to pass, as in models.
[[nodiscard]] [[gnu::always_inline]] inline std::uint64_t ticks_now() noexcept {
  return NOPAL_BOUND(processor_ticks(), 0);
}

/// Models leave all of it out where they do not ask for it: it multiplies their states.
[[nodiscard]] [[gnu::always_inline]] inline bool left_out() noexcept {
  return NOPAL_BOUND(false, true) && !NOPAL_FAULT("regions are short");
}

[[nodiscard]] [[gnu::always_inline]] inline region_time& time_of(worker* self, const void* place) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  return self->regions.times[(address >> 4U ^ address >> 9U) % region_places];
}

/// Notes how long the region from `place` took.
[[gnu::always_inline]] inline void note_region(worker* self, const void* place,
                                               std::uint64_t ticks) noexcept {
  region_time& time = time_of(self, place);
  if (time.place != place) {
    time = {.place = place,
            .ticks = 0,
            .count = 0,
            .shared = 0,
            .surprises = 0,
            .at_once = 0,
            .was_shared = false};
  }
  // 0 is that of a place that is not known yet; on a slow clock a region may take none.
  time.ticks = ticks != 0 ? ticks : 1;
}

/// A region that was taken for a short one is over. One that somebody who looked up found late, or nobody,
/// and that was long, is a surprise: places that have some wake at once for a while, and for four times as
/// many regions at each, so that one of thousands is late at most.
[[gnu::always_inline]] inline void note_guess(region_time& time, bool was_right) noexcept {
  constexpr std::uint32_t each = 16;
  constexpr std::uint32_t most = 4096 * each;
  if (was_right) {
    time.surprises -= time.surprises != 0 ? 1 : 0;
    return;
  }
  const std::uint32_t more = time.surprises < each ? 4 * each : 4 * time.surprises;
  time.surprises = more < most ? more : most;
  time.at_once = time.surprises / each;
}

/// While a wake is owed, which pushes look whether it is time for it: those onto few entries, and onto the fewer the
/// sooner they follow one another. A look costs a hundred ticks or two, and takes a thirtieth of the time at most, but for
/// the first ones and one for each part of a region: so thousands of forks take little longer than alone.
[[gnu::always_inline]] inline void note_look(region_times& regions, std::uint64_t now) noexcept {
  constexpr std::uint64_t ticks_each = 6000;
  constexpr std::uint64_t most_credit = 4 * ticks_each;
  constexpr std::int32_t most_entries = 5;
  const std::uint64_t passed = now - regions.last_look;
  regions.last_look = now;
  regions.looks_credit =
      passed < most_credit - regions.looks_credit ? regions.looks_credit + passed : most_credit;
  if (regions.looks_credit < ticks_each) {
    regions.looking_entries -= regions.looking_entries > 1 ? 1 : 0;
    return;
  }
  // What was saved up lets a region that becomes long look oftener.
  if (regions.looks_credit > most_credit / 2) {
    regions.looking_entries += regions.looking_entries < most_entries ? 1 : 0;
  }
  regions.looks_credit -= ticks_each;
}

/// For those who look at what a worker owes; read first, since it is false as a rule. Relaxed: see
/// pass_looking_up_on.
[[gnu::always_inline]] inline void owes_nothing(region_times& regions) noexcept {
  if (regions.owes_wake.load(std::memory_order_relaxed)) {
    regions.owes_wake.store(false, std::memory_order_relaxed);
  }
}

[[nodiscard]] [[gnu::always_inline]] inline std::uint64_t ticks_worth_a_wake(const runtime& all) noexcept {
  return all.ticks_worth_a_wake.load(std::memory_order_relaxed);
}

/// A mean that moves slowly, and a time that is off.
[[gnu::always_inline]] inline std::uint64_t distance(std::uint64_t one, std::uint64_t other) noexcept {
  return one < other ? other - one : one - other;
}

/// So many times in a row near the mean, and it is a rhythm.
inline constexpr std::uint32_t times_regular = 4;

/// The mean follows, and the deviation; what is far off begins anew.
[[gnu::always_inline]] inline void note_time(region_rhythm& rhythm, std::uint64_t time) noexcept {
  const std::uint64_t error = distance(time, rhythm.mean);
  if (error > rhythm.mean / 4) {
    // One pause ends no rhythm, two in a row do.
    if (rhythm.regular >= times_regular) {
      rhythm.regular = times_regular - 1;
      return;
    }
    rhythm.mean = time;
    rhythm.regular = 0;
    return;
  }
  // One that is late because others wanted the processor does not count for more than it says.
  const std::uint64_t most = rhythm.regular == 0 ? error : 3 * rhythm.deviation + rhythm.mean / 256;
  const std::uint64_t counts = error < most ? error : most;
  rhythm.mean = time > rhythm.mean ? rhythm.mean + counts / 8 : rhythm.mean - counts / 8;
  rhythm.deviation = rhythm.regular == 0 ? error : rhythm.deviation - rhythm.deviation / 8 + counts / 8;
  ++rhythm.regular;
}

/// A recursion whose children came back forks on in calls of its continuation: that is one region still. Calls between
/// which the deque was empty for longer than it had entries are several: a thief would find too little among them.
[[nodiscard]] [[gnu::always_inline]] inline bool is_next_part(const region_times& regions,
                                                              const nopal_frame* frame, std::uint64_t now,
                                                              std::uint64_t worth) noexcept {
  constexpr std::uint64_t ticks_of_two_looks = 1000;
  const std::uint64_t pause = now - regions.ended;
  return regions.scope == nullptr && frame < regions.outermost && pause < worth &&
         pause < regions.ended - regions.began + ticks_of_two_looks;
}

/// A push onto the empty deque of a root begins a region. An open one whose scope lies below this frame is
/// over: its function was left by a jump.
[[gnu::always_inline]] inline bool begin_region(worker* self, const nopal_frame* frame,
                                                std::uint64_t now) noexcept {
  region_times& regions = self->regions;
  if (deque::size(self->deque) != 0 || (regions.scope != nullptr && frame < regions.scope)) {
    return false;
  }
  const bool goes_on = is_next_part(regions, frame, now, ticks_worth_a_wake(the_runtime()));
  regions.scope = frame;
  if (goes_on) {
    regions.began += now - regions.ended;  // the time without entries is none of it
    return false;
  }
  regions.outermost = frame;
  regions.place = frame->resume_address;
  regions.began = now;
  regions.taken_for_short = false;
  // The push has promoted what is older, and there was nothing to be pushed before this fork.
  regions.none_older = !self->buries_latent && !self->left_latent;
  // A loop may be several regions, with next to nothing between them.
  if (now - regions.ended > ticks_worth_a_wake(the_runtime())) {
    note_time(regions.gaps, now - regions.ended);
    note_time(regions.periods, now - regions.burst_began);
    regions.burst_began = now;
    regions.looking_entries = 3;
  }
  if (regions.expected.load(std::memory_order_relaxed) != 0) {
    regions.expected.store(0, std::memory_order_relaxed);
  }
  return true;
}

/// Moves a measured mean towards a new value. One of more than some hundred microseconds met a busy machine,
/// which says nothing.
inline void note_ticks(std::atomic<std::uint64_t>& mean, std::uint64_t ticks) noexcept {
  constexpr std::uint64_t weight = 8;
  constexpr std::uint64_t most = 1'000'000;
  if (ticks == 0) {
    return;
  }
  const std::uint64_t before = mean.load(std::memory_order_relaxed);
  mean.store(before - before / weight + (ticks < most ? ticks : most) / weight, std::memory_order_relaxed);
}

/// Before a push that has nobody to wake: for the rhythm.
[[gnu::always_inline]] inline void note_push(runtime& all, worker* self, const nopal_frame* frame) noexcept {
  if (!left_out() && all.some_slept.load(std::memory_order_relaxed) &&
      is_root_stack(get(self->deque.strand.stack)) && deque::size(self->deque) == 0) {
    static_cast<void>(begin_region(self, frame, ticks_now()));
  }
}

/// Whether this push of `frame`, before which somebody slept, is to wake nobody yet. Asked before
/// the push.
[[gnu::always_inline]] inline bool wakes_later(runtime& all, worker* self, nopal_frame* frame) noexcept {
  region_times& regions = self->regions;
  if (left_out() || !is_root_stack(get(self->deque.strand.stack))) {
    return false;
  }
  const std::uint64_t now = ticks_now();
  const bool is_first = begin_region(self, frame, now);
  if (regions.scope == nullptr) {
    return false;
  }
  const std::uint64_t worth = ticks_worth_a_wake(all);
  region_time& last = time_of(self, regions.place);
  const bool is_known = last.place == regions.place;
  const bool wakes_at_once = is_known && last.at_once != 0;
  if (is_first && wakes_at_once) {
    --last.at_once;
  }
  const bool is_short =
      NOPAL_FAULT("regions are short") ||
      (is_known && !wakes_at_once && last.ticks != 0 && last.ticks < worth && now - regions.began < worth);
  if (!is_short) {
    note_region(self, regions.place, worth);
    owes_nothing(regions);
    return false;
  }
  regions.taken_for_short = true;
  note_look(regions, now);
  self->counts.late_wakes.add();
  // Relaxed: late is harmless, since the push wakes then.
  if (!all.some_wake_late.load(std::memory_order_relaxed)) {
    all.some_wake_late.store(true, std::memory_order_relaxed);
  }
  return true;
}

/// After that push, which published so many entries: false if nobody would look for it. Where it could
/// publish nothing the limit is poisoned and stays so: the entry may be popped by the fast path, and the
/// next push be that of an empty deque, which is to be a slow one.
[[nodiscard]] [[gnu::always_inline]] inline bool may_wake_later(runtime& all, worker* self,
                                                                std::int32_t published) noexcept {
  region_times& regions = self->regions;
  if (published > 0 && deque::size(self->deque) < regions.looking_entries) {
    deque::owe(self->deque);
  }
  // Sequentially consistent, before the look: pairs with pass_looking_up_on, as that does. Relaxed: its own.
  if (!regions.owes_wake.load(std::memory_order_relaxed)) {
    regions.owes_wake.exchange(true, std::memory_order_seq_cst);
  }
  // Sequentially consistent, after the publication; pairs with the exchanges in sleep_until_looking_up and
  // pass_looking_up_on: either the one that ceases to look up sees the
  // entry, or this sees that it ceased.
  if (all.looked_up_for.load(NOPAL_FAULT_ORDER("looks up relaxed", std::memory_order_seq_cst)) ||
      NOPAL_FAULT("nobody looks up")) {
    return true;
  }
  // Relaxed: a hint for who looks up next.
  all.come_seldom.store(true, std::memory_order_relaxed);
  return false;
}

/// After the pop of a public entry that leaves others: if a wake is owed, the next push may look at the clock again.
/// Not once nobody sleeps: who goes to sleep sends the next push to the slow path itself. Nor in strands of others that
/// a root runs while it waits, which do not look.
[[gnu::always_inline]] inline void owe_again(worker* self) noexcept {
  const region_times& regions = self->regions;
  // Relaxed: its own. A poison that this overwrites sends the next push to the slow path as well.
  if (regions.owes_wake.load(std::memory_order_relaxed) &&
      deque::size(self->deque) < regions.looking_entries && anyone_sleeps() &&
      is_root_stack(get(self->deque.strand.stack))) {
    deque::owe(self->deque);
  }
}

/// A region is over: when the next one may be expected. rhythm.hpp
void note_end(worker* self, std::uint64_t now) noexcept;

/// The deque is empty again: the scope's child came back and took the continuation.
[[gnu::always_inline]] inline void end_region(worker* self, const nopal_frame* scope) noexcept {
  region_times& regions = self->regions;
  if (regions.scope == scope) {
    regions.scope = nullptr;
    const std::uint64_t now = ticks_now();
    const std::uint64_t took = now - regions.began;
    // Relaxed: its own. One that was long and did not look in time is a surprise, too.
    const bool missed =
        regions.owes_wake.load(std::memory_order_relaxed) && took >= ticks_worth_a_wake(the_runtime());
    owes_nothing(regions);
    note_region(self, regions.place, took);
    note_end(self, now);
    if (missed || (regions.taken_for_short && scope == regions.outermost)) {
      note_guess(time_of(self, regions.place), !missed);
    }
  }
}

/// How long this sleeper sleeps before it looks up for regions that woke nobody; 0: until it is woken.
/// `pause` is the last such time, 0 at first.
std::uint64_t sleep_until_looking_up(worker* self, std::uint64_t pause) noexcept;

/// The scope was joined after others had taken part.
void end_shared_region(worker* self, const nopal_frame* scope) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

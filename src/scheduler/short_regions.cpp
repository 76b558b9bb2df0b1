// Regions that others took part in, and loops that do not even fork.

#include "scheduler/short_regions.hpp"

#include <algorithm>

#include <nopal/detail/fast_path.h>
#include <nopal/detail/loop_demand.h>
#include <nopal/detail/quiet_loops.h>

#include "deque/deque.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/victims.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// A loop that takes less is not worth a steal.
constexpr std::uint64_t ticks_worth_a_steal = 20'000;
/// The rest of a loop fits beside an upper bound of its first part's time where the whole takes no more.
constexpr std::uint64_t ticks_far_too_short = ticks_worth_a_steal / 8;
/// One of so many that were shared is tried alone, beside the first, second, fourth and so on: that ends a rhythm by which others are in time.
constexpr std::uint32_t quiet_until_tried = 32;
/// One of so many loops that are far too short is measured.
constexpr std::uint32_t short_until_measured = 16;
/// One of so many short loops that were shared is tried alone.
constexpr std::uint32_t shared_until_tried = 8;
// Between looks for regions that woke nobody: the first pause, doubled as long as there are none, and
// the one after which nobody looks any more.
constexpr std::uint64_t look_up_ns = 1'000'000;
constexpr std::uint64_t most_look_up_ns = NOPAL_BOUND(16'000'000, 1'000'000);
// Where such regions come seldom, and one found that nobody looks any more, so many more looks at that pause: three seconds.
constexpr std::uint32_t most_looks_for_seldom = NOPAL_BOUND(200, 1);

/// As this_worker, whose code lies on another page than that of loops. For functions that switch no stacks.
[[nodiscard]] [[gnu::always_inline]] inline worker* worker_of_caller() noexcept {
  auto* const self = reinterpret_cast<worker*>(nopal_this_deque());
  // Nobody's has none.
  return self->scheduler_stack_pointer != nullptr ? self : nullptr;
}

/// The number of workers; 0: it is not known. The runtime's own field lies on a page that nothing else here needs, and after some
/// milliseconds of quiet the first access to a page takes half a microsecond.
[[nodiscard]] std::size_t workers_for(const worker* self) noexcept {
  // Relaxed: the number is all that is read. Whoever chose another one has stored 0 before, or that number.
  return static_cast<std::size_t>(thread_worker(self)->regions.workers.load(std::memory_order_relaxed));
}

/// So few positions may be such as each take long.
[[nodiscard]] bool are_few(std::size_t positions, std::size_t workers) noexcept {
  return positions <= workers * 4;
}

/// How long no loop began or ended, and no region ended.
[[nodiscard]] std::uint64_t quiet_until(const region_times& regions, std::uint64_t now) noexcept {
  const std::uint64_t looked = std::max(regions.looked, nopal_this_quiet_loops()->looked);
  return now - std::max(regions.ended, looked);
}

/// Whether a loop that is worth so much goes on alone after quiet, by the last one of that place. How long one that others took
/// part in would have taken alone is not known, so one of some is tried.
[[nodiscard]] bool goes_alone_after_quiet(region_time& last, std::size_t count, std::size_t workers,
                                          std::uint64_t worth) noexcept {
  // As many as there are workers may wait for one another, since each of these gets one.
  if (count <= workers) {
    return false;
  }
  if (!last.was_shared) {
    return last.ticks < worth;
  }
  // Beside its own time, a shared one has taken as long as those that it woke took to come.
  if (last.ticks < worth / 3 * 2) {
    return true;
  }
  if (last.ticks >= 2 * worth + ticks_worth_a_wake(the_runtime())) {
    return false;
  }
  // Soon after the last one that was short: something may have interrupted that one.
  const std::uint32_t shared = ++last.shared;
  return (shared & (shared - 1)) == 0 || shared % quiet_until_tried == 0;
}

/// A loop went on alone after quiet, for a short time: the next ones from its place need not ask the library.
void note_quiet_loop(worker* self, const void* place, std::size_t count, std::uint64_t took) noexcept {
  // Threads of the pool end with their workers in the table.
  if (self->outer != nullptr || self->of_pool) {
    return;
  }
  nopal_quiet_loops* const mine = nopal_this_quiet_loops();
  // Nobody may be told of the thread's end, and the table would lead to words that are gone. Relaxed: this thread has stored it.
  if (__atomic_load_n(&mine->workers, __ATOMIC_RELAXED) < 0) {
    return;
  }
  note_workers(self->regions, mine);
  const unsigned slot = nopal_quiet_slot(place);
  // More positions than last time may take any time.
  mine->most[slot] = static_cast<std::uint16_t>(std::min<std::size_t>(2 * count + 1, UINT16_MAX));
  mine->fours[slot] = static_cast<std::uint16_t>(std::min<std::uint64_t>(took / 4, UINT16_MAX));
  mine->places[slot] = place;
}

/// How many regions woke nobody.
std::uint64_t count_late_wakes() noexcept {
  std::uint64_t sum = 0;
  for_each_worker(the_runtime(), [&sum](const worker* other) { sum += other->counts.late_wakes.get(); });
  return sum;
}

}  // namespace

// With w = 2 C + L, where a wake costs its caller C and the woken thread works after L, a region of
// serial time D that k others join takes T = C + L + (D - L) / (k + 1) or so. This is that, solved
// for D; so a shared region counts as worth a wake just where the same one, run alone, would.
void end_shared_region(worker* self, const nopal_frame* scope) noexcept {
  region_times& regions = self->regions;
  if (regions.scope != scope) {
    return;
  }
  regions.scope = nullptr;
  if (nopal_latent_forks_used != 0 && regions.none_older && self->outer == nullptr) {
    // Those that are younger are over, and the limit is poisoned.
    static_cast<void>(has_nothing_latent(self));
  }
  owes_nothing(regions);
  runtime& all = the_runtime();
  const std::uint64_t worth = ticks_worth_a_wake(all);
  const std::uint64_t now = ticks_now();
  const std::uint64_t took = now - regions.began;
  note_end(self, now);
  const std::uint64_t others =
      all.chosen.workers > 4 ? 3 : static_cast<std::uint64_t>(all.chosen.workers) - 1;
  const std::uint64_t alone = 3 * worth / 4;
  std::uint64_t serial = took;
  if (took > alone) {
    serial = took - worth / 4 + others * (took - alone);
  }
  note_region(self, regions.place, serial > took ? serial : took);
  if (regions.taken_for_short) {
    note_guess(time_of(self, regions.place), took < worth);
  }
}

std::uint64_t sleep_until_looking_up(worker* self, std::uint64_t pause) noexcept {
  runtime& all = the_runtime();
  if (left_out() || !self->of_pool || self->is_substitute || !is_allowed(self) || !may_be_outside(self) ||
      !all.wakes_work || !all.some_wake_late.load(std::memory_order_relaxed)) {
    return 0;
  }
  const std::uint64_t count = count_late_wakes();
  // Relaxed: whoever looks up writes it.
  const bool some = count != all.late_wakes_seen.load(std::memory_order_relaxed);
  if (!self->looks_up) {
    if (!some || all.looked_up_for.exchange(true, std::memory_order_seq_cst)) {
      return 0;
    }
    self->looks_up = true;
  }
  all.late_wakes_seen.store(count, std::memory_order_relaxed);
  // Relaxed: hints, and of whoever looks up.
  if (some || pause == 0) {
    all.looks_left.store(all.come_seldom.load(std::memory_order_relaxed) ? most_looks_for_seldom : 0,
                         std::memory_order_relaxed);
    return look_up_ns;
  }
  if (pause < most_look_up_ns) {
    return 2 * pause;
  }
  if (const std::uint32_t left = all.looks_left.load(std::memory_order_relaxed); left != 0) {
    all.looks_left.store(left - 1, std::memory_order_relaxed);
    if (left == 1) {
      all.come_seldom.store(false, std::memory_order_relaxed);
    }
    return pause;
  }
  // Nobody looks up from here on. Sequentially consistent, before the look of the caller: see may_wake_later.
  self->looks_up = false;
  all.looked_up_for.exchange(false, std::memory_order_seq_cst);
  return 0;
}

void pass_looking_up_on(worker* self) noexcept {
  self->looks_up = false;
  runtime& all = the_runtime();
  // Sequentially consistent, before the look: a push that comes later finds nobody looking up, and
  // wakes; one that came before owes a wake, which this sees. Pairs with the exchange in may_wake_later.
  all.looked_up_for.exchange(false, std::memory_order_seq_cst);
  bool owed = false;
  for_each_worker(all, [&owed](const worker* other) {
    owed = owed || other->regions.owes_wake.load(std::memory_order_seq_cst);
  });
  if (owed && anyone_sleeps()) {
    wake_pool_worker(self);
  }
}

extern "C" NOPAL_EXPORT std::uint64_t nopal_begin_loop(const void* place, std::size_t count, int* alone) {
  *alone = nopal_not_alone;
  if (worker* const self = worker_of_caller()) {
    region_time& last = time_of(self, place);
    const std::size_t workers = workers_for(self);
    // More positions than last time may take any time.
    if (last.place == place && count / 2 <= last.count && workers != 0) {
      const bool few = are_few(count, workers);
      if (!few && last.ticks < ticks_far_too_short && ++last.shared % short_until_measured != 0) {
        *alone = nopal_alone_as_before;
        return self->regions.looked;
      }
      const std::uint64_t now = ticks_now();
      if (const std::uint64_t quiet = quiet_until(self->regions, now); quiet > NOPAL_DETAIL_TICKS_OF_QUIET) {
        const std::uint64_t worth = nopal_worth_after(quiet);
        self->regions.alone_until = now + worth;
        const int way = few ? nopal_alone_in_steps : nopal_alone;
        *alone = goes_alone_after_quiet(last, count, workers, worth) ? way : nopal_not_alone;
      } else if (!few) {
        // One that others took part in may have taken longer than alone.
        const bool is_time_to_try =
            last.ticks < 2 * ticks_worth_a_steal && ++last.shared % shared_until_tried == 0;
        *alone = last.ticks < ticks_worth_a_steal || is_time_to_try ? nopal_alone : nopal_not_alone;
      }
      last.was_shared = *alone == nopal_not_alone;
      return now;
    }
  }
  return ticks_now();
}

extern "C" NOPAL_EXPORT std::uint64_t nopal_loop_time() { return ticks_now(); }

extern "C" NOPAL_EXPORT std::size_t nopal_may_go_on_alone(std::uint64_t began, std::size_t done,
                                                          std::size_t left) {
  const std::uint64_t now = ticks_now();
  const std::uint64_t passed = now - began;
  std::uint64_t until = began + ticks_worth_a_steal;
  if (worker* const self = worker_of_caller()) {
    self->regions.looked = now;
    nopal_this_quiet_loops()->looked = now;
    until = self->regions.alone_until > until ? self->regions.alone_until : until;
  }
  if (now >= until) {
    return 0;
  }
  // Half of what the rest is expected to leave over.
  const std::uint64_t each = passed / done + 1;
  const std::uint64_t fits = (until - now) / each;
  return fits >= left ? left : done;
}

extern "C" NOPAL_EXPORT nopal_demand nopal_pay_wake() {
  worker* const self = worker_of_caller();
  region_times& regions = self->regions;
  runtime& all = the_runtime();
  if (regions.scope == nullptr || ticks_now() - regions.began < ticks_worth_a_wake(all)) {
    return nopal_no_demand;
  }
  owes_nothing(regions);
  note_region(self, regions.place, ticks_worth_a_wake(all));
  deque::poison(self->deque);
  wake_one(self, root_of(*self));
  return nopal_asked_for;
}

extern "C" NOPAL_EXPORT void nopal_end_loop(const void* place, std::size_t count, std::uint64_t began) {
  if (worker* const self = worker_of_caller()) {
    const std::uint64_t now = ticks_now();
    region_time& last = time_of(self, place);
    const std::uint64_t before = last.place == place ? last.ticks : 0;
    // Until when it was to go on alone, if it began after quiet.
    const std::uint64_t until = self->regions.alone_until;
    const bool began_after_quiet =
        until >= began + nopal_worth_after(0) && until <= began + nopal_worth_after(UINT64_MAX);
    if (last.place == place && !last.was_shared && began_after_quiet && now < until) {
      note_quiet_loop(self, place, count, now - began);
      last.shared = 0;
    }
    note_region(self, place, now - began);
    last.count = count;
    // Where few take long one time and not the next, they are shared each time.
    if (are_few(count, workers_for(self)) && last.ticks < before / 2) {
      last.ticks = before / 2;
    }
    self->regions.looked = now;
    nopal_this_quiet_loops()->looked = now;
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

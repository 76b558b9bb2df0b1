// Finding work: choosing a victim, taking its oldest continuation, starting that on another stack.

#include <cstdlib>
#include <utility>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/join.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/patience.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/ready.hpp"
#include "scheduler/restraint.hpp"
#include "scheduler/rhythm.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/stolen.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/tags.hpp"
#include "scheduler/victims.hpp"
#include "scheduler/yield.hpp"
#include "strand/strand.hpp"
#include "testing/fault_points.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr int yields_before_sleep = NOPAL_BOUND(16, 0);
constexpr int yields_before_rest = 2;  // where no region is expected soon
constexpr std::uint32_t searches_per_steal = 8;

/// One look at one victim. Does not return if it brought work.
deque::steal_outcome steal_from(worker* self, worker* victim, known_roots& known) {
  observation seen{self, victim, {}, 0, 0, nullptr, false, known};
  nopal_frame* slot = nullptr;
  // Asked before the limit is poisoned: what this thief may not run is not to be published for it.
  if (!self->of_pool && (!deque::has_entries(victim->deque) || !may_run(self, root_of(*victim), known))) {
    return deque::steal_outcome::empty;
  }
  const std::uint64_t began = ticks_now();
  const deque::steal_outcome outcome = deque::steal(victim->deque, slot, observe, &seen);
  if (outcome != deque::steal_outcome::taken) {
    set(self->deque.strand.stack, nullptr);
    if (seen.seat != nullptr) {
      return_seat(self, seen.seat);
    }
    return outcome;
  }
  come_back_from_elsewhere(self, arena_of(seen.root));
  if (seen.seat != nullptr) {
    keep_seat(self, seen.seat);
  }
  note_steal(self, victim, began);
  if (anyone_sleeps() && deque::size(victim->deque) > 0) {
    const std::uint64_t before = ticks_now();
    wake_one(self, seen.root);  // There is more where this came from.
    leave_out(self->shy, ticks_now() - before);
  }
  leave_cpu_of(self, victim);
  be_present(self, arena_of(seen.root));
  start_stolen(self, stack_below(self, untagged(slot)->frame_pointer), slot, seen);
}

/// Calls `act` if the victim has private work that a thief may publish; returns whether it has. The
/// victim's thread waits for visitors before it ends, and its exception state with it. Sequentially
/// consistent on both words: either it sees the visitor or the visitor sees that it is gone.
template <class Act>
bool visit(worker* victim, Act act) {
  victim->visitors.fetch_add(1, NOPAL_FAULT_ORDER("visit relaxed", std::memory_order_seq_cst));
  NOPAL_DISTURB();
  // unreached: race
  const bool allowed = victim->has_thread.load(std::memory_order_seq_cst) && no_exception_about(victim);
  if (allowed) {
    act();
  }
  victim->visitors.fetch_sub(1, std::memory_order_release);
  return allowed;
}

/// Publishes the victim's work for it. False if only the victim itself can.
bool visit_and_force(worker* self, worker* victim) {
  return visit(victim, [self, victim] {
    const std::uint64_t began = ticks_now();
    if (deque::force_publish(victim->deque, os::process_barrier, no_exception_about, victim)) {
      self->counts.forced_publishes.add();
      note_ticks(the_runtime().ticks_of_a_force, ticks_now() - began);
    }
  });
}

/// Looks at one worker. Does not return if that brought work; true if another look soon is of use.
bool steal_or_force(worker* self, worker* victim, known_roots& known, patience& spent) {
  if (!may_look_at(self, root_of(*victim))) {
    return false;
  }
  const deque::steal_outcome outcome = steal_from(self, victim, known);
  self->counts.failed_steals.add();
  const bool asks = outcome == deque::steal_outcome::empty && may_have_latent_forks(*victim) &&
                    (self->of_pool || may_run(self, root_of(*victim), known));
  if (asks) {
    deque::poison(victim->deque);
    // Not counted: the same thread's other worker may have what can be forced.
    if (!may_be_asked(victim)) {
      return false;
    }
  } else if (outcome != deque::steal_outcome::private_only) {
    return outcome == deque::steal_outcome::lost;
  }
  const auto& price = asks ? the_runtime().ticks_of_a_question : the_runtime().ticks_of_a_force;
  // Relaxed: a mean of what was measured.
  if (!is_worth_force(spent, ticks_now(), price.load(std::memory_order_relaxed))) {
    return true;
  }
  return asks ? ask(self, victim) : visit_and_force(self, victim);
}

/// Looks at the work of one thread, the oldest first: that of its first worker, its tasks, then
/// that of nested workers, which its code began later. A substitute has its tasks first: a strand that blocks may wait for one, and
/// what else it would take may block as well.
bool try_to_steal(worker* self, int attempt, patience& spent) {
  worker* victim = choose_victim(self, attempt);
  if (victim == nullptr) {
    return false;
  }
  if (self->is_substitute && runs_tasks(self)) {
    run_oldest_task(self, victim->tasks);
  }
  known_roots known{};
  bool promising = steal_or_force(self, victim, known, spent);
  if (runs_tasks_outside(self)) {
    run_oldest_task(self, victim->tasks);
  }
  // Acquire pairs with the release in make_nested: the worker is complete.
  while ((victim = victim->nested.load(std::memory_order_acquire)) != nullptr) {
    promising |= steal_or_force(self, victim, known, spent);
  }
  return promising;
}

void take_from_inbox(worker* self) {
  // Mostly empty, and then no exchange is needed.
  if (self->inbox.load(std::memory_order_relaxed) == nullptr) {
    return;
  }
  // Acquire pairs with the release of whoever finished the last child: its results are visible.
  // unreached: own-inbox
  if (nopal_frame* const ready = self->inbox.exchange(nullptr, std::memory_order_acq_rel)) {
    resume_at_home(self, ready);
  }
}

constexpr int looks_where_few_are_left = 8;

/// The worker with the fewest entries that `self` may take now; null: there is none. Of two workers of one thread the inner one.
worker* with_fewest_entries(const worker* self) noexcept {
  worker* found = nullptr;
  std::int32_t fewest = 0;
  for_each_worker(the_runtime(), [self, &found, &fewest](worker* other) {
    const std::int32_t entries = deque::has_public(other->deque) ? deque::size(other->deque) : 0;
    if (entries > 0 && (found == nullptr || entries <= fewest) && may_look_at(self, root_of(*other))) {
      found = other;
      fewest = entries;
    }
  });
  return found;
}

/// For where many strands block, on a worker of the pool. Each may wait for its own youngest fork, which is there to be taken once
/// the older ones are gone, and what is taken of these may block in its turn: as few as can be are begun.
void take_what_blocked_strands_wait_for(worker* self, patience& spent) {
  runtime& all = the_runtime();
  for_each_worker(all, [self](worker* other) { run_oldest_task(self, other->tasks); });
  known_roots known{};
  self->most_rank = lowest_rank;
  for (int look = 0; look < looks_where_few_are_left; ++look) {
    worker* const victim = with_fewest_entries(self);
    if (victim == nullptr || !steal_or_force(self, victim, known, spent)) {
      return;
    }
  }
}

/// Lets others alone for a while, if the last steals were no use.
void keep_away(worker* self) {
  const runtime& all = the_runtime();
  const std::uint64_t ticks = keeps_away_for(self);
  if (ticks == 0) {
    return;
  }
  for (const std::uint64_t began = ticks_now(); ticks_now() - began < ticks && !has_ready(self);) {
    if (!may_keep_away(all)) {
      return forgive(self->shy);
    }
    take_from_inbox(self);
    os::yield();
  }
}

/// A round of looks at others; true if some showed signs of work.
bool try_some_victims(worker* self, patience& spent) {
  bool promising = false;
  if (runs_tasks(self)) {
    run_task_of_arenas(self);
  }
  if (runs_tasks_outside(self)) {
    run_oldest_task(self, self->tasks);
    run_oldest_task(self, tasks_of_nobody);
    if (many_block(the_runtime())) {
      take_what_blocked_strands_wait_for(self, spent);
    }
  }
  begin_round(self);
  for (int attempt = 0; attempt < looks_before_yield; ++attempt) {
    take_from_inbox(self);
    choose_ranks(self, attempt);
    promising |= try_to_steal(self, attempt, spent);
    os::cpu_relax();
  }
  return promising;
}

/// Looks at one worker alone, until it has no work for this one.
void look_closely(worker* self, worker* victim) {
  known_roots& known = self->search->known;
  patience spent{};  // none: its looks are few
  // unreached: race
  for (int attempt = 0; attempt < looks_before_yield && steal_or_force(self, victim, known, spent);
       ++attempt) {
    os::cpu_relax();
  }
}

}  // namespace

bool no_exception_about(void* context) noexcept {
  const auto* const victim = static_cast<const worker*>(context);
  NOPAL_PLAIN_READ(victim->exceptions);
  const exception_state* const state = victim->exceptions;
  // unreached below: no-c++-state
  if (state == nullptr) {
    return true;
  }
  return __atomic_load_n(&state->caught, __ATOMIC_RELAXED) == nullptr &&
         // unreached: landing-exception
         __atomic_load_n(&state->uncaught, __ATOMIC_RELAXED) == 0 && get(victim->deque.setting.uncaught) == 0;
}

bool has_work_to_take(worker* self, worker* victim, known_roots& known) noexcept {
  // Private work that only its owner can publish is nothing to stay awake for: the owner wakes
  // somebody when it does.
  return deque::size(victim->deque) > 0 && may_run(self, root_of(*victim), known) &&
         may_sit_for(self, root_of(*victim)) && (deque::has_public(victim->deque) || visit(victim, [] {}));
}

[[noreturn]] void find_work(worker* self) noexcept {
  runtime& all = the_runtime();
  strand::have_none(self);
  deque::reset(self->deque);
  // unreached below: hierarchy
  if (all.hierarchy) {
    self->cpu.store(os::current_cpu(), std::memory_order_relaxed);
  }
  if (arenas_used != 0 && !keeps_seat_while_it_looks(self)) {
    give_up_own_seat(self);
  }
  if (self->waits_for.load(std::memory_order_relaxed) != nullptr &&
      !NOPAL_FAULT("scheduler call does not end")) {
    end_scheduler_call(self);
  }
  if (arenas_used != 0) {
    give_up_outer_seats(self);
  }
  // unreached below: own-fault
  if (view::this_views() != nullptr) {
    os::write_stderr(
        "nopal: internal error: a worker without a strand has views of one: please report this\n");
    std::abort();
  }
  patience spent{true, 0, 0};
  bool was_woken = false;
  std::uint64_t nap_ns = 0;
  // Strands that are ready never keep those in deques waiting for good.
  bool steals_first = ++self->searches % searches_per_steal == 0;
  for (int quiet_rounds = 0;;) {
    take_from_inbox(self);
    keep_away(self);
    // Sequentially consistent: see pool_stands_by.
    if (self->of_pool && all.stopping.load(std::memory_order_seq_cst) != goes_on && stand_by(all, self)) {
      nopal_leave_scheduler(self);
    }
    if (self->expects) {
      static_cast<void>(goes_on_expecting(self));
    }
    if (is_surplus(self)) {
      come_back(self);
      rest(self, was_woken);
      was_woken = false;
      continue;
    }
    const bool ready_may_wait = std::exchange(steals_first, false);
    if (!ready_may_wait) {
      take_ready(self);
    }
    if (!have_stack(self)) {
      come_back(self);
      resume_yielded(self);
      wait_for_stack(self);
      continue;
    }
    if (self->of_pool && !is_allowed(self)) {
      come_back(self);
      resume_yielded(self);
      rest(self);
      continue;
    }
    const bool promising = try_some_victims(self, spent);
    resume_yielded(self);
    if (self->away.is_there && is_in_the_way(self, promising)) {
      leave_away(self);
    }
    if (ready_may_wait) {
      continue;
    }
    if (promising) {
      quiet_rounds = 0;
    } else if (++quiet_rounds == yields_before_rest && self->yielded == nullptr && !self->expects &&
               is_next_far(self)) {
      quiet_rounds = yields_before_sleep;
    } else if (quiet_rounds > yields_before_sleep && self->yielded == nullptr && !self->expects) {
      quiet_rounds = 0;
      come_back(self);
      nap_ns = run_task_at_join(self, nap_ns);
      park(self, nap_ns);
      was_woken = true;
      continue;
    }
    os::yield();
  }
}

extern "C" [[noreturn]] NOPAL_UNINSTRUMENTED void nopal_run_call(worker* self) noexcept {
  begin_scheduler_call(self);
  if (have_stack(self)) {  // unreached: no-stack-for-call
    if (nopal_task* const task = std::exchange(self->task_of_call, nullptr)) {
      run_task_of_call(self, task);
    }
    if (self->victim_of_call == nullptr) {
      take_ready(self);
    } else {
      look_closely(self, self->victim_of_call);
    }
  }
  self->search = nullptr;  // it found nothing: see call_scheduler
  end_scheduler_call(self);
}

/// Where a thread of the pool begins; on its scheduler stack.
extern "C" [[noreturn]] void nopal_run_scheduler(worker* self) noexcept { find_work(self); }

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

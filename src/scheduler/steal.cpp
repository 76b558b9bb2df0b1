// Finding work: choosing a victim, taking its oldest continuation, starting that on another stack.

#include <cstdlib>
#include <utility>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/join.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/tags.hpp"
#include "scheduler/yield.hpp"
#include "strand/strand.hpp"
#include "testing/fault_points.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr int looks_before_force =
    NOPAL_BOUND(24, 1);  // looks at private work before a thief forces its publication
constexpr int looks_before_yield = NOPAL_BOUND(64, 1);
constexpr int yields_before_sleep = NOPAL_BOUND(16, 0);

/// What a thief reads of a victim between seeing an entry and taking it.
struct observation {
  worker* thief;
  const worker* victim;
  nopal_strand strand;
  std::uint64_t float_control;
  std::uint32_t uncaught;
  const worker* root;
  bool views_used;
  const known_roots& known;
};

bool observe(void* context) {
  auto& seen = *static_cast<observation*>(context);
  seen.root = root_of(*seen.victim);
  // unreached below: race
  if (!may_take(seen.thief, seen.root, seen.known) && !NOPAL_FAULT("asked too early")) {
    return false;
  }
  const nopal_strand& strand = seen.victim->deque.strand;
  seen.strand.stack = get(strand.stack);
  seen.strand.origin_frame_pointer = get(strand.origin_frame_pointer);
  seen.strand.origin_scope = get(strand.origin_scope);
  seen.strand.origin_to_home = get(strand.origin_to_home);
  seen.strand.latest_ticket = get(strand.latest_ticket);
  seen.strand.first_ticket = get(strand.first_ticket);
  seen.float_control = float_control_of(seen.victim->deque.setting);
  seen.uncaught = get(seen.victim->deque.setting.uncaught);
  // At work before the entry is gone, by the release in the exchange: see any_strand_active.
  set(seen.thief->deque.strand.stack, seen.thief->spare);
  // Before the entry is taken: the child that finds it taken sees at its end what this thief saw.
  seen.views_used = view::views_used();
  return true;
}

/// Where the strand's stack pointer starts on `stack`: below room for arguments on the stack.
char* start_pointer(const nopal_stack* stack, const void* frame_pointer, const char* home_stack_pointer) {
  // The frame's whole extent bounds that room. A frame with large locals has an extent that says
  // little; half of the stack is for its callees then.
  auto room = static_cast<std::size_t>(static_cast<const char*>(frame_pointer) - home_stack_pointer);
  const std::size_t most = stack->size_bytes() / 2;
  room = room < most ? room : most;
  char* const highest = stack->high - arch::stack_alignment - room;
  const auto residue = reinterpret_cast<std::uintptr_t>(home_stack_pointer) % arch::stack_alignment;
  const auto excess = (reinterpret_cast<std::uintptr_t>(highest) - residue) % arch::stack_alignment;
  return highest - excess;
}

/// Later than every steal of this strand before: workers' tickets travel with strands, by steals
/// and by joins, so that no line is shared by all.
std::uint64_t next_ticket(worker* self, std::uint64_t seen) {
  const std::uint64_t own = get(self->deque.strand.latest_ticket);
  const std::uint64_t ticket = (own > seen ? own : seen) + 1;
  set(self->deque.strand.latest_ticket, ticket);
  return ticket;
}

[[noreturn]] NOPAL_UNINSTRUMENTED void start_stolen(worker* self, nopal_stack* stack, nopal_frame* slot,
                                                    const observation& observed) {
  const nopal_strand& seen = observed.strand;
  nopal_frame* const frame = untagged(slot);
  const bool away = strand::is_away(seen, frame);
  // Another scope of the function brought it there. This one may be of an inlined function with
  // arrays of variable length on the stack where it is away, so it comes back there. Once this
  // scope has a home, there can be none; but another scope's join may have brought the strand back
  // past that.
  const bool second = away && seen.origin_scope != frame;
  const bool leaves_home =
      !away || (second && !NOPAL_FAULT("never home again") && (frame->steals == 0 || frame->home == nullptr));
  char* const pointer = arch::stack_pointer_of(frame);
  char* const home_pointer = leaves_home ? pointer : pointer + seen.origin_to_home;
  note_old_children(frame);
  if (frame->steals == 0) {
    frame->home = nullptr;
    frame->uncaught_at_fork = observed.uncaught;
  }
  if (leaves_home) {
    frame->home = seen.stack;  // This scope's join brings the strand back.
  }
  if (!away) {
    frame->home_ticket = frame->steals == 0 ? 0 : frame->last_ticket;
  }
  frame->last_ticket = next_ticket(
      // unreached: tickets-travel
      self, frame->steals != 0 && frame->last_ticket > seen.latest_ticket ? frame->last_ticket
                                                                          : seen.latest_ticket);
  count_steal(self, frame);

  NOPAL_DISTURB();
  const std::uint64_t segment_before = !observed.views_used ? view::unknown_segment
                                       : away               ? seen.first_ticket
                                                            : 0;
  char* const start = start_pointer(stack, frame->frame_pointer, home_pointer);
  NOPAL_PLAIN_WRITE(stack->origin);
  stack->origin = {frame->frame_pointer, home_pointer - start, start,
                   frame->last_ticket,   segment_before,       leaves_home ? frame : seen.origin_scope};
  NOPAL_FAULT_OMITS("stale bits", stack->second.store(0, std::memory_order_relaxed));
  // For jumps: see bound_of.
  __atomic_store_n(&frame->home_stack_pointer, home_pointer, __ATOMIC_RELAXED);
  if (second && !leaves_home && !NOPAL_FAULT("left without a word")) {
    strand::leave_for_good(self, seen.stack);
  }
  self->counts.steals.add();
  const worker* const root = observed.root;
  void* const caught = is_tagged(slot) ? frame->caught : nullptr;
  strand::enter(self, {stack, start, &frame->resume_address, false},
                {root, get(root->local), {caught, observed.uncaught}, observed.float_control});
  nopal_resume(frame, start, nullptr);
}

std::uint64_t next_random(worker* self) {
  // xorshift64: any non-zero state; only the spread of victims depends on it.
  std::uint64_t x = self->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  self->random = x;
  return x;
}

/// Another worker, at random, with a hierarchy the near ones first; null where the table has none.
worker* choose_victim(worker* self, int attempt) {
  runtime& all = the_runtime();
  const auto others = static_cast<std::uint64_t>(all.table_used.load(std::memory_order_relaxed)) - 1;
  auto index = static_cast<std::size_t>(NOPAL_CHOICE(others, (next_random(self) >> 32) * others >> 32));
  NOPAL_PLAIN_READ(self->index);
  index += index >= static_cast<std::size_t>(self->index) ? 1 : 0;
  // Acquire pairs with the release in enter_table: the worker is complete.
  worker* const victim = all.table[index].load(std::memory_order_acquire);
  if (victim == nullptr) {
    return nullptr;
  }
  // unreached below: hierarchy
  if (all.hierarchy) {
    const int reach = attempt * os::distance_levels / looks_before_yield;
    const int distance = all.topology->distance(self->cpu.load(std::memory_order_relaxed),
                                                victim->cpu.load(std::memory_order_relaxed));
    if (distance > reach && reach < os::distance_levels - 1) {
      return nullptr;
    }
  }
  return victim;
}

/// The spare stack, or a better one: debuggers want it below the frame that it continues.
nopal_stack* stack_below(worker* self, const void* frame_pointer) {
  nopal_stack* stack = self->spare;
  if (stack->high > static_cast<const char*>(frame_pointer)) {
    if (nopal_stack* const other = the_runtime().stacks.take(frame_pointer)) {
      the_runtime().stacks.give(stack);
      stack = other;
    }
  }
  self->spare = nullptr;
  self->counts.stacks_taken.add();
  return stack;
}

/// A thief that shares its victim's CPU takes from it what it brings to the strand, and the system may
/// leave the two there for a second though other CPUs idle. Called while the victim's thread cannot end:
/// it waits for the strand that was taken.
void leave_cpu_of(worker* self, const worker* victim) noexcept {
  constexpr std::uint64_t stay_ns = 1'000'000;
  if (!the_runtime().spreads_woken || !self->of_pool) {
    return;
  }
  // Relaxed, both: a CPU is a hint. The second word is the kernel's.
  const std::uint32_t* const cpu_of_victim =
      thread_worker(victim)->cpu_of_thread.load(std::memory_order_relaxed);
  const int own = os::current_cpu();
  if (cpu_of_victim == nullptr || own < 0 ||
      __atomic_load_n(cpu_of_victim, __ATOMIC_RELAXED) != static_cast<std::uint32_t>(own)) {
    return;
  }
  const std::uint64_t now = os::monotonic_ns();
  if (now >= self->stays_until) {
    self->stays_until = now + stay_ns;
    leave_cpu(self, own);
  }
}

/// One look at one victim. Does not return if it brought work.
deque::steal_outcome steal_from(worker* self, worker* victim, known_roots& known) {
  observation seen{self, victim, {}, 0, 0, nullptr, false, known};
  nopal_frame* slot = nullptr;
  // Asked before the limit is poisoned: what this thief may not run is not to be published for it.
  if (!self->of_pool && (!deque::has_entries(victim->deque) || !may_run(self, root_of(*victim), known))) {
    return deque::steal_outcome::empty;
  }
  const deque::steal_outcome outcome = deque::steal(victim->deque, slot, observe, &seen);
  if (outcome != deque::steal_outcome::taken) {
    set(self->deque.strand.stack, nullptr);
    return outcome;
  }
  if (anyone_sleeps() && deque::size(victim->deque) > 0) {
    wake_one(self, seen.root);  // There is more where this came from.
  }
  leave_cpu_of(self, victim);
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
    if (deque::force_publish(victim->deque, os::process_barrier, no_exception_about, victim)) {
      self->counts.forced_publishes.add();
    }
  });
}

/// Looks at one worker. Does not return if that brought work; true if another look soon is of use.
bool steal_or_force(worker* self, worker* victim, known_roots& known, int& looks_at_private_work) {
  const deque::steal_outcome outcome = steal_from(self, victim, known);
  self->counts.failed_steals.add();
  const bool asks = outcome == deque::steal_outcome::empty && may_have_latent_forks(*victim) &&
                    (self->of_pool || may_run(self, root_of(*victim), known));
  if (asks) {
    deque::poison(victim->deque);
  } else if (outcome != deque::steal_outcome::private_only) {
    return outcome == deque::steal_outcome::lost;
  }
  if (++looks_at_private_work < looks_before_force) {
    return !asks || may_be_asked(victim);
  }
  looks_at_private_work = 0;
  return asks ? ask(self, victim) : visit_and_force(self, victim);
}

/// Looks at the work of one thread, the oldest first: that of its first worker, its tasks, then
/// that of nested workers, which its code began later.
bool try_to_steal(worker* self, int attempt, int& looks_at_private_work) {
  worker* victim = choose_victim(self, attempt);
  if (victim == nullptr) {
    return false;
  }
  known_roots known{};
  bool promising = steal_or_force(self, victim, known, looks_at_private_work);
  if (runs_tasks(self)) {
    run_oldest_task(self, victim->tasks);
  }
  // Acquire pairs with the release in make_nested: the worker is complete.
  while ((victim = victim->nested.load(std::memory_order_acquire)) != nullptr) {
    promising |= steal_or_force(self, victim, known, looks_at_private_work);
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

/// A round of looks at others; true if some showed signs of work.
bool try_some_victims(worker* self, int& looks_at_private_work) {
  bool promising = false;
  if (runs_tasks(self)) {
    run_task_of_arenas(self);
    run_oldest_task(self, self->tasks);
    run_oldest_task(self, tasks_of_nobody);
  }
  for (int attempt = 0; attempt < looks_before_yield; ++attempt) {
    take_from_inbox(self);
    promising |= try_to_steal(self, attempt, looks_at_private_work);
    os::cpu_relax();
  }
  return promising;
}

/// Looks at one worker alone, until it has no work for this one.
void look_closely(worker* self, worker* victim) {
  known_roots& known = self->search->known;
  int looks_at_private_work = 0;
  // unreached: race
  for (int attempt = 0;
       attempt < looks_before_yield && steal_or_force(self, victim, known, looks_at_private_work);
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
         (deque::has_public(victim->deque) || visit(victim, [] {}));
}

[[noreturn]] void find_work(worker* self) noexcept {
  runtime& all = the_runtime();
  strand::have_none(self);
  deque::reset(self->deque);
  // unreached below: hierarchy
  if (all.hierarchy) {
    self->cpu.store(os::current_cpu(), std::memory_order_relaxed);
  }
  if (self->waits_for.load(std::memory_order_relaxed) != nullptr &&
      !NOPAL_FAULT("scheduler call does not end")) {
    end_scheduler_call(self);
  }
  // unreached below: own-fault
  if (view::this_views() != nullptr) {
    os::write_stderr(
        "nopal: internal error: a worker without a strand has views of one: please report this\n");
    std::abort();
  }
  int looks_at_private_work = 0;
  for (int quiet_rounds = 0;;) {
    take_from_inbox(self);
    // Acquire pairs with the release in stop_runtime.
    if (self->of_pool && all.stopping.load(std::memory_order_acquire)) {
      nopal_leave_scheduler(self);
    }
    if (!have_stack(self)) {
      resume_yielded(self);
      wait_for_stack(self);
      continue;
    }
    const bool promising = try_some_victims(self, looks_at_private_work);
    resume_yielded(self);
    if (promising) {
      quiet_rounds = 0;
    } else if (++quiet_rounds > yields_before_sleep) {
      quiet_rounds = 0;
      park(self);
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
    look_closely(self, self->victim_of_call);
  }
  end_scheduler_call(self);
}

/// Where a thread of the pool begins; on its scheduler stack.
extern "C" [[noreturn]] void nopal_run_scheduler(worker* self) noexcept { find_work(self); }

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

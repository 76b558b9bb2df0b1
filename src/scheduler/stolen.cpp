// What becomes of a continuation that was taken: its frame and a stack are made ready, and it begins
// there, at once or when some worker finds it in the list of ready strands.

#include "scheduler/stolen.hpp"

#include <utility>

#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/join.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/push.hpp"
#include "scheduler/ready.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/tags.hpp"
#include "scheduler/traced.hpp"
#include "strand/strand.hpp"
#include "testing/fault_points.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

void see(observation& seen) {
  const nopal_strand& strand = seen.victim->deque.strand;
  seen.strand.stack = get(strand.stack);
  seen.strand.origin_frame_pointer = get(strand.origin_frame_pointer);
  seen.strand.origin_scope = get(strand.origin_scope);
  seen.strand.origin_to_home = get(strand.origin_to_home);
  seen.strand.latest_ticket = get(strand.latest_ticket);
  seen.strand.first_ticket = get(strand.first_ticket);
  seen.float_control = float_control_of(seen.victim->deque.setting);
  seen.uncaught = get(seen.victim->deque.setting.uncaught);
  seen.unrecorded_in = profile::is_on() ? get(seen.victim->profile.unrecorded_in) : nullptr;
  seen.stops = stops::used() ? stops::part_of_oldest(seen.victim) : nullptr;
}

}  // namespace

bool observe(void* context) {
  auto& seen = *static_cast<observation*>(context);
  seen.root = root_of(*seen.victim);
  // unreached below: race
  if (!may_take(seen.thief, seen.root, seen.known) && !NOPAL_FAULT("asked too early")) {
    return false;
  }
  // Seen after the entry: see arenas_used.
  if (arenas_used != 0 && !try_seat(seen.thief, seen.root, seen.seat)) {
    return false;
  }
  see(seen);
  // At work before the entry is gone, by the release in the exchange: see any_strand_active.
  set(seen.thief->deque.strand.stack, seen.thief->spare);
  // Before the entry is taken: the child that finds it taken sees at its end what this thief saw.
  seen.views_used = view::views_used();
  return true;
}

namespace {

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

/// All that the steal changes in the frame and in the counts of the worker, which has just taken the
/// continuation. Returns it ready to begin on `stack`.
ready_strand take_over(worker* self, nopal_stack* stack, nopal_frame* slot, const observation& observed) {
  const nopal_strand& seen = observed.strand;
  nopal_frame* const frame = untagged(slot);
  // First: a phantom steal is none, and leaves the frame without a home.
  if (profile::is_on()) {
    profile::note_steal(frame, observed.unrecorded_in);
  }
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
  ready_strand result;
  result.frame = frame;
  result.stack = stack;
  result.start = start;
  result.root = observed.root;
  result.caught = is_tagged(slot) ? frame->caught : nullptr;
  result.uncaught = observed.uncaught;
  result.float_control = observed.float_control;
  result.stops = NOPAL_FAULT("path read late") ? stops::part_of_oldest(observed.victim) : observed.stops;
  return result;
}

[[noreturn]] NOPAL_UNINSTRUMENTED void begin(worker* self, const ready_strand& one) {
  const auto* const root = static_cast<const worker*>(one.root);
  go_on_in(self, arena_of(root));
  if (profile::is_on()) {
    profile::begin_stolen(self->profile, one.frame);
  }
  stops::begin(self, one.stops);
  strand::enter(self, {one.stack, one.start, &one.frame->resume_address, false},
                {root, get(root->local), {one.caught, one.uncaught}, one.float_control});
  go_on_profiled(self, profile::after::other);
  nopal_resume(one.frame, one.start, nullptr);
}

}  // namespace

[[noreturn]] NOPAL_UNINSTRUMENTED void start_stolen(worker* self, nopal_stack* stack, nopal_frame* slot,
                                                    const observation& observed) noexcept {
  const ready_strand taken = take_over(self, stack, slot, observed);
  trace::note(self, trace::what::steals,
              trace::steal_word(reinterpret_cast<std::uintptr_t>(taken.frame->resume_address),
                                observed.victim->index));
  note_start(self->shy, ticks_now());
  begin(self, taken);
}

namespace {

bool lies_below_frame(const nopal_stack* stack, const void* frame_pointer) noexcept {
  return stack->high <= static_cast<const char*>(frame_pointer);
}

/// A stack below the frame and of the memory node, in exchange for `stack`; that one if the pool has no
/// better. Apart, so that who needs none pays nothing for it.
[[gnu::noinline]] nopal_stack* exchanged(nopal_stack* stack, const void* frame_pointer) noexcept {
  nopal_stack* other = take_stack(frame_pointer);
  if (other == nullptr) {
    return stack;
  }
  if (lies_below_frame(stack, frame_pointer) && !(lies_below_frame(other, frame_pointer) && is_near(other))) {
    std::swap(stack, other);
  }
  the_runtime().stacks.give(stack);
  return other;
}

}  // namespace

nopal_stack* stack_below(worker* self, const void* frame_pointer) noexcept {
  nopal_stack* stack = self->spare;
  if (!lies_below_frame(stack, frame_pointer) || !is_near(stack)) {
    stack = exchanged(stack, frame_pointer);
  }
  self->spare = nullptr;
  self->counts.stacks_taken.add();
  return stack;
}

namespace {

/// The same for the worker's own deque. Its strand is at work meanwhile.
bool observe_own(void* context) {
  auto& seen = *static_cast<observation*>(context);
  seen.root = root_of(*seen.victim);
  see(seen);
  seen.views_used = view::views_used();
  return true;
}

}  // namespace

bool list_own_forks(worker* self) noexcept {
  runtime& all = the_runtime();
  const known_roots none{};
  for (;;) {
    if (!have_stack(self)) {
      return false;
    }
    observation seen{self, self, {}, 0, 0, nullptr, false, none};
    nopal_frame* slot = nullptr;
    switch (deque::steal(self->deque, slot, observe_own, &seen)) {
    case deque::steal_outcome::taken: {
      nopal_stack* const stack = stack_below(self, untagged(slot)->frame_pointer);
      stack->ready = take_over(self, stack, slot, seen);
      self->counts.suspensions.add();
      // It counts as waiting until it begins: see any_strand_active.
      all.waiting_joins.fetch_add(1, std::memory_order_seq_cst);
      make_ready(stack->ready);
      break;
    }
    case deque::steal_outcome::empty: return true;
    case deque::steal_outcome::private_only: offer_all(self); break;
    case deque::steal_outcome::lost: os::yield(); break;  // unreached: race
    }
  }
}

[[noreturn]] NOPAL_UNINSTRUMENTED void start_ready(worker* self, const ready_strand& one) noexcept {
  // As in resume_at_join: at work before it is counted, and that before it waits no more.
  strand::run_on(self, one.stack);
  self->counts.resumptions.add();
  the_runtime().waiting_joins.fetch_sub(1, std::memory_order_seq_cst);
  if (one.stack->origin.ticket > get(self->deque.strand.latest_ticket)) {
    set(self->deque.strand.latest_ticket, one.stack->origin.ticket);
  }
  trace::note(self, trace::what::starts_ready, one.frame->resume_address);
  begin(self, one);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

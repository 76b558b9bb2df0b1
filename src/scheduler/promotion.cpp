// The walk and what it makes of latent forks. Compiled to use general registers only, as the slow
// push that it is part of.

#include "scheduler/promotion.hpp"

#include "deque/deque.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/push.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/tags.hpp"
#include "scheduler/traced.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

std::uint64_t address_of(const void* pointer) noexcept { return reinterpret_cast<std::uint64_t>(pointer); }

/// The end of the memory that a walk from `stack_pointer` may read; 0 if that is on no stack that is
/// known.
std::uint64_t end_of_stack(worker* self, std::uint64_t stack_pointer) noexcept {
  const nopal_stack* const stack = get(self->deque.strand.stack);
  if (stack == nullptr) {
    return 0;
  }
  const nopal_stack* const below = ground(stack);
  const worker* const first = thread_worker(self);
  const bool of_thread = below->native_owner != nullptr;
  const std::uint64_t low = address_of(of_thread ? first->native_low : below->low);
  const std::uint64_t high = address_of(of_thread ? first->native_high : below->high);
  return stack_pointer >= low && stack_pointer < high ? high : 0;
}

/// Where the youngest fork of the deque left its return address; the largest number if it is empty.
std::uint64_t youngest_pushed(const nopal_deque& deque) noexcept {
  return deque::size(deque) <= 0
             ? ~std::uint64_t{0}
             : address_of(untagged(deque.owner_slots[deque.bottom - 1])->call_stack_pointer);
}

enum class recorded : std::uint8_t { yes, not_yet, never };

/// What an eager fork would have recorded. The place of the promoted return is kept in `caught`
/// until it is put where the return address is.
recorded record(const arch::registers& at, const arch::fork_record& site, nopal_frame*& frame) noexcept {
  frame = static_cast<nopal_frame*>(arch::nopal_scope_of(site.at(site.scope), &at));
  if (!arch::has_frame_pointer(at, frame->frame_pointer)) {
    return recorded::never;
  }
  if (site.copies != 0 && !NOPAL_FAULT("copies not awaited") &&
      __atomic_load_n(&frame->resume_address, __ATOMIC_RELAXED) == nullptr) {
    return recorded::not_yet;  // see set_copied
  }
  NOPAL_PLAIN_WRITE(frame->resume_address);
  NOPAL_FAULT_OMITS("recorded late", NOPAL_PLAIN_STORE(frame->resume_address,
                                                       reinterpret_cast<void*>(site.at(site.continuation))));
  arch::record(*frame, at);
  frame->caught = reinterpret_cast<void*>(site.at(site.promoted_return));
  return recorded::yes;
}

/// A walk through the part of a stack that belongs to one worker.
struct walk {
  arch::registers at;
  bool exact;
  bool looks_up;
  std::uint64_t end;  ///< of the stack
};

enum class walk_end : std::uint8_t { complete, cut, at_unwinder, not_looked_up, between, outside };

/// Calls visit(registers, record) for each latent fork, the youngest first, until that says false.
/// Leaves `from` where it ended.
template <class Visit>
walk_end walk_latent(worker* self, walk& from, Visit visit) noexcept {
  const std::uint64_t pushed = youngest_pushed(self->deque);
  // On another stack the walk comes to that one's end, and addresses here and there say nothing.
  const bool in_call = self->outer != nullptr && get(self->deque.strand.stack) == &self->native;
  const std::uint64_t outer = in_call ? address_of(self->pinned_by) : ~std::uint64_t{0};
  for (;;) {
    if (from.at.sp > outer) {
      return walk_end::outside;
    }
    const arch::place here = arch::look(from.at, from.exact, from.looks_up);
    switch (here.kind) {
    case arch::code::ordinary: break;
    case arch::code::latent_in_place:
      if (!visit(from.at, *here.record)) {
        return walk_end::cut;
      }
      break;
    case arch::code::latent_call:
      if (from.exact && !NOPAL_FAULT("end of a child not seen")) {
        return walk_end::between;
      }
      if (!visit(from.at, *here.record)) {
        return walk_end::cut;
      }
      arch::step_to_forker(from.at, *here.record);
      continue;
    case arch::code::promoted:
    case arch::code::outermost:
      // Interrupted there, the thread is behind a child, or on its way from one stack to another.
      return from.exact ? walk_end::between : walk_end::complete;
    case arch::code::unwinder:
      // It has read return addresses that must stay as they are until it goes on in a handler.
      return walk_end::at_unwinder;
    case arch::code::not_looked_up: return walk_end::not_looked_up;
    case arch::code::unknown: return walk_end::cut;
    }
    if (from.at.sp - sizeof(void*) == pushed) {
      return walk_end::complete;
    }
    switch (arch::step_out(from.at, here, from.exact, from.looks_up, from.end)) {
    case arch::step::done: break;
    case arch::step::off_stack: return walk_end::complete;
    case arch::step::unknown: return walk_end::cut;
    }
    from.exact = false;
  }
}

/// Puts the forks that the walk found behind the deque's entries, where nobody else looks, the
/// youngest first. Those that have no room there are the youngest.
struct collector {
  nopal_frame** slots;
  std::int32_t room;
  std::int32_t skipped;  ///< found before, and not to be put
  std::int32_t found = 0;
  std::int32_t put = 0;
  bool waits = false;  ///< for a child that has not copied its arguments yet

  bool operator()(const arch::registers& at, const arch::fork_record& site) noexcept {
    ++found;
    if (found <= skipped || put == room) {
      return true;
    }
    nopal_frame* frame;
    const recorded was = record(at, site, frame);
    if (was == recorded::yes) {
      slots[put++] = frame;
    } else {
      --found;
      waits = waits || was == recorded::not_yet;
    }
    return was != recorded::never;
  }
};

/// Makes entries of what the collector has put. The oldest comes first, and each return address is
/// replaced before its fork may be taken.
void push_collected(worker* self, std::int32_t count) noexcept {
  nopal_frame** const first = self->deque.owner_slots + self->deque.bottom;
  for (std::int32_t i = 0; i < count / 2 && !NOPAL_FAULT("youngest first"); ++i) {
    nopal_frame* const younger = first[i];
    first[i] = first[count - 1 - i];
    first[count - 1 - i] = younger;
  }
  if (stops::used()) {
    stops::raise(self, first, count);
  }
  for (std::int32_t i = 0; i < count; ++i) {
    nopal_frame* const frame = first[i];
    NOPAL_FAULT_OMITS("return address kept", *static_cast<void**>(frame->call_stack_pointer) = frame->caught);
    deque::append(self->deque, frame);
    NOPAL_FAULT_DOES("recorded late",
                     __atomic_store_n(&frame->resume_address, frame->caught, __ATOMIC_RELAXED));
  }
  self->counts.promotions.add(static_cast<std::uint64_t>(count));
  trace::note(self, trace::what::promotes, static_cast<std::uint64_t>(count));
}

void note_cut() noexcept {
  std::atomic<bool>& cut = the_runtime().walks_were_cut;
  if (!cut.load(std::memory_order_relaxed)) {
    cut.store(true, std::memory_order_relaxed);
  }
}

promotion promote_one(worker* self, walk& from, promotion_rules rules, bool& goes_on) noexcept {
  self->none_latent = false;
  if (!rules.exact && deque::size(self->deque) == 0) {
    self->buries_latent = false;
    self->left_latent = false;
  }
  const walk beginning = from;
  std::int32_t skipped = 0;
  for (;;) {
    const std::int32_t room = deque::capacity_of(self->deque.owner_slots) - self->deque.bottom;
    collector found{self->deque.owner_slots + self->deque.bottom, room, skipped};
    from = beginning;
    const walk_end end =
        walk_latent(self, from, [&found](const arch::registers& at, const arch::fork_record& site) noexcept {
          return found(at, site);
        });
    goes_on = end == walk_end::outside;
    if (end == walk_end::not_looked_up || end == walk_end::between) {
      return {0, end == walk_end::between ? promotion_end::between : promotion_end::not_looked_up};
    }
    if (found.found - skipped > room) {
      if (rules.grows && deque::reserve(self->deque, found.found)) {
        continue;
      }
      skipped = found.found - room;
      continue;
    }
    if (found.put > 0) {
      push_collected(self, found.put);
    }
    self->left_latent = self->left_latent || found.waits || skipped > 0;
    const bool is_cut = end == walk_end::cut || end == walk_end::at_unwinder;
    if (end == walk_end::cut) {
      self->counts.walks_cut_short.add();
    }
    if (is_cut) {
      // Without a push of these or of the fork that the thread is at, nothing lies on them.
      self->buries_latent = !rules.exact || found.put > 0;
    }
    if (is_cut && self->buries_latent) {
      note_cut();
    }
    const bool is_soon_over = found.waits || end == walk_end::at_unwinder;
    return {found.put, found.put == 0 && is_soon_over ? promotion_end::between
                       : is_cut                       ? promotion_end::cut
                       : skipped > 0                  ? promotion_end::no_room
                                                      : promotion_end::complete};
  }
}

/// For a handler on the same thread: see may_promote_now.
class promoting {
public:
  explicit promoting(worker* first) noexcept : first_(first) { set(true); }
  ~promoting() { set(false); }
  promoting(const promoting&) = delete;
  promoting& operator=(const promoting&) = delete;

private:
  void set(bool now) noexcept {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&first_->promotes, now, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  worker* first_;
};

}  // namespace

promotion promote(worker* self, const arch::registers& at, promotion_rules rules) noexcept {
  const promoting mark(thread_worker(self));
  walk from{at, rules.exact, rules.looks_up, end_of_stack(self, at.sp)};
  if (from.end == 0) {
    self->none_latent = false;
    if (!rules.exact) {
      note_cut();
    }
    // Of a fork that is pushed there: those of the strand's stack lie below it.
    self->buries_latent = self->buries_latent || !rules.exact;
    return {0, promotion_end::off_strand};
  }
  bool goes_on;
  promotion all = promote_one(self, from, rules, goes_on);
  for (worker* one = self->outer; one != nullptr && goes_on; one = one->outer) {
    const promotion more = promote_one(one, from, rules, goes_on);
    if (more.forks > 0) {
      offer_of_outer(one, self);
    }
    all.forks += more.forks;
    all.end = more.end == promotion_end::complete ? all.end : more.end;
  }
  return all;
}

bool may_promote_now(const worker* self) noexcept {
  bool may =
      !__atomic_load_n(&thread_worker(self)->promotes, __ATOMIC_RELAXED) || NOPAL_FAULT("walk in a walk");
  for (const worker* one = self; one != nullptr; one = one->outer) {
    may = may && (!one->buries_latent || NOPAL_FAULT("buried promoted"));
  }
  return may;
}

void promote_for_thieves(worker* self) noexcept {
  if (nopal_latent_forks_used != 0 && may_be_taken(the_runtime(), self)) {
    arch::registers here;
    arch::nopal_registers_here(&here);
    static_cast<void>(promote(self, here, {false, true, true}));
  }
}

void promote_own() noexcept {
  worker* const self = this_worker();
  if (nopal_latent_forks_used != 0 && self != nullptr) {
    arch::registers here;
    arch::nopal_registers_here(&here);
    static_cast<void>(promote(self, here, {false, true, true}));
  }
}

/// Before the slow push of a fork: all latent forks are older. Returns a push_remainder: the whole
/// push, if that may do what this may not.
extern "C" int nopal_promote_before_push(worker* self, const arch::registers* at) noexcept {
  self->stopped_at = at;
  // Whatever comes of this push: after it, forks may be latent.
  const bool none_latent = self->none_latent;
  NOPAL_FAULT_OMITS("none latent kept", self->none_latent = false);
  worker* const first = thread_worker(self);
  forks_again(first);
  if (!may_be_taken(the_runtime(), self)) {
    self->buries_latent = true;
    return first->is_ready_to_answer ? nothing_left : whole_push;
  }
  if (!first->is_ready_to_answer) {
    return whole_push;
  }
  if (none_latent || records_all_forks(self)) {
    self->stopped_at = nullptr;  // nor does the whole push walk
    return nothing_left;
  }
  NOPAL_FAULT_DOES("pushed above latent", return nothing_left);
  const promotion done = promote(self, *at, {false, false, false});
  if (done.end == promotion_end::complete) {
    self->profile.has_left_latent = false;  // until the strand is let go
    if (done.forks > 0) {
      note_fruitful(first);
    }
  }
  return done.end == promotion_end::not_looked_up || done.end == promotion_end::no_room ? whole_push
                                                                                        : nothing_left;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

// What an owner makes public of its deque, with what thieves have to know of the exceptions at each fork.

#include "deque/deque.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/pinned.hpp"
#include "scheduler/push.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/tags.hpp"
#include "strand/strand.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr std::int32_t everything = 1 << 30;

/// Which of the exceptions that this strand has caught were being handled at each fork in the
/// deque.
struct caught_record {
  void* caught;              // the list now; if something is being handled, slots have to say what
  const nopal_stack* stack;  // run on now; null: every fork was made under the whole list
};

/// The entry's frame gets the exceptions that were being handled when it forked, and its slot says
/// so.
void record_caught(void* context, nopal_frame*& slot) {
  const auto& record = *static_cast<const caught_record*>(context);
  if (record.caught != nullptr) {
    nopal_frame* const frame = untagged(slot);
    void* const caught = record.stack == nullptr
                             ? record.caught
                             : caught_at(record.caught, arch::stack_pointer_of(frame), record.stack);
    if (caught != nullptr) {
      frame->caught = caught;
      __atomic_store_n(&slot, tagged(frame), __ATOMIC_RELAXED);
    }
  }
}

/// Whether thieves can be told the state of exceptions at every fork in the deque.
bool exceptions_known(worker* self, std::int32_t entries) {
  // unreached below: no-c++-state
  if (self->exceptions == nullptr) {
    return true;
  }
  const exception_state now = *self->exceptions;
  if (entries == 1) {
    // The only entry was pushed just now, so the present state is that of its fork.
    set_if_changed(self->deque.setting.uncaught, now.uncaught);
    return true;
  }
  if (now.uncaught != 0 || !handlers_known(now.caught, self->deque.strand.stack)) {
    // Some forks may be older than the exception. They stay private until it has landed, or ended.
    return false;
  }
  set_if_changed(self->deque.setting.uncaught, 0);
  return true;
}

}  // namespace

void offer(worker* self, how_much much) noexcept {
  const std::int32_t entries = deque::size(self->deque);
  // unreached below: race
  if (!exceptions_known(self, entries)) {
    deque::poison(self->deque);
    return;
  }
  // unreached: no-c++-state
  caught_record record{self->exceptions == nullptr ? nullptr : self->exceptions->caught,
                       entries == 1 ? nullptr : self->deque.strand.stack};
  const std::int32_t most = much == how_much::some ? deque::publish_batch(entries) : everything;
  note_published(self, deque::publish(self->deque, most, record_caught, &record, much == how_much::all));
  NOPAL_DISTURB();
  wake_one(self, root_of(*self));
}

namespace {

/// Makes all entries public, if there are any and thieves can be told of exceptions at each fork.
bool publish_all(worker* self) noexcept {
  const exception_state now = strand::exceptions_of(self);
  if (deque::size(self->deque) <= 0 || now.uncaught != 0 ||
      !handlers_known(now.caught, self->deque.strand.stack)) {
    return false;  // thieves may force the publication of what they can take
  }
  hide_outer(self);
  tell_float_control(self);
  set_if_changed(self->deque.setting.uncaught, 0);
  caught_record record{now.caught, self->deque.strand.stack};
  note_published(self, deque::publish(self->deque, everything, record_caught, &record));
  return true;
}

}  // namespace

void offer_all(worker* self) noexcept {
  if (publish_all(self)) {
    NOPAL_DISTURB();
    wake_one(self, root_of(*self));
  }
}

extern "C" NOPAL_EXPORT void nopal_offer() {
  worker* const self = this_worker();
  // Whoever sleeps was woken for the first entries, or is by who takes one of them.
  if (self != nullptr && may_be_taken(the_runtime(), self)) {
    static_cast<void>(publish_all(self));
  }
}

void offer_of_outer(worker* outer, worker* self) noexcept {
  const exception_state now = strand::exceptions_of(self);
  const nopal_stack* const stack = outer->deque.strand.stack;
  if (now.uncaught != 0 || !handlers_known(now.caught, stack)) {
    hide_outer(self);  // they stay private until the call is over
    return;
  }
  set_if_changed(outer->deque.setting.uncaught, 0);
  caught_record record{now.caught, stack};
  static_cast<void>(
      deque::publish(outer->deque, deque::publish_batch(deque::size(outer->deque)), record_caught, &record));
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

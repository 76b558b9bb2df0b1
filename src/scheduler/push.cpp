// The slow path of a push: adoption, growth, publishing, waking. Everything that wants a running owner gets hold of
// it here, through the poisoned limit.

#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/tags.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

namespace {

constexpr std::int32_t publish_batch = 16;

/// Exceptions caught by this strand: which of them each fork in the deque was made under.
struct caught_record {
  void* caught;      // the list now
  const void* base;  // the list when the strand came to this worker
  bool any;          // something is being handled, so slots have to say what
};

/// The entry's frame gets the exceptions that were being handled when it forked, and its slot says so.
void record_caught(void* context, nopal_frame*& slot) {
  const auto& record = *static_cast<const caught_record*>(context);
  if (record.any) {
    nopal_frame* const frame = untagged(slot);
    frame->caught = caught_at(record.caught, frame->stack_pointer, record.base);
    __atomic_store_n(&slot, tagged(frame), __ATOMIC_RELAXED);
  }
}

/// Whether thieves can be told the state of exceptions at every fork in the deque.
bool exceptions_known(worker* self, std::int32_t entries) {
  if (self->exceptions == nullptr) {
    return true;
  }
  const exception_state now = *self->exceptions;
  if (entries == 1) {
    // The only entry was made just now: what is, was.
    self->strand_uncaught.store(now.uncaught, std::memory_order_relaxed);
    return true;
  }
  if (now.uncaught != 0) {
    return false;  // Some forks may be older than the exception in flight. They stay private until it has landed.
  }
  self->strand_uncaught.store(0, std::memory_order_relaxed);
  return true;
}

void offer(worker* self) {
  const std::int32_t entries = deque::size(self->deque);
  if (!exceptions_known(self, entries)) {
    deque::poison(self->deque);
    return;
  }
  caught_record record{self->exceptions == nullptr ? nullptr : self->exceptions->caught,
                       self->strand_caught.load(std::memory_order_relaxed), false};
  record.any = record.caught != nullptr;
  if (!record.any) {
    self->strand_caught.store(nullptr, std::memory_order_relaxed);
  }
  self->float_control.store(arch::float_control(), std::memory_order_relaxed);
  const std::int32_t half = (entries + 1) / 2;
  if (deque::publish(self->deque, half < publish_batch ? half : publish_batch, record_caught, &record) > 0) {
    self->counts.publishes.add();
  }
  wake_one(self);
}

}  // namespace

/// The slow path of nopal_push, on the strand's stack, with the caller's registers saved. Non-zero: not pushed.
extern "C" int nopal_push_slow_path(nopal_frame* frame) noexcept {
  worker* self = this_worker();
  runtime& all = the_runtime();
  if (self == nullptr) {
    self = adopt_this_thread();
    if (self == nullptr) {
      return 1;
    }
  } else if (!all.running.load(std::memory_order_acquire) && !start_runtime(all)) {
    // Acquire pairs with the release at the end of start_runtime.
    return 1;
  }
  if (!deque::reserve(self->deque)) {
    return 1;
  }
  deque::append(self->deque, frame);
  deque::unpoison(self->deque);
  if (all.table_used.load(std::memory_order_relaxed) > 1) {
    offer(self);
  }
  return 0;
}

extern "C" int nopal_pop_slow(nopal_deque* deque) { return deque::pop_slow(*deque) ? 1 : 0; }

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

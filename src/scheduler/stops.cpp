// Entering and leaving parts that may be stopped, requests, and what a refused push means.

#include "scheduler/stops.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include <nopal/detail/noise.h>
#include <nopal/detail/stopped.hpp>

#include "scheduler/adoption.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/runtime.hpp"
#include "strand/strand.hpp"

unsigned char nopal_stops_used = 0;
alignas(64) std::uint32_t nopal_stops_requested = 0;  // apart from the former, which is hardly ever written

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace stops {

std::uint32_t last_request = 0;

namespace {

/// What a part's `requested` is. Not zero: the part is to stop.
constexpr std::uint32_t not_requested = 0;
constexpr std::uint32_t told = 1;  ///< all limits were poisoned since
/// Every other one is of one request: some worker may not know yet. Who told them of a request that was withdrawn is not
/// to say so of the next.
constexpr std::uint32_t of_one_request = 2;

constexpr std::uintptr_t from_before = ~std::uintptr_t{0};
constexpr std::uint32_t first_capacity = sizeof(stop_path::first) / sizeof(stop_step);
constexpr std::uint32_t steps_for_calls = 1;  ///< of a strand that runs while another stands still

/// A grown path keeps what it was, since thieves may be reading that.
struct block {
  block* previous;
  stop_step steps[1];
};

std::uint32_t capacity_of(const stop_path& path) noexcept {
  return path.grown.load(std::memory_order_relaxed) != nullptr ? path.capacity : first_capacity;
}

block* block_of(stop_step* steps) noexcept {
  return reinterpret_cast<block*>(reinterpret_cast<char*>(steps) - offsetof(block, steps));
}

bool grow(stop_path& path) noexcept {
  const std::uint32_t before_capacity = capacity_of(path);
  const std::uint32_t capacity = 2 * before_capacity;
  auto* const bigger =
      static_cast<block*>(std::calloc(1, sizeof(block) + std::size_t{capacity} * sizeof(stop_step)));
  if (bigger == nullptr) {
    return false;
  }
  stop_step* const before = path.grown.load(std::memory_order_relaxed);
  bigger->previous = before != nullptr ? block_of(before) : nullptr;
  const stop_step* const from = before != nullptr ? before : path.first;
  // Steps that were left, too: a thief may have read a larger count.
  for (std::uint32_t i = 0; i < before_capacity; ++i) {
    stop_step& to = bigger->steps[i];
    to.index.store(from[i].index.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.part.store(from[i].part.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.place = from[i].place;
  }
  path.capacity = capacity;
  // Release pairs with the acquire in steps_of: a thief that reads the steps there finds these.
  path.grown.store(bigger->steps, std::memory_order_release);
  return true;
}

/// There is room.
void append(stop_path& path, std::int32_t index, nopal_stop* part, std::uintptr_t place) noexcept {
  const std::uint32_t count = path.count.load(std::memory_order_relaxed);
  stop_step& step = steps_of(path)[count];
  step.index.store(index, std::memory_order_relaxed);
  step.part.store(part, std::memory_order_relaxed);
  step.place = place;
  // Release pairs with the acquire in part_of_oldest: who sees so many steps sees this one.
  path.count.store(count + 1, NOPAL_FAULT_ORDER("step told late", std::memory_order_release));
}

/// Handlers promote nothing meanwhile: they would change the path.
class changing {
public:
  explicit changing(worker* self) noexcept : first_(thread_worker(self)), before_(first_->promotes) {
    __atomic_store_n(&first_->promotes, true, __ATOMIC_RELAXED);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~changing() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    __atomic_store_n(&first_->promotes, before_, __ATOMIC_RELAXED);
  }
  changing(const changing&) = delete;
  changing& operator=(const changing&) = delete;

private:
  worker* first_;
  bool before_;
};

void take_off(stop_path& path, nopal_stop* part) noexcept {
  stop_step* const all = steps_of(path);
  // Code that was jumped over has left its steps above.
  std::uint32_t count = path.count.load(std::memory_order_relaxed);
  while (count > path.kept && all[count - 1].part.load(std::memory_order_relaxed) != part) {
    --count;
  }
  if (count == path.kept) {
    return;
  }
  stop_step& last = all[count - 1];
  if (last.place != from_before) {
    path.count.store(count - 1, std::memory_order_release);
  } else {
    // The strand came with it, so no entry of the deque is older.
    last.part.store(part->parent, std::memory_order_relaxed);
    path.count.store(count, std::memory_order_release);
  }
}

}  // namespace

void use() noexcept {
  if (!used()) {
    __atomic_store_n(&nopal_stops_used, 1, __ATOMIC_RELAXED);
  }
}

nopal_stop* part_of_oldest(const worker* victim) noexcept {
  stop_path& path = const_cast<worker*>(victim)->stops;
  const std::int32_t index = __atomic_load_n(&victim->deque.top, __ATOMIC_RELAXED);
  // Acquire pairs with the release in `append`.
  std::uint32_t left = path.count.load(std::memory_order_acquire);
  const stop_step* const all = steps_of(path);
  while (left > 0 && all[left - 1].index.load(std::memory_order_relaxed) > index) {
    --left;
  }
  return left == 0 || NOPAL_FAULT("stolen out of its part")
             ? nullptr
             : all[left - 1].part.load(std::memory_order_relaxed);
}

void begin(worker* self, nopal_stop* part) noexcept {
  if (!used()) {
    return;
  }
  stop_path& path = self->stops;
  path.count.store(path.kept, std::memory_order_release);
  if (part != nullptr || path.kept != 0) {
    append(path, self->deque.bottom, part, from_before);
  }
  if (any_requested() && is_stopped_here(self)) {
    deque::poison(self->deque);
  }
}

void begin_call(worker* self) noexcept {
  if (used()) {
    self->stops.kept = self->stops.count.load(std::memory_order_relaxed);
  }
}

void end_call(worker* self) noexcept {
  stop_path& path = self->stops;
  if (path.kept == 0) {
    if (used()) {
      path.count.store(0, std::memory_order_release);
    }
    return;
  }
  path.count.store(path.kept, std::memory_order_release);
  path.kept = 0;
  if (deque::size(self->deque) == 0) {
    // The deque may have begun anew meanwhile.
    nopal_stop* const part = innermost(self);
    path.count.store(0, std::memory_order_release);
    append(path, self->deque.bottom, part, from_before);
  }
  if (any_requested() && is_stopped_here(self)) {
    deque::poison(self->deque);
  }
}

bool is_stopped_here(const worker* self) noexcept { return nopal_is_stopped(innermost(self)) != 0; }

void forget(worker* self) noexcept {
  stop_step* const grown = self->stops.grown.load(std::memory_order_relaxed);
  for (block* one = grown != nullptr ? block_of(grown) : nullptr; one != nullptr;) {
    block* const previous = one->previous;
    std::free(one);
    one = previous;
  }
  self->stops.grown.store(nullptr, std::memory_order_relaxed);
  self->stops.count.store(0, std::memory_order_relaxed);
}

namespace {

enum class meaning : std::uint8_t { goes_on, skips, throws };

/// What a fork of the strand means now.
meaning of_fork(const worker* self) noexcept {
  if (self == nullptr || !any_requested()) {
    return meaning::goes_on;
  }
  // A part that unwinds, with the strand in a child of it, is at `one` or inside of it.
  bool unwinds = false;
  const nopal_stop* unwinding = nullptr;
  meaning result = meaning::goes_on;
  for (const nopal_stop* one = innermost(self); one != nullptr && nopal_kind_of(one) != nopal_stop_shield;
       one = one->parent) {
    unwinding = nopal_unwound_around(one, unwinding);
    unwinds = unwinds || one == unwinding;
    if (nopal_is_asked_to_stop(one) != 0) {
      if (unwinds) {
        return meaning::throws;
      }
      result = meaning::skips;
    }
  }
  return result;
}

/// No exception is thrown out of a destructor that an exception runs.
bool may_throw(const worker* self) noexcept { return strand::exceptions_of(self).uncaught == 0; }

}  // namespace

bool throws_at_join(const worker* self, const nopal_frame* frame) noexcept {
  // Nor in a handler: what that handles would be lost.
  return frame->uncaught_at_fork != nopal_join_returns && frame->uncaught == 0 && frame->caught == nullptr &&
         of_fork(self) == meaning::throws;
}

bool request(nopal_stop* part) noexcept {
  // Acquire pairs with the release at the end of a request that told all.
  if (__atomic_load_n(&part->requested, __ATOMIC_ACQUIRE) == told) {
    return false;
  }
  // The count first: who sees the request sees the count. Sequentially consistent, as the fence: they pair
  // with that in poison_if_stopped. Of an owner that misses either, the limit is seen here as it stored it.
  static_cast<void>(__atomic_fetch_add(&nopal_stops_requested, 1U, __ATOMIC_SEQ_CST));
  // Relaxed: it tells requests apart, as long as some 2^31 others do not come between.
  std::uint32_t asked = __atomic_add_fetch(&last_request, of_one_request, __ATOMIC_RELAXED);
  asked = asked != not_requested && !NOPAL_FAULT("told of another") ? asked : of_one_request;
  // Release pairs with the acquire of those who look; acquire with the release of who was first.
  std::uint32_t before = not_requested;
  const bool first = __atomic_compare_exchange_n(&part->requested, &before, asked, false, __ATOMIC_SEQ_CST,
                                                 __ATOMIC_SEQ_CST);
  if (!first) {
    static_cast<void>(__atomic_fetch_sub(&nopal_stops_requested, 1U, __ATOMIC_RELAXED));
  }
  // Also by those who find that another one asks: for what they do next the part is stopped, and the first one
  // may not have come to their worker yet.
  if (NOPAL_FAULT("second request returns early") && !first) {
    return false;
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  NOPAL_DISTURB();
  NOPAL_FAULT_OMITS("request not told",
                    for_each_worker(the_runtime(), [](worker* other) { deque::poison(other->deque); }));
  NOPAL_FAULT_DOES("withdrawn and told", __atomic_store_n(&part->requested, told, __ATOMIC_RELEASE));
  // Not where the request was withdrawn meanwhile, nor where another was made since.
  std::uint32_t still = first ? asked : before;
  static_cast<void>(
      __atomic_compare_exchange_n(&part->requested, &still, told, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  return first;
}

}  // namespace stops

extern "C" {

NOPAL_EXPORT nopal_stop* nopal_innermost_stop() {
  const worker* const self = this_worker();
  return self != nullptr ? stops::innermost(self) : this_outside_part();
}

NOPAL_EXPORT int nopal_is_at_home(const void* frame_address) {
  const worker* const self = this_worker();
  const nopal_stack* const stack = self != nullptr ? get(self->deque.strand.stack) : nullptr;
  if (stack == nullptr || stack == &self->native) {
    return 1;  // only what is stolen runs elsewhere, on stacks of the pool
  }
  const auto* const frame = static_cast<const char*>(frame_address);
  return frame >= stack->low && frame < stack->high ? 1 : 0;
}

NOPAL_EXPORT int nopal_is_stopped(const nopal_stop* part) {
  for (; part != nullptr && nopal_kind_of(part) != nopal_stop_shield; part = part->parent) {
    if (nopal_is_asked_to_stop(part) != 0) {
      return 1;
    }
  }
  return 0;
}

NOPAL_EXPORT int nopal_stop_requested_here() {
  worker* const self = this_worker();
  if (self == nullptr) return nopal_is_stopped(this_outside_part());
  if (!stops::is_stopped_here(self)) {
    return 0;
  }
  // Who asked for it may not have come to this worker yet; the strand knows, and forks nothing from here on.
  deque::poison(self->deque);
  return 1;
}

[[gnu::noinline]] NOPAL_EXPORT int nopal_enter_stop(nopal_stop* part, std::uint32_t kind,
                                                    const nopal_stop* of) {
  const std::uintptr_t place = arch::call_stack_pointer();
  worker* self = this_worker();
  if (self == nullptr) {
    self = adopt_this_thread();
    if (self == nullptr) {
      return 1;
    }
    be_present(self, nullptr);
  }
  stops::use();
  const stops::changing no_walks(self);
  stop_path& path = self->stops;
  if (path.count.load(std::memory_order_relaxed) + stops::steps_for_calls >= stops::capacity_of(path) &&
      !stops::grow(path)) {
    return 1;
  }
  part->parent = stops::parent_of(part, self);
  part->of = of;
  part->kind = kind;
  part->requested = 0;
  part->tokens = nullptr;
  part->handled = strand::exceptions_of(self).caught;
  part->followers = 0;
  stops::append(path, self->deque.bottom, part, place);
  return 0;
}

NOPAL_EXPORT void nopal_leave_stop(nopal_stop* part) {
  worker* const self = this_worker();
  nopal_end_of_stop(part);
  {
    const stops::changing no_walks(self);
    stops::take_off(self->stops, part);
  }
  if (__atomic_load_n(&part->requested, __ATOMIC_RELAXED) != 0) {
    static_cast<void>(__atomic_fetch_sub(&nopal_stops_requested, 1U, __ATOMIC_RELAXED));
  }
  // Others: what is around has told what is in them.
  if (part->kind == nopal_stop_shield && stops::any_requested() && stops::is_stopped_here(self)) {
    NOPAL_FAULT_OMITS("shield left untold", deque::poison(self->deque));
  }
}

NOPAL_EXPORT int nopal_request_stop(nopal_stop* part) {
  const bool first = stops::request(part);
  // By those too who find it stopped: for what they do next its followers are.
  nopal_tell_followers();
  return first ? 0 : 1;
}

NOPAL_EXPORT void nopal_poll_stop() {
  worker* const self = this_worker();
  if (stops::of_fork(self) == stops::meaning::throws && stops::may_throw(self)) {
    stops::throw_stopped();
  }
}

NOPAL_EXPORT void nopal_push_refused() {
  worker* const self = this_worker();
  switch (stops::of_fork(self)) {
  case stops::meaning::goes_on: nopal_throw_push_failure();
  case stops::meaning::skips: return;
  case stops::meaning::throws:
    if (stops::may_throw(self)) {
      stops::throw_stopped();
    }
  }
}

NOPAL_EXPORT void nopal_c_push_refused() {
  if (stops::of_fork(this_worker()) == stops::meaning::goes_on) {
    nopal_fail_push();
  }
}

}  // extern "C"

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

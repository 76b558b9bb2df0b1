// How a fork waits for its thief. A worker that waited in vain has less patience the next time: where
// nobody may take its forks, as in an arena of one thread, a program must not take milliseconds for each.
// Now and then it has some again, since thieves may only have lacked a CPU; one that is stolen from has
// all of it.

#include "scheduler/awaited_thieves.hpp"

#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// A thread that has just been started needs some time on a machine with much else to do.
constexpr std::uint64_t most_patience_ns = 20'000'000;
constexpr std::uint64_t new_patience_ns = 2'000'000;
constexpr std::uint64_t least_patience_ns = 2'000;
constexpr int yields_before_nap = 20;
constexpr std::uint64_t nap_ns = 20'000;
/// About what a nap takes, by the system's timer slack. No clock is read here: this runs between two strands, where
/// ThreadSanitizer would take the clock's result on the scheduler's stack for a race.
constexpr std::uint64_t nap_takes_ns = 70'000;
constexpr std::uint32_t waits_until_new_patience = 1024;

/// Whether some other worker may come to steal: it finds a seat in the arena, and has no strand, or one that
/// waits for no thief. Where all wait, each for another, this is false. A snapshot.
bool may_have_thief(const worker* self) noexcept {
  runtime& all = the_runtime();
  const worker* const root = root_of(*self);
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    // Acquire pairs with the release in enter_table: the worker is complete.
    const worker* const other = all.table[i].load(std::memory_order_acquire);
    if (other != nullptr && other != self && (!other->of_pool || is_allowed(other)) &&
        !deque::has_public(other->deque) && may_sit_for(other, root)) {
      return true;
    }
  }
  return false;
}

void lose_patience(worker* self) noexcept {
  const std::uint64_t less = self->patience_ns / 2;
  self->patience_ns = ++self->waits_in_vain % waits_until_new_patience == 0 ? new_patience_ns
                      : less > least_patience_ns                            ? less
                                                                            : least_patience_ns;
}

}  // namespace

void await_thief(worker* self) noexcept {
  if (!deque::has_public(self->deque)) {
    return;
  }
  if (self->patience_ns == 0) {
    self->patience_ns = most_patience_ns;
  }
  std::atomic<std::uint32_t> nothing{0};
  std::uint64_t waited_ns = 0;
  for (int looks = 0; deque::has_public(self->deque); ++looks) {
    if (!may_have_thief(self)) {
      return;
    }
    if (waited_ns > self->patience_ns) {
      lose_patience(self);
      return;
    }
    // A thief that waits for a CPU gets this one: the system moves threads to CPUs that are idle.
    if (looks < yields_before_nap) {
      os::yield();
    } else {
      static_cast<void>(os::futex_wait_for(nothing, 0, nap_ns));
      waited_ns += nap_takes_ns;
    }
  }
  self->patience_ns = most_patience_ns;
  self->waits_in_vain = 0;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
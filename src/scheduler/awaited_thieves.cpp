// How a fork waits for its thief. A worker that waited in vain has less patience the next time: where
// nobody may take its forks, as in an arena of one thread, a program must not take milliseconds for each.
// One that is stolen from has all its patience again.

#include "scheduler/awaited_thieves.hpp"

#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// A thread that has just been started needs some time on a machine with much else to do.
constexpr std::uint64_t most_patience_ns = 20'000'000;
constexpr std::uint64_t least_patience_ns = 10'000;

/// Whether some other thread of the pool is free to steal. A snapshot.
bool has_free_thief(const worker* self) noexcept {
  runtime& all = the_runtime();
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    // Acquire pairs with the release in enter_table: the worker is complete.
    const worker* const other = all.table[i].load(std::memory_order_acquire);
    if (other != nullptr && other != self && runs_tasks(other) && get(other->deque.strand.stack) == nullptr) {
      return true;
    }
  }
  return false;
}

}  // namespace

void await_thief(worker* self) noexcept {
  if (!deque::has_public(self->deque)) {
    return;
  }
  if (self->patience_ns == 0) {
    self->patience_ns = most_patience_ns;
  }
  const std::uint64_t until = os::monotonic_ns() + self->patience_ns;
  while (deque::has_public(self->deque)) {
    if (!has_free_thief(self)) {
      return;
    }
    if (os::monotonic_ns() > until) {
      const std::uint64_t less = self->patience_ns / 2;
      self->patience_ns = less > least_patience_ns ? less : least_patience_ns;
      return;
    }
    os::yield();
  }
  self->patience_ns = most_patience_ns;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

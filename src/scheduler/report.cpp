// What every worker is doing, for a watchdog or a debugger (`call (void)nopal_print_workers()`): a
// line each on stderr.

#include "scheduler/report.hpp"
#include "deque/deque.hpp"
#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

const char* activity(const worker& one, const nopal_stack* stack) {
  // unreached below: snapshot
  if (one.park.load(std::memory_order_relaxed) == parked) {
    return "parked";
  }
  if (stack == nullptr) {
    return "looking for work";
  }
  if (stack == &one.native) {
    return "on the stack of its thread";
  }
  // unreached: own-stack
  return stack->native_owner != nullptr ? "on a thread's stack" : "on a stack of the pool";
}

void print_worker(const worker& one) {
  const nopal_deque& deque = one.deque;
  const std::uint64_t version = __atomic_load_n(&deque.version_and_raising, __ATOMIC_RELAXED);
  os::write_stderr(
      "nopal: worker %d (%s%s): %s; deque top %d, split %d, bottom %d, limit %d, version %llu%s; inbox %p; "
      "%llu steals, %llu suspensions, %llu resumptions, %llu parks\n",
      // unreached: snapshot
      one.index, one.of_pool ? "pool" : "program", one.outer != nullptr ? ", nested" : "",
      activity(one, get(deque.strand.stack)), get(deque.top), get(deque.split), get(deque.bottom),
      get(deque.limit), static_cast<unsigned long long>(version >> 1),
      (version & 1U) != 0 ? ", being raised" : "",  // unreached: snapshot
      static_cast<const void*>(one.inbox.load(std::memory_order_relaxed)),
      static_cast<unsigned long long>(one.counts.steals.get()),
      static_cast<unsigned long long>(one.counts.suspensions.get()),
      static_cast<unsigned long long>(one.counts.resumptions.get()),
      static_cast<unsigned long long>(one.counts.parks.get()));
  if (const nopal_arena* const arena = get(one.arena)) {
    const std::uint64_t threads = __atomic_load_n(&arena->threads, __ATOMIC_RELAXED);
    // unreached below: snapshot
    os::write_stderr("nopal: worker %d is in arena %p, %s; %u threads there, %u at most, %u wait to enter\n",
                     one.index, static_cast<const void*>(arena),
                     get(one.seat) == arena ? "with a seat" : "without a seat of its own",
                     static_cast<unsigned>(threads) + static_cast<unsigned>(threads >> 32U), arena->limit,
                     __atomic_load_n(&arena->entering, __ATOMIC_RELAXED));
  }
}

}  // namespace

/// A snapshot taken while the workers run; takes no lock and no memory, and may be called in a
/// signal handler, as long as no thread ends meanwhile.
extern "C" void nopal_print_workers() noexcept {
  runtime& all = the_runtime();
  os::write_stderr(
      "nopal: %s; %d asleep, %d strands at joins, %d in blocking calls, %d exceptions kept; %d substitutes\n",
      all.running.load(std::memory_order_acquire) ? "running" : "not running",
      all.sleepers.load(std::memory_order_relaxed), all.waiting_joins.load(std::memory_order_relaxed),
      all.blocked.load(std::memory_order_relaxed), all.exceptions_kept.load(std::memory_order_relaxed),
      all.substituting.load(std::memory_order_relaxed));
  for_each_worker(all, [](const worker* one) { print_worker(*one); });
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

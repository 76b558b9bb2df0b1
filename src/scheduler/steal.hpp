// Finding work: the search of a worker without a strand, and what it may take from whom.
#ifndef NOPAL_SCHEDULER_STEAL_HPP
#define NOPAL_SCHEDULER_STEAL_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// The loop of a thread without a strand; on its scheduler stack.
[[noreturn]] void find_work(worker* self) noexcept;

/// Whether the thread of this worker handles no exception and has none in flight, and published no
/// fork in such a state. Only then may forks be published all at once; else the owner looks at
/// each.
bool no_exception_about(void* of_worker) noexcept;

/// Whether the thief `self` can get anything from `victim` now; within a pass.
bool has_work_to_take(worker* self, worker* victim, known_roots& known) noexcept;

/// A thief that shares its victim's CPU takes from it what it brings to the strand, and the system may
/// leave the two there for a second though other CPUs idle. The victim's thread waits for this visitor
/// before it ends, and the kernel's word with it.
void leave_cpu_of(worker* self, const worker* victim) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

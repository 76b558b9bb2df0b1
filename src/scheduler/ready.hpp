// Strands that no worker runs and that any worker may go on with: those whose wait is over, and forks
// of strands that began to wait. docs/waiting.md has the argument.
#ifndef NOPAL_SCHEDULER_READY_HPP
#define NOPAL_SCHEDULER_READY_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Lists it, and wakes a sleeper that may run it. From any thread. It may be gone on return.
void make_ready(ready_strand& one) noexcept;

/// For a worker without a strand: goes on with one that it may run. Returns if there is none.
void take_ready(worker* self) noexcept;

/// Whether there is one. Sequentially consistent: for a sleeper's last look.
bool has_ready(const worker* self) noexcept;

/// Whether there is any, as sequentially consistent.
bool any_ready() noexcept;

/// Around fork(2).
void lock_ready() noexcept;
void unlock_ready() noexcept;
/// In a child of fork(2): all of them are its parent's.
void forget_ready() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

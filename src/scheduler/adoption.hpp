// Threads of the program as workers. docs/adoption.md has the argument.
#ifndef NOPAL_SCHEDULER_ADOPTION_HPP
#define NOPAL_SCHEDULER_ADOPTION_HPP

#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// On the worker's thread: thieves may look at its exception state from here on, also for those
/// nested in it.
void begin_visits(worker* self) noexcept;
/// At the end of the worker's thread: no visitor looks at its exception state once this returns.
void end_visits(worker* self) noexcept;
/// The same for this one worker and no nested one.
void end_visits_of(worker* self) noexcept;

/// The worker has no thread any more, and no visitors. Under `lock`.
void make_idle(runtime& all, worker* self) noexcept;

/// Makes the calling thread a worker. Null if that cannot be.
worker* adopt_this_thread() noexcept;

/// Installs the hook of a thread's end, once. Under `lock`. Returns 0 or an errno value.
int install_hooks(runtime& all) noexcept;

/// Has the end of the calling thread reported to its worker from here on. Returns 0 or an errno
/// value.
int set_told_of_end(worker* self) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Calls that stay on their thread, as the rest of the scheduler sees them.
#ifndef NOPAL_SCHEDULER_PINNED_HPP
#define NOPAL_SCHEDULER_PINNED_HPP

#include <nopal/detail/pinned.h>

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// For a nested worker that pushes while its thread has exceptions caught or in flight. The
/// thread's exception state then says nothing about the entries of the outer workers, so thieves
/// leave those alone until the call is over.
void hide_outer(worker* self) noexcept;

/// Makes a worker to be nested in `outer` unless there is one. False: there is no memory.
bool has_nested(worker* outer) noexcept;

/// nopal_begin_pinned without a word to observers: for a task that its thread begins, whose arena is
/// given later.
int begin_pinned(nopal_pinned* call, nopal_stop* part) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

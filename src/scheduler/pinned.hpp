// Calls that stay on their thread, as the rest of the scheduler sees them.
#ifndef NOPAL_SCHEDULER_PINNED_HPP
#define NOPAL_SCHEDULER_PINNED_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Where exceptions are about as a nested worker pushes: its thread's state of exceptions tells thieves nothing of what the workers
/// outside have in their deques, so they are asked nothing until the call is over.
void hide_outer(worker* self) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// The end of the process, or of a plug-in that holds the library. docs/adoption.md has the argument.
#ifndef NOPAL_SCHEDULER_UNLOADING_HPP
#define NOPAL_SCHEDULER_UNLOADING_HPP

#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Stops the runtime, unless strands are active, and frees the workers that nobody can be looking at. Whoever forks later gets no
/// threads.
void stop_for_good(runtime& all) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

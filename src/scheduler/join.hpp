// Joins: the count of a scope's children, and where its strand goes on.
#ifndef NOPAL_SCHEDULER_JOIN_HPP
#define NOPAL_SCHEDULER_JOIN_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// The thief has just taken the continuation of `frame`: one child more for its join.
void count_steal(worker* self, nopal_frame* frame) noexcept;

/// All children of `frame` are done: resumes its strand on the stack it comes home to, or has that
/// stack's thread do it.
[[noreturn]] void resume_at_home(worker* self, nopal_frame* frame) noexcept;

/// The worker leaves `stack`, which holds frames of functions whose strands are elsewhere. Records
/// the forks in progress there: the worker's entries below `end`, all stolen.
void leave_forks_noted(const worker* self, nopal_stack* stack, std::int32_t end) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

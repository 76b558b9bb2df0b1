// Overflows of stacks, reported in one line.
#ifndef NOPAL_SCHEDULER_OVERFLOW_HPP
#define NOPAL_SCHEDULER_OVERFLOW_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Reports an overflow of the stacks of `self`'s thread instead of a bare SIGSEGV.
void watch_for_overflow(worker* self) noexcept;
void stop_watching_for_overflow(worker* self) noexcept;
/// Of a worker whose thread is gone.
void free_signal_stack(worker* self) noexcept;
/// Takes the handler off the process, if it is still ours: its code is about to be unloaded.
void forget_overflow_handler() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

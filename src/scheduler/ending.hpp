// Threads and processes that end inside of strands.
#ifndef NOPAL_SCHEDULER_ENDING_HPP
#define NOPAL_SCHEDULER_ENDING_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Ends the process with a line: the thread must not end where it does.
[[noreturn]] void refuse_end() noexcept;

/// Called where a thread that ends by pthread_exit or pthread_cancel is unwound past the fork of
/// `frame`: takes the continuation back, or ends the process where going on would corrupt.
void pass_fork_at_end(nopal_frame* frame) noexcept;
/// The same where the fork is latent, and there is nothing to take back.
void check_fork_at_end() noexcept;

/// Whether the handler that runs now caught no exception but the unwinding of a thread that ends.
bool handles_end_of_thread() noexcept;

/// The calling thread leaves a strand on `stack` for its scheduler, at a join if `waits`. Ends the
/// process if the thread is being ended inside that strand and another stack than its own would
/// have to be unwound.
void check_end_of_thread(worker* self, const nopal_stack* stack, bool waits) noexcept;

/// At the end of the worker's thread: ends the process if that was inside a scope.
void check_at_rest(const worker* self) noexcept;

/// Whether the first thread has ended, and no other is left that has forked, nor one of the pool. Others may fork later. Not for the
/// first thread. Under the runtime's lock.
[[nodiscard]] bool no_thread_is_left(runtime& all) noexcept;

/// At the process's end: ends it with a line if `main` has returned on a thread of the pool.
void check_end_of_main() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

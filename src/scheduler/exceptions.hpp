// Exceptions of children that their joins have not taken yet.
#ifndef NOPAL_SCHEDULER_EXCEPTIONS_HPP
#define NOPAL_SCHEDULER_EXCEPTIONS_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// In a child of fork(2): forgets the exceptions of strands that it does not have.
void forget_exceptions() noexcept;

/// The earliest exception, in serial order, of the finished children of `frame`, `stopped` only where
/// there is no other; null if none threw.
void* take_exception(nopal_frame* frame) noexcept;
/// Drops what take_exception returned.
void drop_exceptions(void* exceptions) noexcept;
/// The exception being handled, for one of these functions; null: there is none, or it is `stopped`, or another runtime's,
/// or there is no memory for it.
void* keep_handled_exception() noexcept;
/// What a join returns that is to throw `stopped`.
void* stopped_at_join() noexcept;
/// What a join returns that has both, each of which may be null: the first is thrown, unless it is `stopped`.
void* one_of_exceptions(void* first, void* second) noexcept;

/// Keeps the exception being handled for the join of `frame`: that of a child whose continuation
/// was stolen, or of the strand's own part.
void keep_thrown(nopal_frame* frame, bool of_stolen_child) noexcept;
/// Keeps the exception being handled for the join of `frame`: it left the child whose continuation
/// was stolen.
void keep_thrown_by_stolen(nopal_frame* frame) noexcept;
/// The same for the wait for `group`: keep the exception being handled, and take the first that was
/// kept; null if there is none.
void keep_thrown(const nopal_task_group* group) noexcept;
void* take_exception(const nopal_task_group* group) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

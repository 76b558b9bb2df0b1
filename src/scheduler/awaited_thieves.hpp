// NOPAL_STEAL=always: a fork's child begins once a thief has the continuation, so that a program which
// is wrong only when it is stolen from is wrong in its first run.
#ifndef NOPAL_SCHEDULER_AWAITED_THIEVES_HPP
#define NOPAL_SCHEDULER_AWAITED_THIEVES_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// By the owner, after it published: waits until thieves have taken all that is public, for a while at
/// most, and only as long as some other worker may come. Else all workers would wait for one another.
void await_thief(worker* self) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Waits for events that nobody reports: the strand lets its thread do other work meanwhile.
//
// Such a strand is suspended as at a join. Its own worker resumes it after a look at its inbox and
// for strands of others. So a wait never keeps its thread from what it waits for: a join of that
// thread's own stack, or a continuation that only this thread is free to take.
#ifndef NOPAL_SCHEDULER_YIELD_HPP
#define NOPAL_SCHEDULER_YIELD_HPP

#include <nopal/version.hpp>

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// On its own stack, linked in its worker's list.
struct yielded_strand {
  nopal_frame frame;
  const void* root;  ///< of the strand, as the next; the worker runs others meanwhile
  const void* local;
  yielded_strand* next;
};

/// One wait of the calling strand, after `round` others for the same. What it waits for may need
/// this thread.
void yield_strand(int round) noexcept;

/// For a worker without a strand: goes on with the one that yielded first. Returns if there is
/// none, or its arena is full.
void resume_yielded(worker* self) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

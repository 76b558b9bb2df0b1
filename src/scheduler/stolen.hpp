// A continuation that was taken from a deque: what its thief has to know, and how it begins.
#ifndef NOPAL_SCHEDULER_STOLEN_HPP
#define NOPAL_SCHEDULER_STOLEN_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// What a thief reads of a victim between seeing an entry and taking it.
struct observation {
  worker* thief;
  const worker* victim;
  nopal_strand strand;
  std::uint64_t float_control;
  std::uint32_t uncaught;
  const worker* root;
  bool views_used;
  const known_roots& known;
  nopal_arena* seat = nullptr;  ///< that the thief took for it
  /// The fork around the victim's forks without a record, while programs are profiled
  profile::fork_record* unrecorded_in = nullptr;
  nopal_stop* stops = nullptr;  ///< the innermost part around the fork that may be stopped
};

/// For deque::steal, of an `observation`. False: the thief may not run that strand.
bool observe(void* seen);

/// The spare stack, or a better one: debuggers want it below the frame that it continues.
nopal_stack* stack_below(worker* self, const void* frame_pointer) noexcept;

/// Goes on with what `self` has just taken.
[[noreturn]] void start_stolen(worker* self, nopal_stack* stack, nopal_frame* slot,
                               const observation& observed) noexcept;

/// By a worker whose strand is about to wait, with no exception about: takes all forks of its deque as a
/// thief would, the oldest first, and lists them as ready. False if there is no memory for the stacks:
/// some may be left.
bool list_own_forks(worker* self) noexcept;

/// A worker without a strand begins with one of those.
[[noreturn]] void start_ready(worker* self, const ready_strand& one) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

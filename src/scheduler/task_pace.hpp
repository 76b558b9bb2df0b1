// How fast a thread takes tasks of others.
//
// A task of some hundred nanoseconds costs less where it was started than on the way to another thread: that moves the lines of the
// list, of the group and of the task, and whoever else is at these waits meanwhile. So before it takes one, a thread looks whether the
// list's own thread pushes or takes one every moment. If so it leaves the list alone for a while, longer each time, and takes one then:
// nothing waits for good.
#ifndef NOPAL_SCHEDULER_TASK_PACE_HPP
#define NOPAL_SCHEDULER_TASK_PACE_HPP

#include <cstdint>

#include <nopal/version.hpp>

#include "os/os.hpp"
#include "scheduler/tasks.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// A task that takes as long, from its take to its end, is worth the way.
inline constexpr std::uint64_t long_task_ns = 1000;
/// Whoever pushes or takes one in this time is at small tasks.
inline constexpr std::uint64_t moment_ns = 400;
inline constexpr std::uint64_t longest_pause_ns = 4000;

/// Whether a thread is to look first how busy the owner is. Relaxed, as all here: hints.
[[nodiscard]] inline bool looks_before_take(const task_pace& pace, const task_list& list) noexcept {
  const bool is_again = pace.from == &list;
  const bool is_left_alone =
      is_again && pace.took_ns >= moment_ns && list.changes.load(std::memory_order_relaxed) == pace.changes;
  // The last one its owner may be about to take. Of several there is one for each.
  const bool is_last = list.count.load(std::memory_order_relaxed) <= 1;
  const bool are_long = !is_again || pace.took_ns >= long_task_ns;
  return !is_left_alone && (is_last || !are_long);
}

/// After a look for a moment: how long the list is left alone, where its owner was at it.
[[nodiscard]] inline std::uint64_t next_pause(const task_pace& pace) noexcept {
  return pace.pause_ns == 0                 ? moment_ns
         : pace.pause_ns < longest_pause_ns ? 2 * pace.pause_ns
                                            : pace.pause_ns;
}

inline void let_pass(std::uint64_t ns) noexcept {
  for (const std::uint64_t began = os::monotonic_ns(); os::monotonic_ns() - began < ns;) {
    os::cpu_relax();
  }
}

/// Before a take from another thread's list, which had some.
inline void keep_pace(task_pace& pace, const task_list& list) noexcept {
  if (!NOPAL_BOUND(true, false)) {
    return;
  }
  const std::uint64_t changes = list.changes.load(std::memory_order_relaxed);
  if (looks_before_take(pace, list)) {
    let_pass(moment_ns);
    if (list.changes.load(std::memory_order_relaxed) != changes) {
      pace.pause_ns = next_pause(pace);
      return let_pass(pace.pause_ns);
    }
  }
  pace.pause_ns = 0;
}
/// One was taken.
inline void note_taken(task_pace& pace, const task_list& list) noexcept {
  if (NOPAL_BOUND(true, false)) {
    pace.from = &list;
    pace.changes = list.changes.load(std::memory_order_relaxed);
    pace.taken_at = os::monotonic_ns();
    pace.took_ns = long_task_ns;  // as long as it runs
  }
}
/// It has run.
inline void note_over(task_pace& pace) noexcept {
  if (NOPAL_BOUND(true, false)) {
    pace.took_ns = os::monotonic_ns() - pace.taken_at;
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

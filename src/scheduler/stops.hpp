// Parts of a computation that may be stopped: which of them a strand is in, and what that means for its
// forks. docs/speculation.md has the argument.
#ifndef NOPAL_SCHEDULER_STOPS_HPP
#define NOPAL_SCHEDULER_STOPS_HPP

#include <nopal/detail/stop.h>

#include "deque/deque.hpp"
#include "scheduler/worker.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace stops {

/// Some thread has entered such a part. Relaxed, and written once: who is in one, or takes a strand that
/// is, comes after that.
[[gnu::always_inline]] inline bool used() noexcept { return nopal_stops_used != 0; }

/// From here on. Written once: all workers read the line.
void use() noexcept;

/// Some part is to stop. Relaxed: what follows from it is looked up.
[[gnu::always_inline]] inline bool any_requested() noexcept {
  return __atomic_load_n(&nopal_stops_requested, __ATOMIC_RELAXED) != 0;
}

[[gnu::always_inline]] inline stop_step* steps_of(stop_path& path) noexcept {
  // Acquire pairs with the release in `grow`, for thieves.
  stop_step* const grown = path.grown.load(std::memory_order_acquire);
  return grown != nullptr ? grown : path.first;
}

/// The innermost part that the worker's strand is in; null: none.
[[gnu::always_inline]] inline nopal_stop* innermost(const worker* self) noexcept {
  stop_path& path = const_cast<worker*>(self)->stops;
  const std::uint32_t count = path.count.load(std::memory_order_relaxed);
  return count == 0 ? nullptr : steps_of(path)[count - 1].part.load(std::memory_order_relaxed);
}

/// Ends the program where a part lies in the frame of one that was left without its end, as C permits: walks outwards
/// would not end.
void fail_unended() noexcept;
/// What a part that begins is inside of.
inline nopal_stop* parent_of(const nopal_stop* part, const worker* self) noexcept {
  nopal_stop* const parent = innermost(self);
  if (parent == part) [[unlikely]] {
    fail_unended();
  }
  return parent;
}

/// By a thief that has seen the oldest entry of the victim's deque: the innermost part that this is in,
/// if the thief gets it.
nopal_stop* part_of_oldest(const worker* victim) noexcept;

/// The worker's strand is another from here on, in `part`. Its deque holds nothing but what is of code
/// that stands still.
void begin(worker* self, nopal_stop* part) noexcept;
/// The worker's strand stands still while its thread runs others; and goes on.
void begin_call(worker* self) noexcept;
void end_call(worker* self) noexcept;

/// For a strand in `part` that arrives at the join of `frame`, or waits; and goes on. Without memory it
/// goes on in no part: its forks begin their children then.
void keep(const nopal_frame* frame, nopal_stop* part) noexcept;
nopal_stop* take(const nopal_frame* frame) noexcept;

/// At a promotion, before `count` forks from `first` on become the entries behind the deque's: those of
/// the path's steps that are younger than some of them say so.
[[gnu::always_inline]] inline void raise(worker* self, nopal_frame* const* first,
                                         std::int32_t count) noexcept {
  stop_path& path = self->stops;
  stop_step* const all = steps_of(path);
  const std::int32_t bottom = self->deque.bottom;
  for (std::uint32_t i = path.count.load(std::memory_order_relaxed); i > path.kept; --i) {
    stop_step& step = all[i - 1];
    if (step.index.load(std::memory_order_relaxed) != bottom) {
      return;
    }
    std::int32_t older = 0;
    while (older != count) {
      const auto place = reinterpret_cast<std::uintptr_t>(first[older]->call_stack_pointer);
      if (place <= step.place) {
        break;
      }
      ++older;
    }
    // Relaxed: the deque's publication orders it.
    step.index.store(bottom + older, std::memory_order_relaxed);
  }
}

/// In a child of fork(2): the strands that are suspended are not in it, and no thread has their list.
void forget_kept() noexcept;
/// Around fork(2). A request has this lock while it tells workers, who have it takes no other.
void lock_followers() noexcept;
void unlock_followers() noexcept;
/// In the child, with nobody who has the lock: what follows a part that the calling thread is in goes on to, and groups
/// do that follow such a group. The others, whose memory other threads may get, follow nothing.
void take_followers_along() noexcept;
/// With nobody who has the lock: nobody follows anything.
void forget_followers() noexcept;

/// Atomic; what the last request was marked by in its part, to tell it from others.
extern std::uint32_t last_request;

/// Stops the part alone, not what follows it; false if it was to stop before.
bool request(nopal_stop* part) noexcept;

/// Whether forks of the worker's strand are not to begin their children.
[[nodiscard]] bool is_stopped_here(const worker* self) noexcept;

/// Whether the join of `frame`, at which the worker's strand resumes in its part, is to throw `stopped`.
[[nodiscard]] bool throws_at_join(const worker* self, const nopal_frame* frame) noexcept;

/// Throws it, in the calling strand; the child that it leaves keeps exceptions from here on.
[[noreturn]] void throw_stopped();
/// At the end of a scope that has to drop an exception since another is in flight: the child that the strand is in
/// keeps it if that other one may be `stopped`. False: it does not.
[[nodiscard]] bool keep_in_child(void* exception) noexcept;

/// After the limit may have been changed by its owner: every fork of a strand that is stopped takes the slow
/// path. A request that this does not see poisons the limit later.
[[gnu::always_inline]] inline void poison_if_stopped(worker* self) noexcept {
  if (used()) {
    // Pairs with the increment in nopal_request_stop: the store of the limit comes before the look.
    NOPAL_FAULT_OMITS("look not fenced", __atomic_thread_fence(__ATOMIC_SEQ_CST));
    if (any_requested() && is_stopped_here(self)) {
      deque::poison(self->deque);
    }
  }
}

/// The memory of the path.
void forget(worker* self) noexcept;

}  // namespace stops
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// Substitutes: threads of the pool that take the places of workers whose strands block.
// docs/waiting.md has the argument.
#ifndef NOPAL_SCHEDULER_SUBSTITUTES_HPP
#define NOPAL_SCHEDULER_SUBSTITUTES_HPP

#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Puts a substitute to work if more strands block than substitutes are there, and no worker of the
/// pool sleeps, whom a push would wake.
void send_substitute() noexcept;

/// The same, for whoever has just counted a strand as blocked, or leaves the search for work.
/// Sequentially consistent: see docs/waiting.md.
inline void replace_blocked() noexcept {
  const runtime& all = the_runtime();
  if (all.blocked.load(std::memory_order_seq_cst) > all.substituting.load(std::memory_order_seq_cst)) {
    send_substitute();
  }
}

/// Whether strands wait for a thread: ready ones, or, while others block, which may be for these, forks in deques. For
/// a sleeper's looks, that may run none of them. Sequentially consistent.
[[nodiscard]] bool strands_wait_in_sight() noexcept;

/// Whether threads that sleep in waits keep their places; see nopal_keep_places.
[[nodiscard]] bool places_are_kept() noexcept;
/// Whether a thread that waits keeps its place: in the arena, or, for null, outside of all.
[[nodiscard]] inline bool keeps_place(const nopal_arena* arena) noexcept {
  return arena != nullptr ? arena->keeps != 0 : places_are_kept();
}

/// While a thread of the pool is about to sleep, and sleeps, in a call that stays on it, where it waits and
/// runs no tasks but those of its wait, and any thread that has left strands to wait there: if there are tasks, or strands of others that wait for a thread, a substitute has its place, as if it blocked; else it
/// keeps it, and is woken for the next one to come again (wake_for_task). Nothing for other workers, and for null.
class place_of_sleeper {
public:
  explicit place_of_sleeper(worker* self) noexcept;
  place_of_sleeper(const place_of_sleeper&) = delete;
  place_of_sleeper& operator=(const place_of_sleeper&) = delete;
  ~place_of_sleeper();

  /// Whether it is to be made anew, as the limit of workers was lowered since. Asked after the announcement of the sleep: who lowers
  /// it looks for sleepers then.
  [[nodiscard]] bool is_outdated() const noexcept;
  /// Whether a substitute has it.
  [[nodiscard]] bool is_given() const noexcept { return is_given_; }

private:
  worker* const self_;
  const bool keeps_from_tasks_;
  bool is_given_ = false;
  bool is_given_for_arenas_ = false;
};

/// Whether this worker, which has no strand, is a substitute that nobody needs any more.
[[nodiscard]] bool is_surplus(const worker* self) noexcept;
/// Such a worker rests until it is needed, or the runtime stops. Returns at once if it is needed
/// after all. `was_woken`: it was about to look for work that somebody woke it for.
void rest(worker* self, bool was_woken) noexcept;

/// The runtime stops: those that rest leave, too. By whoever stops it: nobody rests, or is sent, meanwhile.
void wake_substitutes(runtime& all) noexcept;
/// Waits for the threads of all; without the lock.
void join_substitutes(runtime& all) noexcept;
/// Calls leave(worker) for those that are in no table, and forgets all. Under `lock`.
void forget_substitutes(runtime& all, void (*leave)(runtime& all, worker* self)) noexcept;
/// In a child of fork(2), which has none: their records stay reachable, for tools that look for
/// leaks.
void leave_old_substitutes(runtime& all) noexcept;

/// Whether so many strands block that threads may run out for what they wait for. Both relaxed, without a partner: a round of looks
/// more or less with tasks first, and nothing is read that comes after.
[[nodiscard]] inline bool many_block(const runtime& all) noexcept {
  return 2 * all.substituting.load(std::memory_order_relaxed) >
         all.most_substitutes.load(std::memory_order_relaxed);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

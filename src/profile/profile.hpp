// Work and span of the program as it runs: what the scheduler's slow paths tell the profiler.
//
// Nothing is told unless `is_on`. Then a fork whose child is recorded keeps the deque's limit
// poisoned and its entry public, so that the next fork and the child's end come to the scheduler;
// and the scope counts one steal more than there are, so that the join does. That one is the
// scope's phantom steal: a child that is over, and whose continuation nobody has taken. The first
// true steal takes its place.
#ifndef NOPAL_PROFILE_PROFILE_HPP
#define NOPAL_PROFILE_PROFILE_HPP

#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

#include "profile/records.hpp"

/// Non-zero while programs are profiled; the assembly reads it. Written before any fork is pushed.
extern "C" __attribute__((visibility("hidden"))) unsigned char nopal_profiled;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

[[gnu::always_inline]] inline bool is_on() noexcept { return __builtin_expect(nopal_profiled, 0) != 0; }

/// What the library is told at its start: the path of the file, and how many workers there are.
/// Once for each process; false, with a line on stderr, if the file cannot be written.
bool start(const char* file, int workers) noexcept;
/// Writes the file, unless this is a child of fork(2) or it has been written.
void finish() noexcept;
/// Poisons the limits of workers that have not been looked into for long; set by the scheduler.
extern void (*ask_workers)(std::uint64_t now) noexcept;

/// The present moment. Tests may put a clock in place of the processor's.
extern "C" __attribute__((visibility("hidden"))) std::uint64_t (*nopal_profile_clock)();
[[nodiscard]] std::uint64_t now() noexcept;

/// The thread of `self` is one of the program's, from here on.
void begin_thread(strand_state& self) noexcept;
/// A task begins and ends: a root of its own. Of another kind than `other` where the thread has just been in a hook.
void begin_task(strand_state& self, after kind) noexcept;
void end_task(strand_state& self) noexcept;

/// A hook begins: the piece ends.
void stop(strand_state& self) noexcept;
/// The strand begins on this thread, or comes to it.
void begin_pieces(strand_state& self) noexcept;
/// The next piece begins.
void go_on(strand_state& self, after kind) noexcept;

/// Between `stop` and `go_on`: a fork was pushed.
void note_fork(strand_state& self, nopal_frame* frame) noexcept;
/// Likewise: a child is over whose continuation is still there.
void note_child(strand_state& self, const nopal_frame* frame) noexcept;
/// A child is over whose continuation is gone; the piece has ended.
void note_stolen_child(strand_state& self, const nopal_frame* frame) noexcept;
/// Whether forks of the strand need no notes.
[[nodiscard]] inline bool is_unobserved(const strand_state& self) noexcept {
  return self.top == nullptr || self.top->is_unobserved.load(std::memory_order_relaxed);
}

/// A thief has taken the continuation of `frame`, whose victim was in `around`.
void note_steal(nopal_frame* frame, fork_record* around) noexcept;
/// It begins.
void begin_stolen(strand_state& self, const nopal_frame* frame) noexcept;

/// Between `stop` and `go_on`: a strand is at a join. False if something was stolen, and the strand is
/// to be suspended; else all is done.
bool join_phantom(strand_state& self, nopal_frame* frame) noexcept;
/// The strand has come to its join, on the scheduler stack, and is about to be left.
void note_arrival(strand_state& self, nopal_frame* frame) noexcept;
/// The same for a wait of another kind.
void note_wait(strand_state& self, nopal_frame* frame) noexcept;
/// It goes on. Puts the floating-point mode back into the frame.
void note_resumption(strand_state& self, nopal_frame* frame) noexcept;

/// Whether the scope was stolen from. Not to be asked by others than the strand that owns it.
[[nodiscard]] bool is_stolen_from(const nopal_frame* frame) noexcept;

/// An interval that the program has named, for the file; in ns. Those of one name add up.
void add_named(const char* name, const lengths& difference) noexcept;

/// In the program's unit.
[[nodiscard]] std::uint64_t as_ns(std::uint64_t ticks) noexcept;

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

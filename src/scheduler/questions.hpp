// Asking a thread for its latent forks by a signal: it may be in a child that does not fork for
// long. docs/latent-forks.md has the argument.
#ifndef NOPAL_SCHEDULER_QUESTIONS_HPP
#define NOPAL_SCHEDULER_QUESTIONS_HPP

#include <cstdint>

#include "scheduler/worker.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Installs the handler, unless that was done; 0: nobody is asked.
void listen_for_questions(int signal) noexcept;
/// While the runtime is stopped: nobody is asked, and the program's handler comes back, where no
/// question that comes late can end the process.
void pause_listening() noexcept;
/// For good.
void stop_listening() noexcept;

/// The calling thread's first worker may be asked from here on: it is this thread's now, or this is a
/// new process.
void begin_to_answer(worker* first) noexcept;

/// Before the calling thread's first latent fork: finds out where its stack lies, and lets a thread of
/// the pool have the signal. The code with latent forks may have been loaded when the thread was there
/// already. Allocates.
void get_ready_to_answer(worker* first) noexcept;

/// Thief: asks the victim's thread for its latent forks, unless it was asked a moment ago. True if
/// it did.
bool ask(worker* self, worker* victim) noexcept;

/// The thread's next fork gave away all that was latent: the pause that fruitless answers brought is over.
/// Here, since promotion uses general registers only.
inline void note_fruitful(worker* first) noexcept {
  first->fruitless.store(0, std::memory_order_relaxed);
  // Relaxed: while a question is on its way nobody is to send another.
  if (first->asking.load(std::memory_order_relaxed) != asked) {
    first->not_asked_for.store(0, std::memory_order_relaxed);
  }
}

/// By the thread, at a slow push: its answer that nothing is latent is out of date, if it was asked since it
/// became a worker. Here for the same reason.
inline void forks_again(worker* first) noexcept {
  // Relaxed, and read first, since the line is shared with those that ask: nobody asks while it stands.
  if (first->asking.load(std::memory_order_relaxed) == nothing_latent) {
    NOPAL_FAULT_OMITS("nothing latent kept", first->asking.store(not_asked, std::memory_order_relaxed));
  }
}

/// Whether an answer is to be had from the victim's thread, now or soon. A snapshot.
bool may_be_asked(const worker* victim) noexcept;

/// By the thread of `self`, whose latent forks have just been promoted: nobody asks it until it forks
/// again, so no signal ends a call of the system that it makes. Waits for a question that is on its
/// way.
void answer_no_question(worker* self) noexcept;

/// How long a thief that is about to sleep may do so until somebody may be asked again, in ns; 0:
/// until it is woken. Of the pool's threads one at a time keeps this watch.
std::uint64_t sleep_until_asking(worker* self) noexcept;
/// Whether somebody keeps it, as far as it is needed.
[[nodiscard]] bool anyone_watches() noexcept;
/// By a thread that enters a strand, if a walk was ever cut: what that one hid may be had now, though the thread's
/// last answer was that there is nothing.
void ask_again(worker* self) noexcept;
/// By a thread that has no latent fork now, and whose next fork comes to the slow push: nobody sends it a signal
/// for nothing, which would end a system call of the program early. False if a question is on its way.
bool has_nothing_latent(worker* first) noexcept;
/// Wakes a sleeper to keep it.
void give_watch_up(worker* self) noexcept;
/// Before a thief begins to work: a sleeper watches in its place. Nobody may watch, too: when the last
/// sleeper looked, there was nobody to ask.
inline void hand_watch_on(worker* self) noexcept {
  if (self->watches || !anyone_watches()) {
    give_watch_up(self);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

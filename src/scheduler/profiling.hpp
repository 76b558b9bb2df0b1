// Where the scheduler tells the profiler of what it does. Each is one well-predicted look while programs
// are not profiled, and none is on the path of an unstolen fork.
#ifndef NOPAL_SCHEDULER_PROFILING_HPP
#define NOPAL_SCHEDULER_PROFILING_HPP

#include "deque/deque.hpp"
#include "profile/profile.hpp"
#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Begins with the runtime, if the settings say so.
void start_profile(const char* file, int workers) noexcept;
/// As the process ends, without the runtime's lock.
void finish_profile() noexcept;

/// The next fork comes to the slow push, unless none of the strand's is recorded: then it may be latent.
inline void await_fork(worker* self) noexcept {
  if (profile::is_unobserved(self->profile)) {
    self->profile.has_left_latent = true;
  } else {
    deque::poison(self->deque);
  }
}

/// Whether the worker's strand has no latent forks because each is recorded. That it is recorded now says too little:
/// another strand of the same child may have begun that.
[[nodiscard]] inline bool records_all_forks(const worker* self) noexcept {
  return profile::is_on() && !self->profile.has_left_latent && !profile::is_unobserved(self->profile);
}

/// The thread of a worker that has just been made is one of the program's.
void begin_profiled_thread(worker* self) noexcept;
/// What the strand has done. The piece that runs ends, so that what others had of it is left out.
[[nodiscard]] profile::lengths end_profiled_piece(worker* self) noexcept;
/// At a slow push, before the entry may be taken.
void note_push(worker* self, nopal_frame* frame, bool is_adopted) noexcept;
/// The entry is in the deque.
void end_push(worker* self) noexcept;

/// At a slow pop: the entry is out of the deque.
void note_pop(worker* self, const nopal_frame* frame) noexcept;

/// The last before the strand is entered.
inline void go_on_profiled(worker* self, profile::after kind) noexcept {
  if (profile::is_on()) {
    await_fork(self);
    profile::go_on(self->profile, kind);
  }
}

/// A call that stays on its thread is part of the strand that makes it.
void begin_profiled_call(worker* outer, worker* nested) noexcept;
void end_profiled_call(worker* outer, const worker* nested) noexcept;
/// A strand that stands still while its thread looks for others.
void leave_profiled(worker* self) noexcept;
void come_back_profiled(worker* self) noexcept;

/// Sets the strand of a worker aside while its thread waits for tasks, or while it runs one in the worker of a call
/// that stays on its thread; and comes back to it. Small, for waits lie on top of each other.
class set_aside {
public:
  enum class while_it { waits, runs_a_task };
  set_aside(worker* self, while_it what) noexcept {
    if (profile::is_on() && self != nullptr) {
      begin(self, what);
    }
  }
  set_aside(const set_aside&) = delete;
  set_aside& operator=(const set_aside&) = delete;
  ~set_aside() {
    if (self_ != nullptr) {
      end();
    }
  }

private:
  void begin(worker* self, while_it what) noexcept;
  void end() noexcept;

  worker* self_ = nullptr;  ///< null: nothing is set aside
  while_it what_ = while_it::waits;
};

/// Whether something was stolen from the scope since its last join. By the strand that owns it.
inline bool is_stolen_from(const nopal_frame* frame) noexcept {
  return frame->steals != 0 && (!profile::is_on() || profile::is_stolen_from(frame));
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

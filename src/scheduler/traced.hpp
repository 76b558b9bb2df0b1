// Where workers tell the trace what they do.
#ifndef NOPAL_SCHEDULER_TRACED_HPP
#define NOPAL_SCHEDULER_TRACED_HPP

#include "scheduler/worker.hpp"
#include "trace/trace.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace trace {

/// By the thread of `self`. One predicted branch where nothing is traced.
[[gnu::always_inline]] inline void note(const worker* self, what kind, std::uint64_t argument = 0) noexcept {
  if (is_on) [[unlikely]] {
    write(thread_worker(self)->traced, kind, argument);
  }
}

inline void note(const worker* self, what kind, const void* about) noexcept {
  note(self, kind, reinterpret_cast<std::uintptr_t>(about));
}

/// A fork that was pushed slowly; of these one in each interval.
[[gnu::always_inline]] inline void note_fork(worker* self, const void* goes_on_at) noexcept {
  if (is_on && self->notes_fork.load(std::memory_order_relaxed)) [[unlikely]] {
    self->notes_fork.store(false, std::memory_order_relaxed);
    note(self, what::forks, goes_on_at);
  }
}

/// For a worker that has just got its index. Under the runtime's lock.
inline void give_ring(worker* self) noexcept {
  if (is_on && self->traced == nullptr) {
    self->traced = make_ring();
  }
}

/// By its thread, which is a worker from here on, or is none any more.
inline void note_life(const worker* self, what kind) noexcept {
  if (is_on) {
    write(self->traced, kind, worker_word(os::current_thread_id(), self->of_pool, self->index));
    note_clock(self->traced);
  }
}

/// The clock too: it may be the last record for long.
inline void note_sleep(const worker* self) noexcept {
  note(self, what::sleeps);
  if (is_on) {
    note_clock(thread_worker(self)->traced);
  }
}

/// Threads that are no workers wake sleepers, too.
inline void note_waking_of(int index) noexcept {
  if (is_on) {
    if (const worker* const self = this_worker()) {
      note(self, what::wakes, static_cast<std::uint64_t>(index));
    }
  }
}

}  // namespace trace
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif

// What a strand knows of the algorithm it runs in, and calls of the user's code.
//
// Invariant: each call of the user's code is pinned to its thread, and the root's local pointer
// leads to its `presence` while it lasts. The algorithm's own code leaves that pointer as its
// caller's. So strands that the user's code forks by any interface see it, and nobody sees one that
// is over.
#ifndef NOPAL_COMPAT_TBB_DETAIL_CURRENT_H
#define NOPAL_COMPAT_TBB_DETAIL_CURRENT_H

#include <atomic>

#include "config.h"

#include "stops.h"

#ifndef NOPAL_ELIDE
#include <nopal/detail/pinned.h>
#include <nopal/detail/task.h>
#include <nopal/runtime.hpp>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

class task_group_context;

namespace nopal_detail {

class task_list;
class task_record;
class arena_state;

/// A running algorithm, as its strands see it.
struct execution {
  task_group_context* context = nullptr;
  task_list* spawned = nullptr;   ///< where tasks of the low-level interface go; null elsewhere
  arena_state* arena = nullptr;   ///< the innermost arena; null: that of all workers
  nopal_stop* part = nullptr;     ///< what of the context says that the user's code is to stop
  task_record* record = nullptr;  ///< of the group's task that this is; null: it has none
  bool is_entry = false;          ///< a call by a thread that has entered the arena, and runs no task there
};

/// Tells threads apart: the address of a thread-local array of two.
[[gnu::noinline]] inline const void* this_thread_key() noexcept {
  static constinit thread_local char key[2] = {};
  asm volatile("" ::
                   // Compilers keep such an address for a whole function, and a strand may change threads.
               : "memory");
  return key;
}

/// A call of the user's code, in the frame of the caller.
struct presence {
  const execution* where;  ///< null: in no algorithm
  /// Of the code that started the algorithm, maybe on another thread; null: none
  const presence* outer;
  const void* thread;
  int wanted;  ///< the index that the call would like; negative: any
  /// The thread's index in the arena, taken by this call; -1: not taken; less: see arena_state::index_of_shared.
  mutable int slot;
};

#ifdef NOPAL_ELIDE
inline constinit thread_local const presence* current_of_thread = nullptr;
#ifdef NOPAL_CHECKED
// One strand after the other has it, in a checked program on one thread: no race of the program's.
[[gnu::noinline]] __attribute__((no_sanitize("thread"))) inline const presence* current_presence() noexcept {
  return current_of_thread;
}
[[gnu::noinline]] __attribute__((no_sanitize("thread"))) inline void
set_presence(const presence* now) noexcept {
  current_of_thread = now;
}
#else
inline const presence* current_presence() noexcept { return current_of_thread; }
inline void set_presence(const presence* now) noexcept { current_of_thread = now; }
#endif
#else
inline const presence* current_presence() noexcept { return static_cast<const presence*>(nopal_local()); }
#endif

/// Whether the calling thread has started an algorithm outside of others. One that runs all of it makes it no worker.
inline constinit thread_local bool has_begun_algorithm = false;

// Not inlined: compilers keep such an address for a whole function, and a strand may change threads.
[[gnu::noinline]] inline void keep_begun() noexcept { has_begun_algorithm = true; }
[[gnu::noinline]] inline bool has_begun() noexcept { return has_begun_algorithm; }

/// The innermost algorithm whose user code calls this; null outside.
inline const execution* current() noexcept {
  const presence* const now = current_presence();
  return now != nullptr ? now->where : nullptr;
}

/// Whether a call isolates the caller.
inline bool is_isolated() noexcept {
#ifdef NOPAL_ELIDE
  return false;
#else
  return nopal_isolation() != 0;
#endif
}

/// Whether the caller is in no task and no algorithm of its arena, nor isolated.
inline bool runs_no_task() noexcept {
  const execution* const now = current();
  return (now == nullptr || now->is_entry) && !is_isolated();
}

/// Gives back the slot of a call that is over.
void leave_slot(const presence& call) noexcept;

#ifndef NOPAL_ELIDE
using part_of_call = nopal::detail::pinned_call;  // its end puts the local pointer back
#endif

/// While it lives, the code is one call of the user's in `where`, and stays on its thread.
class body_call {
public:
  explicit body_call(const execution* where, int wanted_index = -1)
      : body_call(where, where != nullptr ? where->part : nullptr, wanted_index) {}
  /// In `part` in place of that of the context.
  body_call(const execution* where, nopal_stop* part, int wanted_index)
      : in_(part), presence_{where, current_presence(), this_thread_key(), wanted_index, -1} {
#ifdef NOPAL_ELIDE
    set_presence(&presence_);
#else
    nopal_set_local(&presence_);
#endif
  }
  body_call(const body_call&) = delete;
  body_call& operator=(const body_call&) = delete;
  ~body_call() {
    if (presence_.slot >= 0) {
      leave_slot(presence_);
    }
#ifdef NOPAL_ELIDE
    set_presence(presence_.outer);
#endif
  }

private:
  part_of_call in_;
  presence presence_;
};

/// The least `max_allowed_parallelism` of all that are alive; 0: none.
inline constinit std::atomic<int> global_limit{0};

inline int runtime_workers() {
#ifdef NOPAL_CHECKED
  return 4;  // for loops that are divided by their number
#elif defined(NOPAL_ELIDE)
  return 1;
#else
  return nopal::workers();
#endif
}

/// How many workers run code in no arena. The index of each is less.
inline int workers_outside() {
#if defined(NOPAL_CHECKED) || defined(NOPAL_ELIDE)
  return runtime_workers();
#else
  return nopal_workers_outside();
#endif
}

inline int least_limit(int a, int b) noexcept {
  if (a == 0 || b == 0) {
    return a + b;
  }
  return a < b ? a : b;
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

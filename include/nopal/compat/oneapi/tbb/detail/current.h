// What a strand knows of the algorithm it runs in.
//
// Invariant: the thread's variable is set while code of the user runs inside an algorithm, and null while the algorithm's
// own code does. Strands change threads only in the latter; it sets the variable anew before it goes back to the user.
#ifndef NOPAL_COMPAT_TBB_DETAIL_CURRENT_H
#define NOPAL_COMPAT_TBB_DETAIL_CURRENT_H

#include <atomic>

#include "config.h"

#ifndef NOPAL_ELIDE
#include <nopal/runtime.hpp>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

class task_group_context;

namespace nopal_detail {

class task_list;

/// A running algorithm, as its strands see it.
struct execution {
  task_group_context* context = nullptr;
  task_list* spawned = nullptr;  ///< where tasks of the low-level interface go; null elsewhere
  int arena_limit = 0;           ///< of the innermost arena; 0: none
  void* arena = nullptr;         ///< the innermost arena
};

inline constinit thread_local const execution* current_of_thread = nullptr;

// Functions that are never inlined, since compilers keep the address of a thread-local variable for a whole function,
// and after a fork that is another thread's. ThreadSanitizer takes strands for threads, and the variable is one of the thread.

/// The innermost algorithm whose user code calls this; null outside.
[[gnu::noinline, gnu::no_sanitize_thread]] inline const execution* current() noexcept {
  asm volatile("" ::: "memory");
  return current_of_thread;
}
[[gnu::noinline, gnu::no_sanitize_thread]] inline void set_current(const execution* now) noexcept {
  asm volatile("" ::: "memory");
  current_of_thread = now;
}
[[gnu::noinline, gnu::no_sanitize_thread]] inline const execution*
exchange_current(const execution* now) noexcept {
  asm volatile("" ::: "memory");
  const execution* const before = current_of_thread;
  current_of_thread = now;
  return before;
}

/// The least `max_allowed_parallelism` of all that are alive; 0: none.
inline constinit std::atomic<int> global_limit{0};

inline int runtime_workers() {
#ifdef NOPAL_ELIDE
  return 1;
#else
  return nopal::workers();
#endif
}

inline int least_limit(int a, int b) noexcept {
  if (a == 0 || b == 0) {
    return a + b;
  }
  return a < b ? a : b;
}

/// How many threads work for code that runs in `where`: never more than the runtime has.
inline int concurrency_of(const execution* where) {
  const int limit =
      least_limit(global_limit.load(std::memory_order_relaxed), where != nullptr ? where->arena_limit : 0);
  const int all = runtime_workers();
  return limit != 0 && limit < all ? limit : all;
}

/// Whether algorithms of code that runs in `where` are to run on one thread.
inline bool is_serial(const execution* where) noexcept {
  return global_limit.load(std::memory_order_relaxed) == 1 || (where != nullptr && where->arena_limit == 1);
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif

/* Calls that stay on their thread, whatever they fork.
 *
 * Between nopal_begin_pinned and nopal_end_pinned the code is a root of its own: as the outermost
 * code of a thread of the program is. If it forks, it comes back on the thread that began it, and
 * while it waits at a join this thread runs strands of this root and of roots below it, and no
 * others. What the thread's worker had in its deque stays there for thieves. It is in the parts that may be
 * stopped (stop.h) that its caller is in.
 */
#ifndef NOPAL_DETAIL_PINNED_H
#define NOPAL_DETAIL_PINNED_H

#include <stdint.h>

#include <nopal/detail/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nopal_stop;

/* Lies in the frame of the caller, from the beginning to the end. */
struct nopal_pinned {
  /* The worker that the call interrupts; null on a thread that is none: pinned by itself */
  void* outer;
  const void* local; /* nopal_local() at the beginning */
  /* Where `outer` is null: of the call around this one, where that begins on the stack; null:
   * none */
  const char* outside;
  struct nopal_stop* part; /* where `outer` is null: the part of that call */
};

/* Some nanoseconds, no lock; memory is taken once for each depth that a thread reaches. Non-zero:
 * there is none, and nothing has begun. */
NOPAL_EXPORT int nopal_begin_pinned(struct nopal_pinned* call);
/* The same, in `part` in place of the caller's; null: nothing around the call stops what is in it. */
NOPAL_EXPORT int nopal_begin_pinned_in(struct nopal_pinned* call, struct nopal_stop* part);

/* In a call that has just begun: its waits run, of what they do not wait for, only what was pushed in it, calls in arenas
 * aside. Makes the thread a worker; without memory for that, nothing. */
NOPAL_EXPORT void nopal_isolate(void);
/* A number of the call that isolates the caller, and what the caller pushes; 0: none does. Takes the depth of nesting. */
NOPAL_EXPORT uint64_t nopal_isolation(void);

struct nopal_arena;

/* The same for a call in `arena`, whose seats bound the threads that run the call's strands: waits
 * while there is none, and makes the thread a worker. A thread that has a seat already keeps that.
 * While the call lasts, a seat that the thread has in another arena is free, unless that arena keeps
 * seats; the end of the call waits until there is one again. */
NOPAL_EXPORT int nopal_begin_in_arena(struct nopal_pinned* call, struct nopal_arena* arena);
/* The same, for a caller that has another way: 2: there was no seat, and who has one sleeps in a wait elsewhere, or nobody has given one
 * back for a fifth of a second. Nothing has begun, but that a seat in another arena is free; the caller tries again, or begins the
 * next one. */
NOPAL_EXPORT int nopal_begin_in_arena_patiently(struct nopal_pinned* call, struct nopal_arena* arena);
/* The same beside those who have seats, in an arena that keeps them, for a thread that its caller lets in. */
NOPAL_EXPORT int nopal_begin_beside_arena(struct nopal_pinned* call, struct nopal_arena* arena);
/* The same for a thread that took a seat by a function of task.h, and gives it back that way. */
NOPAL_EXPORT int nopal_begin_seated(struct nopal_pinned* call, struct nopal_arena* arena);

/* On the same thread, with every scope joined that was forked on since; also where an exception
 * leaves the call. */
NOPAL_EXPORT void nopal_end_pinned(struct nopal_pinned* call);

/* A pointer that belongs to the root: each strand of a root sees what the root's thread saw when it
 * forked. Null unless it was set. Set inside a pinned call, it is what it was before when that
 * ends. */
NOPAL_EXPORT const void* nopal_local(void);
NOPAL_EXPORT void nopal_set_local(const void* value);

#ifdef __cplusplus
}

#include <new>
#include <utility>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// The time of a pinned call.
class pinned_call {
public:
  pinned_call() { check(nopal_begin_pinned(&call_)); }
  /// In `part`, see nopal_begin_pinned_in.
  explicit pinned_call(nopal_stop* part) { check(nopal_begin_pinned_in(&call_, part)); }
  pinned_call(const pinned_call&) = delete;
  pinned_call& operator=(const pinned_call&) = delete;
  ~pinned_call() { nopal_end_pinned(&call_); }

private:
  static void check(int failed) {
    if (failed != 0) {
#ifdef __cpp_exceptions
      throw std::bad_alloc();
#else
      __builtin_trap();
#endif
    }
  }
  nopal_pinned call_;
};

/// Calls `f()` as a root of its own: it returns on this thread.
template <class F>
decltype(auto) call_pinned(F&& f) {
  const pinned_call pinned;
  return std::forward<F>(f)();
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
#endif

#endif

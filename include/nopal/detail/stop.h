/* What <nopal/speculate.hpp> asks of the library: which parts of a computation may be stopped, and
 * whether the code that asks is in one that is.
 *
 * A part is code between nopal_enter_stop and nopal_leave_stop, all that it calls, and all that it
 * forks. Parts are nested as calls are. Each has a record in the frame of the function that began it.
 *
 * Calls that stay on their thread (pinned.h) may be in a part of their own, which uses a record that lies anywhere,
 * serves several such calls at once, and whose request is withdrawn when it is to be used anew: what oneTBB calls a
 * context.
 */
#ifndef NOPAL_DETAIL_STOP_H
#define NOPAL_DETAIL_STOP_H

#include <stdint.h>

#include <nopal/detail/export.h>
#include <nopal/detail/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a part is. */
enum nopal_stop_kind {
  nopal_stop_skips = 0,   /* forks of a stopped part do not begin their children */
  nopal_stop_unwinds = 1, /* they throw, inside of its children */
  nopal_stop_child = 2,   /* a child of the part that `of` is */
  nopal_stop_shield = 3,  /* nothing outside of it stops what is inside */
  nopal_stop_use = 4      /* to stop if `of` says so, too: calls in a context, for as long as they last */
};

/** Tokens of the C++ interface, which C tells and ends, too. */
struct nopal_tokens {
  void (*tell)(struct nopal_tokens* tokens); /**< that the part is to stop */
  void (*drop)(struct nopal_tokens* tokens); /**< that it ends */
};

/** The record of a part. */
struct nopal_stop {
  struct nopal_stop* parent;   /**< the part around it; null: none */
  const struct nopal_stop* of; /**< see nopal_stop_child and nopal_stop_use */
  uint32_t kind;               /**< a nopal_stop_kind; see nopal_kind_of */
  uint32_t requested;          /**< atomic; not zero: it is to stop */
  struct nopal_tokens* tokens; /**< atomic; null: none. Of other kinds: nopal_throw_kept, nopal_follow_stop */
  void* handled;               /**< of a child: the exception that was being handled as it began */
  uint32_t followers;          /**< atomic; how many follow it; see nopal_follow_stop */
};

/* Relaxed: only detail/whole_calls.hpp changes it while others may look, and either answer is right then. */
static inline uint32_t nopal_kind_of(const struct nopal_stop* part) {
  return __atomic_load_n(&part->kind, __ATOMIC_RELAXED);
}

/* How many parts are to stop now; atomic. Zero as a rule: then nothing else is asked. */
NOPAL_EXPORT extern uint32_t nopal_stops_requested;

/* Not zero: some thread has entered a part. Written once; who is in one sees it. */
NOPAL_EXPORT extern unsigned char nopal_stops_used;

/* The calling strand is in the part from here on. By the function in whose frame the record is, not by
 * one that it calls: what is forked later in that function is in the part, what it forked before is not.
 * Makes the thread a worker. Non-zero: that is impossible, or there is no memory, and nothing has begun. */
NOPAL_EXPORT int nopal_enter_stop(struct nopal_stop* part, uint32_t kind, const struct nopal_stop* of);
/* By the same function, with all joined that it forked since. */
NOPAL_EXPORT void nopal_leave_stop(struct nopal_stop* part);

/* Stops the part, and all inside of it. From any thread, while the part lasts. Not zero: it was to stop
 * before. */
NOPAL_EXPORT int nopal_request_stop(struct nopal_stop* part);

/* Whether it was asked for itself, or by what it uses. Acquire pairs with who asks: what that did comes before. */
static inline int nopal_is_asked_to_stop(const struct nopal_stop* part) {
  return __atomic_load_n(&part->requested, __ATOMIC_ACQUIRE) != 0 ||
         (nopal_kind_of(part) == nopal_stop_use &&
          __atomic_load_n(&part->of->requested, __ATOMIC_ACQUIRE) != 0);
}

/* On a walk outwards that has come to `one`: the part that unwinds what was passed, which lies at `one` or further out;
 * null: none so far. `before` is the answer for what was passed before. There is one such part at a time: the function
 * that began it has forked the child, so what lies between them is of that function, and no child of another part. */
static inline const struct nopal_stop* nopal_unwound_around(const struct nopal_stop* one,
                                                            const struct nopal_stop* before) {
  if (nopal_kind_of(one) != nopal_stop_child || !one->of || nopal_kind_of(one->of) != nopal_stop_unwinds) {
    return before;
  }
  return one->of;
}

/* Takes the request back, of a part of calls that are all over. Not zero: there was one. Relaxed: who begins a call in
 * the part comes after by the caller's own doing. */
static inline int nopal_withdraw_stop(struct nopal_stop* part) {
  if (__atomic_load_n(&part->requested, __ATOMIC_RELAXED) == 0 ||
      __atomic_exchange_n(&part->requested, 0, __ATOMIC_RELAXED) == 0) {
    return 0;
  }
  (void)__atomic_fetch_sub(&nopal_stops_requested, 1, __ATOMIC_RELAXED);
  return 1;
}

/* After it: the tokens of the part. Sequentially consistent, as the request is and who makes tokens: that one finds
 * the request, or this the tokens. */
static inline void nopal_tell_tokens(struct nopal_stop* part) {
  struct nopal_tokens* const made = __atomic_load_n(&part->tokens, __ATOMIC_SEQ_CST);
  if (made) made->tell(made);
}
/* As the part ends, with nobody in it any more. */
static inline void nopal_drop_tokens(struct nopal_stop* part) {
  /* Acquire pairs with the exchange of who made them. */
  struct nopal_tokens* const made = __atomic_load_n(&part->tokens, __ATOMIC_ACQUIRE);
  if (made) made->drop(made);
}

/** Something that is stopped with a part, but may outlive it. */
struct nopal_follower {
  struct nopal_follower* next;     /**< the library's */
  struct nopal_follower** to_this; /**< the library's */
  struct nopal_stop* target;       /**< what is stopped */
  struct nopal_stop* around;       /**< atomic; what it follows; null: nothing any more */
  uint32_t generation;             /**< the library's */
};

/* From here on a request that stops `around`, which the caller is in, stops `target` as well; at once if it is stopped
 * already. Once `around` has ended, what is around that is followed, up to a shield. Around a use of the target that is
 * in no part, and whose `tokens` are the follower, is what that follows. A lock; and a request takes time in proportion
 * to the number of followers of the process. */
NOPAL_EXPORT void nopal_follow_stop(struct nopal_follower* follower, struct nopal_stop* target,
                                    struct nopal_stop* around);
NOPAL_EXPORT void nopal_unfollow_stop(struct nopal_follower* follower);
/* After a request of the target was withdrawn: it stops again if what it follows is stopped. */
NOPAL_EXPORT void nopal_follow_again(struct nopal_follower* follower);
NOPAL_EXPORT void nopal_let_followers_go(struct nopal_stop* part);
/* Before a part ends. Who follows it was in it, and that is over. Acquire pairs with who ceases to follow: after the
 * last one nobody looks at the part. */
static inline void nopal_end_of_stop(struct nopal_stop* part) {
  if (__atomic_load_n(&part->followers, __ATOMIC_ACQUIRE) != 0) nopal_let_followers_go(part);
}
/* After a shield that others may have seen was taken from the part: what follows it is stopped if the part is. */
NOPAL_EXPORT void nopal_tell_followers(void);

/* Whether the function with that frame runs on the stack that the frame is on: on another one once its continuation
 * was stolen. */
NOPAL_EXPORT int nopal_is_at_home(const void* frame_address);

/* The innermost part around the caller; null: none. */
NOPAL_EXPORT struct nopal_stop* nopal_innermost_stop(void);

/* Whether the part, or one around it, is to stop. */
NOPAL_EXPORT int nopal_is_stopped(const struct nopal_stop* part);
/* Whether that holds for the innermost one around the caller. */
NOPAL_EXPORT int nopal_stop_requested_here(void);

/* After a push that was not done. Returns where the part is stopped and the child is not to begin. Throws
 * where that is said by an exception, and where the thread could not be adopted. The other is for C,
 * where the latter ends the program. */
NOPAL_EXPORT void nopal_push_refused(void);
NOPAL_EXPORT void nopal_c_push_refused(void);
/* Throws if a fork here would throw since the part is stopped. */
NOPAL_EXPORT void nopal_poll_stop(void);

/* Of a part that is a child of a scope that unwinds, at its end. What other children threw in it and the end of a scope
 * had to drop, since `stopped` was in flight, is kept in its record: throws one such exception if there is one; or
 * drops it. */
NOPAL_EXPORT void nopal_throw_kept(struct nopal_stop* child);
NOPAL_EXPORT void nopal_drop_kept(struct nopal_stop* child);
/* In a handler, where what it handles ends for another exception's sake: if that may be `stopped`, the child that it
 * unwinds keeps the one being handled. */
NOPAL_EXPORT void nopal_keep_handled(void);
/* Whether that may be, or `stopped` was thrown in it; zero as a rule. Relaxed: who did so has been joined. */
static inline int nopal_may_have_kept(const struct nopal_stop* child) {
  return __atomic_load_n(&child->tokens, __ATOMIC_RELAXED) ? 1 : 0;
}

/* In a handler of what was thrown after the child had taken its continuation back: as
 * nopal_child_threw. */
NOPAL_EXPORT int nopal_threw_after_child(struct nopal_frame* frame);

#ifdef __cplusplus
}
#endif

#endif

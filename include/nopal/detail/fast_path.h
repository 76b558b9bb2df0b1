/* The unstolen fork and join, inlined into user code: two stores and two well-predicted compares
 * beyond the call.
 *
 * Invariants: a scope is made, forked on and joined by one function; that function keeps a frame
 * pointer and addresses nothing through the stack pointer between a fork and its join; nothing here
 * is an atomic read-modify-write or a fence (with the deque that is built by default).
 */
#ifndef NOPAL_DETAIL_FAST_PATH_H
#define NOPAL_DETAIL_FAST_PATH_H

#include <nopal/detail/frame.h>
#include <nopal/detail/noise.h>
#include <nopal/detail/owner_steps.h>

#define NOPAL_ALWAYS_INLINE __attribute__((always_inline)) inline
#define NOPAL_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define NOPAL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Marks a function that calls nopal_enter_fork with the type of what that enters. Clang's
 * -fsanitize=cfi-icall and -fsanitize=kcfi would refuse the call. */
#ifdef __clang__
#define NOPAL_DETAIL_CALLS_AS_CHILD __attribute__((no_sanitize("cfi-icall", "kcfi")))
#else
#define NOPAL_DETAIL_CALLS_AS_CHILD
#endif

#ifdef __cplusplus
#define NOPAL_AS_UNSIGNED(value) static_cast<uint32_t>(value)
#else
#define NOPAL_AS_UNSIGNED(value) ((uint32_t)(value))
#endif

#if defined(__SANITIZE_THREAD__)
#define NOPAL_RACES_WATCHED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NOPAL_RACES_WATCHED
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread's deque. The compiler may cache the address of a thread-local variable for a
 * whole function, and after a fork or a join that may be another thread's; so it never sees one. It
 * is told that the result changes from call to call, and not that memory is read: nobody else
 * writes the variable. */
static NOPAL_ALWAYS_INLINE struct nopal_deque* nopal_this_deque(void) {
  struct nopal_deque* deque;
  NOPAL_DETAIL_READ_THREAD_LOCAL(deque, "nopal_current");
  return deque;
}

#ifdef NOPAL_RACES_WATCHED
/* ThreadSanitizer's, for the stacks it shows: compilers call it before a function returns. Under a
 * name of ours, since GCC takes its own for a function of another type. */
void nopal_leave_function(void) __asm__("__tsan_func_exit");

/* The end of a child whose continuation was stolen, in the function that nopal_enter_fork
 * entered. */
static NOPAL_ALWAYS_INLINE __attribute__((noreturn)) void nopal_end_stolen_child(struct nopal_frame* frame) {
  nopal_leave_function();
  nopal_child_done(frame);
}
#else
static NOPAL_ALWAYS_INLINE __attribute__((noreturn)) void nopal_end_stolen_child(struct nopal_frame* frame) {
  nopal_child_done(frame);
}
#endif

#ifdef __cplusplus
}
#endif

#include NOPAL_DETAIL_MACHINE_STEPS

/* A processor has its own where compilers make more of them than stores. */
#ifndef NOPAL_STORE_RELAXED
#define NOPAL_STORE_RELAXED(where, value) __atomic_store_n((where), (value), __ATOMIC_RELAXED)
#define NOPAL_STORE_RELEASE(where, value) __atomic_store_n((where), (value), __ATOMIC_RELEASE)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the function's frame fit to be resumed on another stack. It is here, where every function with a
 * scope comes by, and not at a join, which a function need not reach. */
static NOPAL_ALWAYS_INLINE void nopal_make_frame(struct nopal_frame* frame) {
  nopal_shape_frame(frame);
  /* Asking for the frame's address is what makes both compilers keep a frame pointer. */
  frame->frame_pointer = __builtin_frame_address(0);
  frame->steals = 0;
  frame->unfinished = 0;
}

/* Offers the continuation of `frame` to thieves, by the steps of owner_steps.h. Non-zero if the
 * thread cannot be adopted. */
static NOPAL_ALWAYS_INLINE int nopal_push(struct nopal_frame* frame) {
#ifdef NOPAL_RACES_WATCHED
  return nopal_watched_push(frame);
#else
  struct nopal_deque* const deque = nopal_this_deque(); /* step 1 */
  const int32_t bottom = deque->bottom;
  /* Step 2. Pairs with the stores of thieves that poison the limit. Late is harmless: they look
   * again. */
  if (NOPAL_UNLIKELY(!NOPAL_LESS_THAN(bottom, &deque->limit))) {
    return nopal_call_push_slow(frame);
  }
  /* Step 3. Never negative here, and not to be extended by an instruction. */
  NOPAL_STORE_RELAXED(&deque->owner_slots[NOPAL_AS_UNSIGNED(bottom)], frame);
  NOPAL_DISTURB();
  /* Step 4. Pairs with a thief's acquire load of `bottom` when it forces a publish: the slot and
   * the frame come first. */
  NOPAL_STORE_RELEASE(&deque->bottom, bottom + 1);
  return 0;
#endif
}

/* Makes public what the calling thread's deque has: thieves take it while the owner is in long code, without asking or
 * interrupting it. */
static NOPAL_ALWAYS_INLINE void nopal_offer_private(void) {
#ifndef NOPAL_RACES_WATCHED
  struct nopal_deque* const deque = nopal_this_deque();
  /* Relaxed: a thief that raises it at this moment publishes the same entries. */
  if (__atomic_load_n(&deque->split, __ATOMIC_RELAXED) < deque->bottom) {
    nopal_offer();
  }
#endif
}

/* Takes the youngest entry back, by the steps of owner_steps.h. Zero if it was stolen. */
static NOPAL_ALWAYS_INLINE int nopal_pop(void) {
#ifdef NOPAL_RACES_WATCHED
  return nopal_watched_pop();
#else
  struct nopal_deque* const deque = nopal_this_deque(); /* step 1 */
  const int32_t bottom = deque->bottom - 1;
  /* Step 2. */
#if NOPAL_DETAIL_POP_IS_FENCED
  __atomic_store_n(&deque->bottom, bottom, __ATOMIC_SEQ_CST);
#else
  /* Pairs, as the store in push does, with a thief's acquire load when it forces a publish: what is
   * left below comes first. */
  NOPAL_STORE_RELEASE(&deque->bottom, bottom);
  /* The other half of this fence is the process-wide barrier between a thief's raise of `split` and
   * its second look at `bottom`; only the compiler must be kept from reordering here. */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
  NOPAL_DISTURB();
  /* Step 3. */
#if NOPAL_DETAIL_POP_KEEPS_ABOVE_TOP
  const int mine = bottom > __atomic_load_n(&deque->top, __ATOMIC_RELAXED);
#else
  const int mine = !NOPAL_LESS_THAN(bottom, &deque->split);
#endif
  return NOPAL_LIKELY(mine) ? 1 : nopal_pop_slow(deque);
#endif
}

/* Whether a fork is of use now. */
enum nopal_demand {
  nopal_no_demand,    /* nobody has asked for work, and there is some that one could ask for */
  nopal_nothing_left, /* the deque has nothing that a thief could take or ask for */
  nopal_asked_for,    /* a thief has asked for work */
  nopal_wake_owed     /* a push woke nobody, and whoever looks asks nopal_pay_wake whether to wake now */
};

/* Late is harmless, as for a push: thieves take what is private all the same. A few instructions,
 * two cache lines of the worker's own. */
static NOPAL_ALWAYS_INLINE enum nopal_demand nopal_look_for_demand(void) {
  struct nopal_deque* const deque = nopal_this_deque();
#ifdef NOPAL_RACES_WATCHED
  /* Unseen by the tool: the worker may have been another thread's, which was told to the library
   * and not to the tool. */
  const int32_t bottom = nopal_unwatched_load(&deque->bottom);
#else
  const int32_t bottom = deque->bottom;
#endif
  /* Pair with the stores of thieves that poison the limit, and that take entries; nothing is read
   * after them. Where forks are latent, thieves ask for what they do not see. */
  if (NOPAL_UNLIKELY(!NOPAL_LESS_THAN(bottom, &deque->limit))) {
    return !NOPAL_LESS_THAN(-1, &deque->limit) ? nopal_no_demand
           : NOPAL_LESS_THAN(0, &deque->limit) ? nopal_wake_owed
                                               : nopal_asked_for;
  }
  return NOPAL_UNLIKELY(NOPAL_LESS_THAN(bottom - 1, &deque->top)) ? nopal_nothing_left : nopal_no_demand;
}

/* The join of a scope that was stolen from. */
#define NOPAL_JOIN_STOLEN(frame, exception)                                                                  \
  do {                                                                                                       \
    (exception) = nopal_suspend_at_join(nopal_fresh_address(frame));                                         \
    nopal_forget_stack_pointer();                                                                            \
    (frame)->steals = 0;                                                                                     \
  } while (0)

#ifdef __cplusplus
}
#endif

#endif

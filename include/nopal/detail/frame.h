/* What the inlined fast path and the library share: the frame of a scope and the owner's view of a
 * deque.
 *
 * Plain C, so that the C interface, the C++ interface and the assembly agree on one layout. The
 * offsets are checked where the assembly that uses them is declared (src/arch).
 */
#ifndef NOPAL_DETAIL_FRAME_H
#define NOPAL_DETAIL_FRAME_H

#include <nopal/detail/supported.h>

#include <stddef.h>
#include <stdint.h>

#include <nopal/detail/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nopal_stack;

/* The continuation of a fork or of a join, and the count of the children that a join waits for.
 * Written by the strand that owns the scope, except where a comment says otherwise. */
struct nopal_frame {
  /* Where the continuation goes on; like the next, written at each fork and join */
  void* resume_address;
  void* call_stack_pointer; /* as it was in the call that returns to `resume_address` */
  void* frame_pointer;      /* of the function that forks; written once, when the scope is made */
  /* Registers that a child preserves, by the machine; written at each fork and join */
  void* callee_saved[NOPAL_DETAIL_CALLEE_SAVED];
  /* Continuations stolen since the last join; written by thieves, one at a time */
  uint32_t steals;
  /* Atomic; children end with -1, the join adds `steals`: zero means all are done */
  int32_t unfinished;
  /* The stack to come back to at the join; valid while `steals` > 0; null: stay */
  struct nopal_stack* home;
  /* Where on `home`; written by the join before it adds to `unfinished` */
  void* home_stack_pointer;
  /* Exceptions being handled (the C++ runtime's list) while the strand is suspended */
  void* caught;
  uint32_t uncaught;         /* exceptions in flight while the strand is suspended */
  uint32_t uncaught_at_fork; /* the same at the first stolen fork; or nopal_join_returns */
  /* While the strand is suspended, by the machine: the control words of SSE and x87; of AArch64 the
   * low half, and 0 */
  uint32_t float_control;
  uint32_t x87_control;
  /* Of the last steal, and of the last before the strand left home through this scope (0: none).
   * They order the exceptions of children. Written by thieves. */
  uint64_t last_ticket;
  uint64_t home_ticket;
};

/* The strand that a worker runs, as far as a thief that continues one of its forks has to know it.
 * It lies on the deque's shared line, which a thief needs anyway. The worker writes it before it
 * makes anything public. Thieves read it before they take an entry, and it is valid only if they
 * take that. All of it is atomic, and relaxed: the deque's exchange orders it. */
struct nopal_strand {
  struct nopal_stack* stack; /* run on now; null while the worker is in its scheduler */
  /* Of the activation that the stack's lowest strand belongs to; null: began there */
  void* origin_frame_pointer;
  struct nopal_frame* origin_scope; /* whose steal brought that strand here; null: began there */
  /* Added to a stack pointer of that activation: the same on its home stack */
  ptrdiff_t origin_to_home;
  uint64_t latest_ticket; /* at least the ticket of every steal in the strand's past */
  uint64_t first_ticket;  /* ticket of the steal that began the stack's lowest strand */
};

/* The rest of it, which hardly ever changes. Written only when it does, so that every thief keeps
 * its copy of the cache line. */
struct nopal_strand_setting {
  const void* root;       /* the worker whose root the strand is part of */
  uint32_t float_control; /* as in a frame, at the public forks, without the sticky flags */
  uint32_t x87_control;   /* the same */
  uint32_t uncaught;      /* exceptions in flight at the public forks */
  uint32_t unused;
};

/* A worker's deque of forks whose continuation may be stolen, oldest first. Slots [top, split) are
 * public: any thief may take the oldest. Slots [split, bottom) are private to the owner. */
struct nopal_deque {
  /* The owner's line. */
  int32_t bottom; /* one past the youngest entry; written by the owner, read by thieves */
  /* Atomic; the slots' number, nopal_latent_limit, or nopal_poisoned_limit when somebody wants the
   * owner, or nopal_owed_limit */
  int32_t limit;
  struct nopal_frame** owner_slots; /* written by the owner when it grows the deque */
  /* The block that `owner_slots` lies in: leak checkers look for pointers to a beginning */
  void* slots_memory;
  char owner_padding[40];
  /* The shared line: one 16-byte atomic word, then what thieves read beside it. */
  int32_t top;   /* the oldest entry; advanced by thieves */
  int32_t split; /* one past the youngest public entry */
  /* Changes whenever a public slot may be rewritten; bit 0: a thief raises `split` */
  uint64_t version_and_raising;
  struct nopal_strand strand;
  /* Hardly ever written, so that every thief has it at hand. */
  struct nopal_frame** public_slots; /* atomic; what thieves read slots from */
  struct nopal_strand_setting setting;
};

/* `limit` of a deque whose owner is wanted: every push takes the slow path, and so does every fork
 * that might be latent. Or of one whose owner's forks may be latent: then every push takes the slow
 * path, since what is pushed has to be younger than what is not.
 * The third: that of an owner who owes a wake-up, and has entries; loops do not take that for a thief's. */
enum { nopal_poisoned_limit = 0, nopal_latent_limit = -1, nopal_owed_limit = 1 };

/* The calling thread's deque; that of nobody, with a poisoned limit, on threads not adopted yet. */
NOPAL_EXPORT extern __thread struct nopal_deque* nopal_current __attribute__((tls_model("initial-exec")));

/* Records the continuation and enters `child(frame, child, ...)` with the registers as the caller
 * set them. An ordinary call to the compiler; returns once if the continuation is not stolen, and
 * on a thief if it is. */
NOPAL_EXPORT void nopal_enter_fork(void);

/* Suspends the strand until every stolen child of `frame` is done. Returns the exception to
 * rethrow, or null; maybe on another thread. */
NOPAL_EXPORT void* nopal_suspend_at_join(struct nopal_frame* frame);

/* The end of a child whose continuation was stolen. */
NOPAL_EXPORT __attribute__((noreturn)) void nopal_child_done(struct nopal_frame* frame);

/* Makes all entries of the calling thread's deque public, and wakes nobody. */
NOPAL_EXPORT void nopal_offer(void);

/* The slow end of a pop: takes public entries back. Zero if the entry was stolen. */
NOPAL_EXPORT int nopal_pop_slow(struct nopal_deque* deque);

/* Called in a handler that caught what a child threw; takes the continuation back or ends the
 * child. Non-zero: nothing of the scope was stolen, so the exception goes on from the fork. Zero:
 * an earlier child may still throw, so the exception is kept for the join to choose from. */
NOPAL_EXPORT int nopal_child_threw(struct nopal_frame* frame);

/* Forks of code that ThreadSanitizer watches. It would take the deque's protocol for races, so push
 * and pop are calls of the library, which tells it the order of strands. nopal_watched_fork is for
 * forks that push elsewhere. The last returns 2 where nopal_child_threw does not return: its caller
 * ends the child. */
NOPAL_EXPORT void nopal_watched_fork(struct nopal_frame* frame);
NOPAL_EXPORT int nopal_watched_push(struct nopal_frame* frame);
NOPAL_EXPORT int nopal_watched_pop(void);
NOPAL_EXPORT int nopal_watched_child_threw(struct nopal_frame* frame);

/* In `uncaught_at_fork` before a join: of code without exceptions, as C is, which `stopped` is not thrown through. */
enum { nopal_join_returns = 0xffff };
#if defined(__cplusplus) && defined(__cpp_exceptions)
#define NOPAL_DETAIL_JOIN_RETURNS(frame) ((void)0)
#else
#define NOPAL_DETAIL_JOIN_RETURNS(frame) ((void)((frame)->uncaught_at_fork = nopal_join_returns))
#endif

/* Throws the exception that a join returned. */
NOPAL_EXPORT __attribute__((noreturn)) void nopal_rethrow(void* exception);

/* The same at the end of a scope that is left normally; drops it if the scope is left by another
 * exception. */
NOPAL_EXPORT void nopal_rethrow_at_end(struct nopal_frame* frame, void* exception);

/* In a handler of a foreign exception, which another language or C++ runtime threw: takes it, to be
 * raised or dropped elsewhere. Ends the process with one line on a forced unwind, which ends the
 * thread. */
NOPAL_EXPORT void* nopal_take_foreign(void);
NOPAL_EXPORT __attribute__((noreturn)) void nopal_raise_foreign(void* exception);
NOPAL_EXPORT void nopal_drop_foreign(void* exception);

/* In a handler: throws on what it handles, also a foreign exception or a forced unwind. */
NOPAL_EXPORT __attribute__((noreturn)) void nopal_throw_on(void);

/* Whether pthread_exit or cancellation is ending the calling thread. */
NOPAL_EXPORT int nopal_thread_is_ending(void);

/* For a push that could not be done, since the thread could not be adopted: throws; ends the
 * program, for C. */
NOPAL_EXPORT __attribute__((noreturn)) void nopal_throw_push_failure(void);
NOPAL_EXPORT __attribute__((noreturn)) void nopal_fail_push(void);

/* For a scope used by a function other than the one that made it: throws; ends the program, for
 * C. */
NOPAL_EXPORT __attribute__((noreturn)) void nopal_throw_foreign_scope(struct nopal_frame* frame);
NOPAL_EXPORT __attribute__((noreturn)) void nopal_fail_foreign_scope(struct nopal_frame* frame);

#ifdef __cplusplus
}
#endif

#endif

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
#include <nopal/detail/stack_pointer.h>

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

/* The calling thread's deque. The compiler may cache the address of a thread-local variable for a
 * whole function, and after a fork or a join that may be another thread's; so it never sees one. It
 * is told that the result changes from call to call, and not that memory is read: nobody else
 * writes the variable. */
static NOPAL_ALWAYS_INLINE struct nopal_deque* nopal_this_deque(void) {
  struct nopal_deque* deque;
#if defined(NOPAL_STATIC) && (!defined(__PIC__) || defined(__PIE__))
  /* In an executable that holds the library its offset is known at link time. */
  __asm__ volatile("{movq %%fs:nopal_current@tpoff, %0|mov %0, QWORD PTR fs:nopal_current@tpoff}"
                   : "=r"(deque));
#else
  __asm__ volatile("{movq nopal_current@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0"
                   "|mov %0, QWORD PTR [rip + nopal_current@gottpoff]\n\tmov %0, QWORD PTR fs:[%0]}"
                   : "=r"(deque));
#endif
  return deque;
}

/* Whether `index` is less than the value at `where`, which others may change. The relaxed load is
 * part of the comparison; compilers do not make one instruction of an atomic load and a comparison.
 * Volatile: read at each call. */
#ifndef NOPAL_LESS_THAN
#define NOPAL_LESS_THAN(index, where)                                                                        \
  __extension__({                                                                                            \
    int nopal_less;                                                                                          \
    __asm__ volatile("{cmpl %1, %2|cmp %2, %1}" : "=@ccl"(nopal_less) : "m"(*(where)), "r"(index));          \
    nopal_less;                                                                                              \
  })
#endif

#if !defined(__clang__) && !defined(NOPAL_DETAIL_FRAMES_ARE_DYNAMIC)
/** Takes no register and no room: GCC counts it among the arguments that lie on the stack. */
__extension__ struct nopal_no_argument {
  char none[0]; /**< nothing */
};
#endif

/* Makes the function's frame fit to be resumed on another stack. Compilers must not address what
 * the frame holds through the stack pointer, and without this both do if it has over-aligned
 * locals. It is here, where every function with a scope comes by, and not at a join, which a
 * function need not reach. It costs no instruction; below -O2 GCC may jump over its half. */
static NOPAL_ALWAYS_INLINE void nopal_make_frame(struct nopal_frame* frame) {
#if defined(__clang__)
  /* Tells Clang that the stack pointer moves in a way it cannot follow, and that others know the
   * frame: a setjmp before the fork returns again with what thieves wrote. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wstack-protector" /* -fstack-clash-protection: nothing is allocated here */
  __asm__ volatile(NOPAL_DETAIL_REFUSE_SPLIT_STACK("__morestack") : "=m"(*frame) : : "rsp");
#pragma clang diagnostic pop
#elif defined(NOPAL_DETAIL_FRAMES_ARE_DYNAMIC)
  /* An allocation makes GCC's frame a dynamic one. GCC is told that control may get there, which it
   * never does. */
  __asm__ goto("" : : : : nopal_dynamic);
  if (0) {
    size_t nopal_size;
  /* Control comes back, or GCC would make a function of this part. */
  nopal_dynamic:
    __attribute__((cold));
    __asm__ volatile(NOPAL_DETAIL_REFUSE_SPLIT_STACK("__morestack_allocate_stack_space") : "=r"(nopal_size));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Walloca"
    __asm__ volatile("" : : "r"(__builtin_alloca_with_align_and_max(nopal_size, 8, 1)));
#pragma GCC diagnostic pop
  }
#else
  /* A call with arguments on the stack has GCC address over-aligned frames through the frame pointer.
   * GCC is told that control may get there, which it never does. The registers: with two to restore
   * GCC moves the stack pointer by a constant before it returns. With fewer it takes it from the frame
   * pointer (leave), which was read from memory; on Intel's processors each return waits for that. */
  __asm__ goto("" : : : : nopal_called);
  if (0) {
    struct nopal_no_argument nopal_nothing;
    void (*nopal_take)(struct nopal_no_argument);
  /* Control comes back, or GCC would make a function of this part. */
  nopal_called:
    __attribute__((cold));
    __asm__ volatile("" : "=r"(nopal_take) : : "r12");
    nopal_take(nopal_nothing);
  }
  /* The assembler looks at how GCC addresses the frame. The second name is that of -mcmodel=large. */
  __asm__ __inline__ volatile(
      NOPAL_DETAIL_REFUSE_SPLIT_STACK("__morestack") "\n\t" NOPAL_DETAIL_REFUSE_SPLIT_STACK(
          "__morestack_large_model") NOPAL_DETAIL_REFUSE_STACK_POINTER("%0")
      : "=m"(*frame));
#endif
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
    int failed;
    /* A call that keeps every register but rax, so that the child's arguments stay where they are
     * and the fast path has nothing to save. Through the GOT, since lazy binding would not keep
     * them; a static linker makes it direct. The enclosing function makes ordinary calls too, hence
     * has no red zone. */
    __asm__ volatile("call {*nopal_push_slow@GOTPCREL(%%rip)|QWORD PTR [rip + nopal_push_slow@GOTPCREL]}"
                     : "=a"(failed)
                     : "D"(frame)
                     : "memory", "cc");
    return failed;
  }
  /* Step 3. Never negative here, and not to be extended by an instruction. */
  __atomic_store_n(&deque->owner_slots[NOPAL_AS_UNSIGNED(bottom)], frame, __ATOMIC_RELAXED);
  NOPAL_DISTURB();
  /* Step 4. Pairs with a thief's acquire load of `bottom` when it forces a publish: the slot and
   * the frame come first. */
  __atomic_store_n(&deque->bottom, bottom + 1, __ATOMIC_RELEASE);
  return 0;
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
  __atomic_store_n(&deque->bottom, bottom, __ATOMIC_RELEASE);
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
  int32_t bottom;
  __asm__ volatile("{movl %1, %0|mov %0, %1}" : "=r"(bottom) : "m"(deque->bottom));
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

/* The frame's address, computed anew where it is needed: kept in a register it would cost every
 * call a push. */
static NOPAL_ALWAYS_INLINE struct nopal_frame* nopal_fresh_address(struct nopal_frame* frame) {
  struct nopal_frame* fresh;
  __asm__ volatile("lea {%1, %0|%0, %1}" : "=r"(fresh) : "m"(*frame));
  return fresh;
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

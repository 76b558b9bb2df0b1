/* The owner's side of the deque: the steps of a push and of a pop, and what of them depends on the
 * protocol. They are taken in two places: nopal_push and nopal_pop in fast_path.h, for the
 * compiler, and OWNER_PUSH and OWNER_POP in the assembly of the Fibril interface (src/arch), which
 * has to leave the child's arguments where they are: in registers that compiled code would use.
 * Both name the steps below by their numbers. docs/deque.md has the argument for each.
 *
 *   push   1  the calling thread's deque
 *          2  bottom, less than `limit`? else nopal_push_slow, and nothing more
 *          3  slots[bottom] = frame, relaxed
 *          4  bottom = bottom + 1, release
 *   pop    1  the calling thread's deque, which may be another than at the push
 *          2  bottom = bottom - 1: release, if a process-wide barrier of thieves does the rest; else with
 *             a fence
 *          3  bottom not below what thieves may have? else nopal_pop_slow
 *
 * The schedule is disturbed between push 3 and 4, and between pop 2 and 3.
 *
 * For C, C++ and assembly: nothing but macros.
 */
#ifndef NOPAL_DETAIL_OWNER_STEPS_H
#define NOPAL_DETAIL_OWNER_STEPS_H

/* Step 2 of a pop: 1 if it is a full fence. The 1998 protocol and the lock-free one pay it here;
 * thieves pay theirs in steal. */
#if defined(NOPAL_DEQUE_THE) || defined(NOPAL_DEQUE_LOCKFREE)
#define NOPAL_DETAIL_POP_IS_FENCED 1
#else
#define NOPAL_DETAIL_POP_IS_FENCED 0
#endif

/* Step 3 of a pop, by which the entry is the owner's without more: 1 if it lies beyond `top`; 0 if
 * it is not below `split`, up to which thieves may take. */
#ifdef NOPAL_DEQUE_LOCKFREE
#define NOPAL_DETAIL_POP_KEEPS_ABOVE_TOP 1
#else
#define NOPAL_DETAIL_POP_KEEPS_ABOVE_TOP 0
#endif

/* Where the steps find their fields in struct nopal_deque; checked against it in src/arch. */
#define NOPAL_DETAIL_DEQUE_BOTTOM 0
#define NOPAL_DETAIL_DEQUE_LIMIT 4
#define NOPAL_DETAIL_DEQUE_SLOTS 8
#define NOPAL_DETAIL_DEQUE_TOP 64
#define NOPAL_DETAIL_DEQUE_SPLIT 68

#endif

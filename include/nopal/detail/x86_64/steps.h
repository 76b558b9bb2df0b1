/* What the unstolen fork and join do in the assembly of x86-64. Included by fast_path.h.
 *
 * Stores and loads keep their order on this processor but for a load after a store. The compiler is kept from
 * changing it by the __atomic operations in fast_path.h, which are plain instructions here.
 */
#ifndef NOPAL_DETAIL_X86_64_STEPS_H
#define NOPAL_DETAIL_X86_64_STEPS_H

#include <nopal/detail/frame.h>

/* Programs with old headers have an empty macro of this name. */
#pragma push_macro("register")
#undef register

#ifdef __cplusplus
extern "C" {
#endif

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

/* Where a scope is made. Compilers must not address what the frame holds through the stack pointer, and
 * without this both do if it has over-aligned locals. It costs no instruction; below -O2 GCC may jump over
 * its half. */
static NOPAL_ALWAYS_INLINE void nopal_shape_frame(struct nopal_frame* frame) {
#if defined(__clang__)
  /* Tells Clang that the stack pointer moves in a way it cannot follow, and that others know the
   * frame: a setjmp before the fork returns again with what thieves wrote. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wstack-protector" /* -fstack-clash-protection: nothing is allocated here */
  __asm__ volatile(NOPAL_DETAIL_REFUSE_SPLIT_STACK("__morestack") : "=m"(*frame) : : "rsp");
#pragma clang diagnostic pop
#elif defined(NOPAL_DETAIL_FRAMES_ARE_DYNAMIC)
  (void)frame;
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
}

/* The slow end of a push. */
static NOPAL_ALWAYS_INLINE int nopal_call_push_slow(struct nopal_frame* frame) {
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

/* A load that ThreadSanitizer does not see. */
static NOPAL_ALWAYS_INLINE int32_t nopal_unwatched_load(const int32_t* where) {
  int32_t value;
  __asm__ volatile("{movl %1, %0|mov %0, %1}" : "=r"(value) : "m"(*where));
  return value;
}

/* The same of a slot of an array. */
static NOPAL_ALWAYS_INLINE void* nopal_unwatched_slot(void** array, uint64_t slot) {
  void* value;
  __asm__ volatile("{movq (%1, %2, 8), %0|mov %0, QWORD PTR [%1 + %2 * 8]}"
                   : "=r"(value)
                   : "r"(array), "r"(slot)
                   : "memory");
  return value;
}

/* The frame's address, computed anew where it is needed: kept in a register it would cost every
 * call a push. */
static NOPAL_ALWAYS_INLINE struct nopal_frame* nopal_fresh_address(struct nopal_frame* frame) {
  struct nopal_frame* fresh;
  __asm__ volatile("lea {%1, %0|%0, %1}" : "=r"(fresh) : "m"(*frame));
  return fresh;
}

/* Whether what lies at `place` is a local of the function that calls this, and has a frame pointer. */
static NOPAL_ALWAYS_INLINE int nopal_is_in_frame(const void* place) {
  const void* stack_pointer;
  __asm__ volatile("mov {%%rsp, %0|%0, rsp}" : "=r"(stack_pointer));
  return place >= stack_pointer && place < __builtin_frame_address(0);
}

#ifndef __clang__
/* Half of it: a change of the whole would have GCC restore it from the frame pointer in each function.
 * Of no function: GCC warns that a longjmp may change a variable of a function that is in a
 * register. */
__extension__ register int nopal_stack_pointer __asm__("esp");
#endif

/* The function may be on another stack. GCC knows the address of an array of variable length made
 * before to be the stack pointer's value, and would go on taking it from there; told that this has
 * changed, it keeps a copy. Costs nothing where there is no such array. */
static __attribute__((always_inline)) inline void nopal_forget_stack_pointer(void) {
#ifndef __clang__
  __asm__ volatile("" : "+r"(nopal_stack_pointer));
#endif
}

#ifdef __cplusplus
}
#endif

#pragma pop_macro("register")

#endif

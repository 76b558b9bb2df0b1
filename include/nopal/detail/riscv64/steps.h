/* What the unstolen fork and join do in the assembly of RISC-V. Included by fast_path.h.
 *
 * This processor changes the order of plain stores and loads. What others have to see in order goes by the
 * __atomic operations in fast_path.h; two macros here stand for some, where compilers are poor at them.
 */
#ifndef NOPAL_DETAIL_RISCV64_STEPS_H
#define NOPAL_DETAIL_RISCV64_STEPS_H

#include <nopal/detail/frame.h>

/* Programs with old headers have an empty macro of this name. */
#pragma push_macro("register")
#undef register

#ifdef __cplusplus
extern "C" {
#endif

/* Whether `index` is less than the value at `where`, which others may change. Read at each call. */
#ifndef NOPAL_LESS_THAN
#define NOPAL_LESS_THAN(index, where) ((index) < __atomic_load_n((where), __ATOMIC_RELAXED))
#endif

/* Before 14, GCC makes exchanges of atomic stores. Of words of eight bytes, and of four. */
#if !defined(__clang__) && __GNUC__ < 14
#define NOPAL_STORE_RELAXED(where, value) __asm__ volatile("sd %z1, %0" : "=m"(*(where)) : "rJ"(value))
#define NOPAL_STORE_RELEASE(where, value)                                                                    \
  __asm__ volatile("fence rw, w\n\tsw %z1, %0" : "=m"(*(where)) : "rJ"(value) : "memory")
#endif

/* Where a scope is made. Compilers must not address what the frame holds through the stack pointer, as Clang
 * does where a local is over-aligned. A part of unknown size, allocated in a block that control never reaches,
 * has Clang take a register of its own that a child preserves. Clang saves and restores the stack pointer
 * around it, since this function is inlined. GCC finds locals by the frame pointer anyway; so shaped, it takes
 * the stack pointer from there as well before it returns, and a C function that forgets its join gets back to
 * its caller, to be told. */
static NOPAL_ALWAYS_INLINE void nopal_shape_frame(struct nopal_frame* frame) {
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wstack-protector" /* nothing is allocated here */
#endif
  /* The compiler is told that control may get there, which it never does. */
  __asm__ goto("" : : : : nopal_dynamic);
  if (0) {
    size_t nopal_size;
  /* Control comes back, or GCC would make a function of this part. */
  nopal_dynamic:
#ifndef __clang__
    __attribute__((cold));
#endif
    __asm__ volatile("" : "=r"(nopal_size));
#pragma GCC diagnostic ignored "-Walloca"
#ifdef __clang__
    __asm__ volatile("" : : "r"(__builtin_alloca(nopal_size)));
#else
    __asm__ volatile("" : : "r"(__builtin_alloca_with_align_and_max(nopal_size, 8, 1)));
#endif
  }
#pragma GCC diagnostic pop
  /* The compiler is told that others know the frame: a setjmp before the fork returns again with what
   * thieves wrote. GCC's assembler looks at how the frame is addressed. */
#ifdef __clang__
  __asm__ volatile("" : "=m"(*frame));
#else
  __asm__ __inline__ volatile(NOPAL_DETAIL_REFUSE_STACK_POINTER("%0") : "=m"(*frame));
#endif
}

/* What a system call loses: the vector registers, which no call preserves. No argument of a fork is in them. */
#ifdef __riscv_vector
#define NOPAL_DETAIL_LOST_VECTORS                                                                            \
  , "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",    \
      "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",      \
      "v30", "v31", "vl", "vtype"
#else
#define NOPAL_DETAIL_LOST_VECTORS
#endif

/* The slow end of a push. */
static NOPAL_ALWAYS_INLINE int nopal_call_push_slow(struct nopal_frame* frame) {
#ifdef __cplusplus
  register uintptr_t first __asm__("a0") = reinterpret_cast<uintptr_t>(frame);
#else
  register uintptr_t first __asm__("a0") = (uintptr_t)frame;
#endif
  /* A call that keeps every register but a0 and the one that the address takes, so that the child's arguments
   * stay where they are and the fast path has nothing to save. Through the GOT, since lazy binding keeps
   * fewer. The enclosing function makes ordinary calls too, hence has saved ra. */
  __asm__ volatile("1: auipc t1, %%got_pcrel_hi(nopal_push_slow)\n\t"
                   "ld t1, %%pcrel_lo(1b)(t1)\n\t"
                   "jalr t1"
                   : "+r"(first)
                   :
                   : "t1", "ra", "memory" NOPAL_DETAIL_LOST_VECTORS);
  return first != 0;
}

/* A load that ThreadSanitizer does not see. */
static NOPAL_ALWAYS_INLINE int32_t nopal_unwatched_load(const int32_t* where) {
  int32_t value;
  __asm__ volatile("lw %0, %1" : "=r"(value) : "m"(*where));
  return value;
}

/* The same of a slot of an array. */
static NOPAL_ALWAYS_INLINE void* nopal_unwatched_slot(void** array, uint64_t slot) {
  void* value;
  __asm__ volatile("ld %0, %1" : "=r"(value) : "m"(array[slot]) : "memory");
  return value;
}

/* The frame's address; the compiler may compute it anew where it is needed. */
static NOPAL_ALWAYS_INLINE struct nopal_frame* nopal_fresh_address(struct nopal_frame* frame) {
  struct nopal_frame* fresh;
  __asm__ volatile("" : "=r"(fresh) : "0"(frame));
  return fresh;
}

/* Whether what lies at `place` is a local of the function that calls this. */
static NOPAL_ALWAYS_INLINE int nopal_is_in_frame(const void* place) {
  const void* stack_pointer;
  __asm__ volatile("mv %0, sp" : "=r"(stack_pointer));
  return place >= stack_pointer && place < __builtin_dwarf_cfa();
}

#ifndef __clang__
/* Of no function: GCC warns that a longjmp may change a variable of a function that is in a register. */
__extension__ register long nopal_stack_pointer __asm__("sp");
#endif

/* The function may be on another stack. GCC knows the address of an array of variable length made
 * before to be the stack pointer's value, and would go on taking it from there; told that this has
 * changed, it keeps a copy. */
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

/* What GCC is told of the stack pointer after a fork and a join. */
#ifndef NOPAL_DETAIL_STACK_POINTER_H
#define NOPAL_DETAIL_STACK_POINTER_H

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

#endif

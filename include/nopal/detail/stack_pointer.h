/* What GCC is told of the stack pointer after a fork and a join. */
#ifndef NOPAL_DETAIL_STACK_POINTER_H
#define NOPAL_DETAIL_STACK_POINTER_H

/* The function may be on another stack. GCC knows the address of an array of variable length made before to be the stack
 * pointer's value, and would go on taking it from there; told that this has changed, it keeps a copy. Costs nothing where
 * there is no such array. In a function that calls setjmp as well, -Wclobbered names this variable, which holds nothing. */
static __attribute__((always_inline)) inline void nopal_forget_stack_pointer(void) {
#ifndef __clang__
  register void* stack_pointer __asm__("rsp");
  __asm__ volatile("" : "+r"(stack_pointer));
#endif
}

#endif

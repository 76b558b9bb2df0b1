/* Which copy of the library C++ code of this program or shared object refers to. The dynamic linker makes one of inline
 * functions and templates' instances that several of these export, be their libraries one or not; the library looks at this
 * one to learn of it. */
#ifndef NOPAL_DETAIL_COPY_H
#define NOPAL_DETAIL_COPY_H

#include <nopal/detail/frame.h>

#ifdef __cplusplus
/* Visible where other inline functions are. Where the copy's deque pointers lie, relative to a thread's own. */
extern "C" __attribute__((used)) inline ptrdiff_t nopal_place_in_inline_code(void) {
  ptrdiff_t place;
  __asm__("{movq nopal_current@gottpoff(%%rip), %0|mov %0, QWORD PTR [rip + nopal_current@gottpoff]}"
          : "=r"(place));
  return place;
}
#endif

#endif

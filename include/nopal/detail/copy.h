/* Says which copy of the library the C++ code of this program or shared object refers to. The
 * dynamic linker merges the inline functions and template instances that several of these export,
 * even where it does not merge their libraries. The library learns of that by this function. */
#ifndef NOPAL_DETAIL_COPY_H
#define NOPAL_DETAIL_COPY_H

#include <nopal/detail/frame.h>

#ifdef __cplusplus
/* Visible as other inline functions are. Returns where the copy's deque pointers lie, relative to a
 * thread's own. */
extern "C" __attribute__((used)) inline ptrdiff_t nopal_place_in_inline_code(void) {
  ptrdiff_t place;
  NOPAL_DETAIL_READ_OFFSET(place, "nopal_current");
  return place;
}
#endif

#endif

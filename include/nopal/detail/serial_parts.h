/* The serial elision's parts that may be stopped: a list of each thread's, which C and C++ share. */
#ifndef NOPAL_DETAIL_SERIAL_PARTS_H
#define NOPAL_DETAIL_SERIAL_PARTS_H

#include <nopal/detail/c_stopped.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The innermost one. Weak: every file has it, and the program one. */
extern __thread struct nopal_stop* nopal_serial_part;
__attribute__((weak)) __thread struct nopal_stop* nopal_serial_part = NULL;

/* To a checker one strand after the other has it, on one thread: no race of the program's. */
#ifdef NOPAL_CHECKED
#define NOPAL_DETAIL_UNCHECKED static __attribute__((noinline, unused, no_sanitize("thread")))
#else
#define NOPAL_DETAIL_UNCHECKED static inline
#endif
NOPAL_DETAIL_UNCHECKED struct nopal_stop* nopal_get_serial_part(void) { return nopal_serial_part; }
NOPAL_DETAIL_UNCHECKED void nopal_set_serial_part(struct nopal_stop* part) { nopal_serial_part = part; }

#ifdef __cplusplus
}
#endif

#endif

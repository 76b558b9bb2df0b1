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

#ifdef __cplusplus
}
#endif

#endif

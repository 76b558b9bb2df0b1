/* The serial elision, whatever compiles it: for files that `nopal cilk` does not translate. */
#ifndef NOPAL_COMPAT_CILK_CILK_STUB_H
#define NOPAL_COMPAT_CILK_CILK_STUB_H

#include <cilk/cilk.h>

#endif

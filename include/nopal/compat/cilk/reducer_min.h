/* cilk::reducer<cilk::op_min<T>> and op_min_index, and cilk::reducer_min<T>. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_MIN_H
#define NOPAL_COMPAT_CILK_REDUCER_MIN_H

#include <cilk/reducer_min_max.h>

#endif

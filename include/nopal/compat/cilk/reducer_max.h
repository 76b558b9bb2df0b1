/* cilk::reducer<cilk::op_max<T>> and op_max_index, and cilk::reducer_max<T>. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_MAX_H
#define NOPAL_COMPAT_CILK_REDUCER_MAX_H

#include <cilk/reducer_min_max.h>

#endif

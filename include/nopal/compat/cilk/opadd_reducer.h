/* cilk::opadd_reducer<T>, a T with a view for each strand, which are added; for `nopal cilk`. */
#ifndef NOPAL_COMPAT_CILK_OPADD_REDUCER_H
#define NOPAL_COMPAT_CILK_OPADD_REDUCER_H

/* The translator knows the name as a keyword, which is none here. */
#pragma GCC system_header

#ifndef __cplusplus
#error "nopal: <cilk/opadd_reducer.h> is for C++; in C: T cilk_reducer(identity, reduce) sum = 0;"
#endif

#include <new>

#include <cilk/cilk.h>

namespace cilk {

template <class T>
void zero(void* view) {
  ::new (view) T(0);
}
template <class T>
void plus(void* left, void* right) {
  *static_cast<T*>(left) += *static_cast<T*>(right);
  static_cast<T*>(right)->~T();
}

/// What `nopal cilk` writes for the type of such a variable.
template <class T>
using opadd_reducer_view = T;

#if defined(NOPAL_CILK_COMPILED) && !defined(NOPAL_CILK_PARSED)
template <class T>
class opadd_reducer {
  static_assert(sizeof(T) == 0,
                "nopal: 'nopal cilk' has not translated this opadd_reducer: it translates variables in the "
                "file that it is given");
};
#else
template <class T>
using opadd_reducer = T;
#endif

}  // namespace cilk

#endif

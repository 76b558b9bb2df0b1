/* cilk::reducer<cilk::op_mul<T>> and cilk::reducer_opmul<T>. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_OPMUL_H
#define NOPAL_COMPAT_CILK_REDUCER_OPMUL_H

#include <cilk/reducer.h>

namespace cilk {

template <class T>
struct op_mul {
  using value_type = T;
};
template <class T>
struct nopal_detail::monoid_of<op_mul<T>> {
  using type = ::nopal::op_mul<T>;
};

/// The name of Cilk++.
template <class T>
class reducer_opmul : public reducer<op_mul<T>> {
public:
  using reducer<op_mul<T>>::reducer;
  template <class Other>
  reducer_opmul& operator*=(const Other& other) {
    this->view() *= other;
    return *this;
  }
};

}  // namespace cilk

#endif

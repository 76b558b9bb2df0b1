/* cilk::reducer<cilk::op_or<T>> and cilk::reducer_opor<T>. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_OPOR_H
#define NOPAL_COMPAT_CILK_REDUCER_OPOR_H

#include <cilk/reducer.h>

namespace cilk {

template <class T>
struct op_or {
  using value_type = T;
};
template <class T>
struct nopal_detail::monoid_of<op_or<T>> {
  using type = ::nopal::op_or<T>;
};

/// The name of Cilk++.
template <class T>
class reducer_opor : public reducer<op_or<T>> {
public:
  using reducer<op_or<T>>::reducer;
  template <class Other>
  reducer_opor& operator|=(const Other& other) {
    this->view() |= other;
    return *this;
  }
};

}  // namespace cilk

#endif

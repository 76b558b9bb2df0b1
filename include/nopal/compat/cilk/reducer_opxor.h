/* cilk::reducer<cilk::op_xor<T>> and cilk::reducer_opxor<T>. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_OPXOR_H
#define NOPAL_COMPAT_CILK_REDUCER_OPXOR_H

#include <cilk/reducer.h>

namespace cilk {

template <class T>
struct op_xor {
  using value_type = T;
};
template <class T>
struct nopal_detail::monoid_of<op_xor<T>> {
  using type = ::nopal::op_xor<T>;
};

/// The name of Cilk++.
template <class T>
class reducer_opxor : public reducer<op_xor<T>> {
public:
  using reducer<op_xor<T>>::reducer;
  template <class Other>
  reducer_opxor& operator^=(const Other& other) {
    this->view() ^= other;
    return *this;
  }
};

}  // namespace cilk

#endif

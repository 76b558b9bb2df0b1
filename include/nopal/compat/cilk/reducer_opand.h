/* cilk::reducer<cilk::op_and<T>> and cilk::reducer_opand<T>. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_OPAND_H
#define NOPAL_COMPAT_CILK_REDUCER_OPAND_H

#include <cilk/reducer.h>

namespace cilk {

template <class T>
struct op_and {
  using value_type = T;
};
template <class T>
struct nopal_detail::monoid_of<op_and<T>> {
  using type = ::nopal::op_and<T>;
};

/// The name of Cilk++.
template <class T>
class reducer_opand : public reducer<op_and<T>> {
public:
  using reducer<op_and<T>>::reducer;
  template <class Other>
  reducer_opand& operator&=(const Other& other) {
    this->view() &= other;
    return *this;
  }
};

}  // namespace cilk

#endif

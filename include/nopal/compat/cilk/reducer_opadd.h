/* cilk::reducer<cilk::op_add<T>> and cilk::reducer_opadd<T>. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_OPADD_H
#define NOPAL_COMPAT_CILK_REDUCER_OPADD_H

#include <cilk/reducer.h>

namespace cilk {

template <class T>
struct op_add {
  using value_type = T;
};
template <class T>
struct nopal_detail::monoid_of<op_add<T>> {
  using type = ::nopal::op_add<T>;
};

/// The name of Cilk++.
template <class T>
class reducer_opadd : public reducer<op_add<T>> {
public:
  using reducer<op_add<T>>::reducer;
  template <class Other>
  reducer_opadd& operator+=(const Other& other) {
    this->view() += other;
    return *this;
  }
  template <class Other>
  reducer_opadd& operator-=(const Other& other) {
    this->view() -= other;
    return *this;
  }
  reducer_opadd& operator++() {
    ++this->view();
    return *this;
  }
  reducer_opadd& operator--() {
    --this->view();
    return *this;
  }
  // What was there before is nobody's: it is a part of the sum.
  void operator++(int) { ++this->view(); }
  void operator--(int) { --this->view(); }
};

}  // namespace cilk

#endif

/* cilk::reducer<cilk::op_vector<T>> and cilk::reducer_vector_append<T>: elements in serial order. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_VECTOR_H
#define NOPAL_COMPAT_CILK_REDUCER_VECTOR_H

#include <memory>

#include <cilk/reducer.h>

namespace cilk {

template <class T, class Allocator = std::allocator<T>>
struct op_vector {
  using value_type = typename ::nopal::op_vector_append<T, Allocator>::value_type;
};
template <class T, class Allocator>
struct nopal_detail::monoid_of<op_vector<T, Allocator>> {
  using type = ::nopal::op_vector_append<T, Allocator>;
};

/// The name of Cilk++.
template <class T, class Allocator = std::allocator<T>>
class reducer_vector_append : public reducer<op_vector<T, Allocator>> {
public:
  using reducer<op_vector<T, Allocator>>::reducer;
  void push_back(const T& element) { this->view().push_back(element); }
};

}  // namespace cilk

#endif

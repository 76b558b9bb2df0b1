/* cilk::reducer<cilk::op_list_append<T>> and cilk::reducer_list_append<T>: elements in serial order. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_LIST_H
#define NOPAL_COMPAT_CILK_REDUCER_LIST_H

#include <memory>

#include <cilk/reducer.h>

namespace cilk {

template <class T, class Allocator = std::allocator<T>>
struct op_list_append {
  using value_type = typename ::nopal::op_list_append<T, Allocator>::value_type;
};
template <class T, class Allocator>
struct nopal_detail::monoid_of<op_list_append<T, Allocator>> {
  using type = ::nopal::op_list_append<T, Allocator>;
};

/// The name of Cilk++.
template <class T, class Allocator = std::allocator<T>>
class reducer_list_append : public reducer<op_list_append<T, Allocator>> {
public:
  using reducer<op_list_append<T, Allocator>>::reducer;
  void push_back(const T& element) { this->view().push_back(element); }
};

}  // namespace cilk

#endif

/* cilk::reducer<cilk::op_list_append<T>> and cilk::reducer_list_append<T>: elements in serial order; `prepend`: the last first. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_LIST_H
#define NOPAL_COMPAT_CILK_REDUCER_LIST_H

#include <list>
#include <memory>
#include <utility>

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

namespace nopal_detail {
template <class T, class Allocator>
struct list_prepend {
  using value_type = std::list<T, Allocator>;
  static value_type identity() { return value_type(); }
  static void reduce(value_type& left, value_type&& right) { left.splice(left.begin(), right); }
};
}  // namespace nopal_detail

template <class T, class Allocator = std::allocator<T>>
struct op_list_prepend {
  using value_type = std::list<T, Allocator>;
};
template <class T, class Allocator>
struct nopal_detail::monoid_of<op_list_prepend<T, Allocator>> {
  using type = list_prepend<T, Allocator>;
};

/// The name of Cilk++.
template <class T, class Allocator = std::allocator<T>>
class reducer_list_prepend : public reducer<op_list_prepend<T, Allocator>> {
public:
  using reducer<op_list_prepend<T, Allocator>>::reducer;
  void push_front(const T& element) { this->view().push_front(element); }
};

}  // namespace cilk

#endif

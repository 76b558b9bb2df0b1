/* cilk::reducer<cilk::op_string> and cilk::reducer_string: text in serial order. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_STRING_H
#define NOPAL_COMPAT_CILK_REDUCER_STRING_H

#include <memory>
#include <string>
#include <utility>

#include <cilk/reducer.h>

namespace cilk {

template <class Char, class Traits = std::char_traits<Char>, class Allocator = std::allocator<Char>>
struct op_basic_string {
  using value_type = std::basic_string<Char, Traits, Allocator>;
};
using op_string = op_basic_string<char>;
using op_wstring = op_basic_string<wchar_t>;
template <class Char, class Traits, class Allocator>
struct nopal_detail::monoid_of<op_basic_string<Char, Traits, Allocator>> {
  using type = ::nopal::op_basic_string_append<Char, Traits, Allocator>;
};

/// The names of Cilk++.
template <class Char, class Traits = std::char_traits<Char>, class Allocator = std::allocator<Char>>
class reducer_basic_string : public reducer<op_basic_string<Char, Traits, Allocator>> {
public:
  using reducer<op_basic_string<Char, Traits, Allocator>>::reducer;
  template <class Other>
  reducer_basic_string& operator+=(const Other& other) {
    this->view() += other;
    return *this;
  }
  template <class... Other>
  reducer_basic_string& append(Other&&... other) {
    this->view().append(std::forward<Other>(other)...);
    return *this;
  }
};
using reducer_string = reducer_basic_string<char>;
using reducer_wstring = reducer_basic_string<wchar_t>;

}  // namespace cilk

#endif
